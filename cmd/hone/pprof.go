package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/symbol"
	"github.com/hone-go/hone/profile"
	"golang.org/x/term"
)

func runPprof(ctx context.Context, a *app, args []string) error {
	inv, err := shell.Parse(args, a.stderr)
	if err != nil {
		return err
	}
	if inv.HTTP != "" {
		return a.serve(ctx, inv, uiFlags{}, true)
	}
	l := a.newLoad(inv)
	l.compat = true
	p, err := l.difference(ctx)
	if err != nil {
		return err
	}
	if inv.Command == "" {
		return a.shell(ctx, inv, p)
	}
	return a.deliver(ctx, inv, inv.Command, p)
}

// runReport returns the function of a short verb.
func runReport(name string) func(context.Context, *app, []string) error {
	return func(ctx context.Context, a *app, args []string) error {
		inv, err := shell.ParseVerb(name, args, a.stderr)
		if err != nil {
			return err
		}
		p, err := a.newLoad(inv).difference(ctx)
		if err != nil {
			return err
		}
		like := name
		if !isTerminal(a.stdout) {
			like = "" // hone weblist RE cpu.pb.gz >page.html is not for a browser
		}
		return a.deliver(ctx, inv, like, p)
	}
}

// deliver writes the report that a command line asks for where it asks for it,
// or else where reports of the command like go; "" is standard output.
func (a *app) deliver(ctx context.Context, inv *shell.Invocation, like string, p *profile.Profile) error {
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, ToScreen: isTerminal(a.stdout), Getenv: a.getenv}
	defer out.Close()
	if inv.JSON {
		like = "" // text, whatever the report's own format is
	}
	return out.Deliver(ctx, like, inv.Output, func(ctx context.Context, w io.Writer) error {
		if !inv.JSON {
			return a.generate(ctx, w, p, inv.Command, inv.Param, inv.Options)
		}
		r, err := report.New(p, inv.Command, inv.Param, inv.Options, a.env(inv.Options))
		if err != nil {
			return err
		}
		return r.WriteJSON(w)
	})
}

// generate writes the report of a command in its final format.
func (a *app) generate(ctx context.Context, w io.Writer, p *profile.Profile, command, param string, o report.Options) error {
	format := ""
	switch command {
	case "svg", "png", "gif", "pdf", "ps":
		format = command
	case "web", "eog":
		format = "svg"
	case "evince":
		format = "pdf"
	case "gv":
		format = "ps"
	case "flame":
		return a.flame(w, nil, p, flameFlags{format: "html"}, o)
	}
	if format == "" {
		return report.Generate(w, p, command, param, o, a.env(o))
	}
	var dot bytes.Buffer
	if err := report.Generate(&dot, p, command, param, o, a.env(o)); err != nil {
		return err
	}
	return graphviz.Render(ctx, dot.Bytes(), format, w)
}

// env is what reports may use of the outside.
func (a *app) env(o report.Options) report.Env {
	source := sync.OnceValue(func() *srcfind.Finder {
		return srcfind.New(srcfind.Config{SearchPath: o.SourcePath, TrimPath: o.TrimPath})
	})
	return report.Env{
		Warn:   a.warn,
		Source: func(file string) ([]string, error) { return source().Lines(file) },
		Binary: openBinary,
	}
}

func (a *app) warn(msg string) { fmt.Fprintln(a.stderr, msg) }

// binary gives reports an executable as it is mapped into a process.
type binary struct {
	*symbol.File
	base uint64
}

func openBinary(m *profile.Mapping) (report.Binary, error) {
	f, err := symbol.Open(m.File)
	if err != nil {
		return nil, err
	}
	return &binary{f, f.Base(m.Start, m.Limit, m.Offset)}, nil
}

func (b *binary) ObjAddr(addr uint64) uint64 { return addr - b.base }

func (b *binary) Symbols(re *regexp.Regexp, addr uint64) ([]report.Symbol, error) {
	syms, err := b.File.Symbols(re, addr)
	out := make([]report.Symbol, len(syms))
	for i, s := range syms {
		out[i] = report.Symbol(s)
	}
	return out, err
}

func (b *binary) Disasm(start, end uint64, intel bool) ([]report.Inst, error) {
	insts, err := b.File.Disasm(start, end, intel)
	out := make([]report.Inst, len(insts))
	for i, in := range insts {
		out[i] = report.Inst(in)
	}
	return out, err
}

func (b *binary) Frames(addr uint64) ([]report.Frame, error) {
	frames, err := b.File.Frames(addr - b.base)
	out := make([]report.Frame, len(frames))
	for i, f := range frames {
		out[i] = report.Frame{Function: f.Function, File: f.File, Line: f.Line}
	}
	return out, err
}

// load is the loading of one command line's profiles.
type load struct {
	app     *app
	inv     *shell.Invocation
	loader  *capture.Loader
	mu      sync.Mutex
	origins symbol.MappingSources
	remote  bool // any profile of the last merged came over the network

	// compat is set where the output must be that of go tool pprof, which finds
	// no inlined calls in binaries.
	compat bool
}

