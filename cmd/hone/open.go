package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/symbol"
	"github.com/hone-go/hone/profile"
)

// opener opens the profiles of one command line.
type opener struct {
	app     *app
	inv     *shell.Invocation
	loader  *capture.Loader
	mu      sync.Mutex
	origins symbol.MappingSources
	remote  bool // any profile of the last merged came over the network
	loaded  int  // profiles of the last merged

	// compat makes the output the same as that of go tool pprof, which finds no inlined
	// calls in binaries.
	compat bool
	// open opens executables; nil opens what profiles name.
	open func(*profile.Mapping) (*symbol.File, error)
}

func newOpener(a *app, inv *shell.Invocation) *opener {
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
	searchPath = existingDirs(searchPath)
	l := &opener{app: a, inv: inv, origins: symbol.MappingSources{}}
	l.loader = &capture.Loader{
		Fetcher: &capture.Fetcher{
			TLSCert: inv.TLSCert, TLSKey: inv.TLSKey, TLSCA: inv.TLSCA,
			Seconds: max(0, inv.Seconds), Timeout: time.Duration(max(0, inv.Timeout)) * time.Second,
			MaxBytes: inv.MaxBytes, Progress: a.stderr, Stdin: a.stdin,
		},
		Limits: profileLimits(inv),
		Each: func(p *profile.Profile, s *capture.Source) (*profile.Profile, error) {
			p = symbol.LocateBinaries(p, inv.ExecName, inv.BuildID, searchPath, a.warn)
			if !l.compat {
				p = showAllocations(p, s)
			}
			var from symbol.MappingSources
			if s.Remote {
				p, from = symbol.CollectSources(p, s.URL)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.loaded++
			l.remote = l.remote || s.Remote
			for k, v := range from {
				l.origins[k] = append(l.origins[k], v...)
			}
			return p, nil
		},
		Warn: func(err error) { a.warn(compare.OneLine(err)) },
	}
	return l
}

// difference returns the sources merged and symbolized, minus their base.
func (l *opener) difference(ctx context.Context) (*profile.Profile, error) {
	p, err := l.merged(ctx, l.inv.Sources)
	if err != nil {
		return nil, err
	}
	if len(l.inv.Base) > 0 {
		base, err := l.merged(ctx, l.inv.Base)
		if err != nil {
			return nil, err
		}
		if p, err = report.Subtract(ctx, p, base, l.inv.DiffBase, report.Scaling{Normalize: l.inv.Normalize}); err != nil {
			return nil, err
		}
	}
	return l.finished(ctx, p)
}

// existingDirs removes missing directories from a list, so that they aren't searched again for
// every profile.
func existingDirs(list string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// merged returns the sum of sources, or their average where a sum makes no sense: see averaged.
func (l *opener) merged(ctx context.Context, sources []string) (*profile.Profile, error) {
	files, err := runFiles(ctx, l.app, sources)
	if err != nil {
		return nil, err
	}
	l.loaded = 0
	p, err := l.loader.Load(ctx, files)
	if err != nil {
		return nil, err
	}
	if hint := whyEmpty(p); hint != "" && l.remote && !l.compat {
		l.app.warn("hone: " + hint)
	}
	return l.averaged(p, l.loaded), nil
}

// averaged divides the sum of n profiles by n where its values describe a moment, such as
// goroutines and memory in use, and adds a comment that says so. In reports of go tool
// pprof, they are added up.
func (l *opener) averaged(p *profile.Profile, n int) *profile.Profile {
	if l.compat || l.inv.Add {
		return p
	}
	p, types := profile.AverageMoments(p, n)
	if len(types) > 0 {
		q := *p
		q.Comments = append(p.Comments[:len(p.Comments):len(p.Comments)],
			fmt.Sprintf("%s: average of %d profiles (-add adds them up)", strings.Join(types, ", "), n))
		p = &q
	}
	return p
}

// showAllocations makes alloc_space the default of a profile of allocations that has no
// default, such as a difference: /debug/pprof/allocs?seconds=30.
func showAllocations(p *profile.Profile, s *capture.Source) *profile.Profile {
	name := filepath.Base(s.Name)
	if u, err := url.Parse(s.URL); s.Remote && err == nil {
		name = path.Base(u.Path)
	}
	isAllocated := func(t profile.ValueType) bool { return t.Type == "alloc_space" }
	if p.DefaultSampleType != "" || !strings.HasPrefix(name, "allocs") || !slices.ContainsFunc(p.SampleTypes, isAllocated) {
		return p
	}
	q := *p
	q.DefaultSampleType = "alloc_space"
	return &q
}

// finished completes a loaded profile and keeps a copy of what came over the
// network.
func (l *opener) finished(ctx context.Context, p *profile.Profile) (*profile.Profile, error) {
	p, err := l.completed(ctx, p)
	if err != nil {
		return nil, err
	}
	if l.remote {
		saveProfile(l.app, p)
		l.remote = false // the next sources may be files
	}
	return p, nil
}

// whyEmpty says what to do about a profile without samples; it returns "" for others.
func whyEmpty(p *profile.Profile) string {
	if p.NumSamples() > 0 {
		return ""
	}
	has := func(name string) bool {
		return slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == name })
	}
	switch {
	case has("cpu"):
		return "the profile has no samples: the program used almost no CPU time meanwhile. " +
			"Profile it while it works, for longer with -seconds 30; hone load http -rate 100 URL sends requests to a server"
	case has("contentions"):
		return "the profile has no samples: nothing waited, or the program doesn't record it. " +
			"Call runtime.SetMutexProfileFraction(5) for mutexes, and runtime.SetBlockProfileRate(10000) for blocking"
	}
	return "the profile has no samples"
}

// completed symbolizes a loaded profile and drops the frames that the profile asks to
// drop.
func (l *opener) completed(ctx context.Context, p *profile.Profile) (*profile.Profile, error) {
	o := symbol.Options{Warn: l.app.warn, Compat: l.compat, Open: l.open}
	if l.remote {
		var err error
		if o.Client, err = l.loader.Fetcher.Client(); err != nil {
			return nil, err
		}
	}
	if l.inv.AllFrames {
		q := *p
		q.DropFrames, q.KeepFrames = "", ""
		p = &q
	}
	p, err := symbol.Symbolize(ctx, p, l.inv.Symbolize, l.origins, o)
	if err != nil {
		return nil, err
	}
	if q, err := profile.RemoveUninteresting(p); err != nil {
		l.app.warn(fmt.Sprintf("%v; no frames are dropped", err))
	} else {
		p = q
	}
	p = symbol.DropSources(p)
	if l.inv.Comment != "" {
		q := *p
		q.Comments = append(p.Comments[:len(p.Comments):len(p.Comments)], l.inv.Comment)
		p = &q
	}
	return p, nil
}

// saveProfile saves a profile that came over the network, and prints where.
func saveProfile(a *app, p *profile.Profile) {
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
		a.warn("Could not save profile: " + compare.OneLine(err))
	}
}