func (a *app) newLoad(inv *shell.Invocation) *load {
	inv.TakeExecutable(func(file string) bool {
		f, err := symbol.Open(file)
		if err == nil {
			f.Close()
		}
		return err == nil
	})
	searchPath := a.getenv("PPROF_BINARY_PATH")
	if searchPath == "" {
		if home, err := os.UserHomeDir(); err == nil {
			searchPath = filepath.Join(home, "pprof", "binaries")
		}
	}
	searchPath = existing(searchPath)
	l := &load{app: a, inv: inv, origins: symbol.MappingSources{}}
	l.loader = &capture.Loader{
		Fetcher: &capture.Fetcher{
			TLSCert: inv.TLSCert, TLSKey: inv.TLSKey, TLSCA: inv.TLSCA,
			Seconds: max(0, inv.Seconds), Timeout: time.Duration(max(0, inv.Timeout)) * time.Second,
			MaxBytes: inv.MaxBytes, Progress: a.stderr, Stdin: a.stdin,
		},
		Limits: profile.Limits{Bytes: inv.MaxBytes, TextBytes: inv.MaxBytes},
		Each: func(p *profile.Profile, s *capture.Source) (*profile.Profile, error) {
			p = symbol.LocateBinaries(p, inv.ExecName, inv.BuildID, searchPath, a.warn)
			if !s.Remote {
				return p, nil
			}
			p, from := symbol.CollectSources(p, s.URL)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.remote = true
			for k, v := range from {
				l.origins[k] = append(l.origins[k], v...)
			}
			return p, nil
		},
		Warn: func(err error) { a.warn(oneLine(err)) },
	}
	return l
}

// difference returns the sources merged and symbolized, minus their base.
func (l *load) difference(ctx context.Context) (*profile.Profile, error) {
	p, err := l.merged(ctx, l.inv.Sources)
	if err != nil {
		return nil, err
	}
	if len(l.inv.Base) > 0 {
		base, err := l.merged(ctx, l.inv.Base)
		if err != nil {
			return nil, err
		}
		if p, err = report.Subtract(p, base, l.inv.DiffBase, l.inv.Normalize); err != nil {
			return nil, err
		}
	}
	return l.finished(ctx, p)
}

// existing returns a list of directories without those that aren't there, so
// that nobody looks into them for every profile again.
func existing(list string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// merged returns the sum of sources as they are.
func (l *load) merged(ctx context.Context, sources []string) (*profile.Profile, error) {
	files, err := runFiles(sources)
	if err != nil {
		return nil, err
	}
	return l.loader.Load(ctx, files)
}

// finished completes a loaded profile and keeps a copy of what came over the
// network.
func (l *load) finished(ctx context.Context, p *profile.Profile) (*profile.Profile, error) {
	p, err := l.completed(ctx, p)
	if err != nil {
		return nil, err
	}
	if l.remote {
		l.app.save(p)
		l.remote = false // what is loaded next may be files
	}
	return p, nil
}

// completed symbolizes a loaded profile and drops the frames that it asks to
// drop.
func (l *load) completed(ctx context.Context, p *profile.Profile) (*profile.Profile, error) {
	o := symbol.Options{Warn: l.app.warn, Compat: l.compat}
	if l.remote {
		var err error
		if o.Client, err = l.loader.Fetcher.Client(); err != nil {
			return nil, err
		}
	}
	p, err := symbol.Symbolize(ctx, p, l.inv.Symbolize, l.origins, o)
	if err != nil {
		return nil, err
	}
	if !l.inv.AllFrames {
		if p, err = p.RemoveUninteresting(); err != nil {
			return nil, err
		}
	}
	p = symbol.DropSources(p)
	if l.inv.Comment != "" {
		q := *p
		q.Comments = append(p.Comments[:len(p.Comments):len(p.Comments)], l.inv.Comment)
		p = &q
	}
	return p, nil
}

// save keeps a profile that came over the network, and says where.
func (a *app) save(p *profile.Profile) {
	err := func() error {
		dir, warnings, err := capture.SaveDir(a.getenv)
		for _, w := range warnings {
			a.warn(w)
		}
		if err != nil {
			return err
		}
		file := ""
		if len(p.Mappings) > 0 {
			file = p.Mappings[0].File
		}
		var types []string
		for _, t := range p.SampleTypes {
			types = append(types, t.Type)
		}
		f, err := capture.CreateSaved(dir, capture.SaveName(file, types))
		if err != nil {
			return err
		}
		if err := p.Encode(f); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		a.warn("Saved profile in " + f.Name())
		return nil
	}()
	if err != nil {
		a.warn("Could not save profile: " + oneLine(err))
	}
}

func (a *app) shell(ctx context.Context, inv *shell.Invocation, p *profile.Profile) error {
	s := &shell.Session{
		Profile: p, Config: inv.Config,
		Header: func(p *profile.Profile, o report.Options) ([]string, error) {
			r, err := report.New(p, "top", "", o, a.env(o))
			if err != nil {
				return nil, err
			}
			return r.ProfileHeader(), nil
		},
		Generate: a.generate,
		In:       a.stdin, Out: a.stdout, Err: a.stderr, Getenv: a.getenv,
	}
	if isTerminal(a.stdin) {
		s.HistoryFile, _ = shell.HistoryFile()
		// In the shell, ^C ends a command, which the shell sees to itself.
		ctx = context.WithoutCancel(ctx)
	}
	return s.Run(ctx)
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func runVersion(_ context.Context, a *app, args []string) error {
	fs := flag.NewFlagSet("version", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return &shell.UsageError{Verb: "version", Err: err}
	}
	if fs.NArg() > 0 {
		return &shell.UsageError{Verb: "version", Err: errors.New("it takes no arguments")}
	}
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		_, err := fmt.Fprintf(a.stdout, "hone %s %s\n", version, info.GoVersion)
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "hone %s\n", version)
	return err
}
