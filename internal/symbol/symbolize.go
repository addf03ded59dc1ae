package symbol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// Options of [Symbolize].
type Options struct {
	Client *http.Client // for remote symbolization; nil means http.DefaultClient
	Warn   func(string) // gets a line of text, without newline; nil drops it
	// Open opens the executable of a mapping; nil opens the file that it names.
	Open func(*profile.Mapping) (*File, error)

	// Compat finds exactly what go tool pprof does: one frame per address,
	// with no inlined calls, no start lines, no names from the symbol table.
	Compat bool
}

// Symbolize returns p with the names and lines that are missing from it, or p
// itself if there are none to add. The mode, as in -symbolize, is a list of
// these words with ":" between them:
//
//	none             do nothing
//	local            look in the binaries, not at the source
//	fastlocal        as local, for names of functions only
//	remote           ask the source, do not look in the binaries
//	force            also what has names already
//	demangle=MODE    simplify C++ and Rust names: full keeps all of them,
//	                 templates drops parameters, none keeps the linker's name,
//	                 default drops parameters and template arguments;
//	                 all but default imply force
//
// By default both the binaries and the source are asked, and a source that
// fails is warned of; it is an error if the mode names it. A mapping that has
// any names is taken to have them all.
func Symbolize(ctx context.Context, p *profile.Profile, mode string, sources MappingSources, opts Options) (*profile.Profile, error) {
	if opts.Open == nil {
		opts.Open = func(m *profile.Mapping) (*File, error) { return Open(m.File) }
	}
	if opts.Warn == nil {
		opts.Warn = func(string) {}
	}
	if opts.Client == nil {
		opts.Client = http.DefaultClient
	}
	m, ok := parseMode(mode, opts.Warn)
	if !ok {
		return p, nil
	}
	e := &edit{p: p}
	if m.local {
		if err := e.symbolizeLocal(ctx, m, opts); err != nil {
			return p, err
		}
	}
	if m.remote {
		err := e.symbolizeRemote(ctx, m.force, sources, opts.Client)
		switch {
		case err == nil:
		case m.local && ctx.Err() == nil:
			// A server of files, say, has no symbols and was not said to have any.
			opts.Warn("Remote symbolization failed: " + err.Error())
		default:
			return p, err
		}
	}
	e.demangle(m.force, m.demangle)
	return e.p, nil
}

// mode is a parsed -symbolize.
type mode struct {
	local, fast, remote, force bool
	demangle                   string // "" is the default
}

// parseMode returns false if nothing is to be done.
func parseMode(s string, warn func(string)) (mode, bool) {
	m := mode{local: true, remote: true}
	for _, word := range strings.Split(strings.ToLower(s), ":") {
		switch word {
		case "", "demangle=default":
		case "none", "no":
			return m, false
		case "local":
			m.local, m.remote = true, false
		case "fastlocal":
			m.local, m.fast, m.remote = true, true, false
		case "remote":
			m.local, m.remote = false, true
		case "force":
			m.force = true
		case "demangle=full", "demangle=none", "demangle=templates":
			m.demangle = strings.TrimPrefix(word, "demangle=")
			m.force = true
		default:
			warn("ignoring unrecognized symbolization option: " + s)
			warn("expecting -symbolize=[local|fastlocal|remote|none][:force][:demangle=[none|full|templates|default]")
		}
	}
	return m, true
}

// symbolizeLocal looks the locations up in the files of their mappings.
func (e *edit) symbolizeLocal(ctx context.Context, mode mode, opts Options) error {
	p := e.p
	var locations [][]uint32 // of each mapping
	missing := false
	files := map[string]*File{} // nil if it does not open
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for i := range p.Mappings {
		m := &p.Mappings[i]
		if !mode.force && (m.HasFunctions || m.HasFilenames || m.HasLineNumbers) {
			continue
		}
		if locations == nil {
			locations = locationsByMapping(p)
		}
		if len(locations[i]) == 0 {
			continue
		}
		if m.File == "" {
			if !mode.force && allNamed(p, locations[i]) {
				continue // there is nothing to miss, as in folded stacks
			}
			if i == 0 {
				opts.Warn("Main binary filename not available.")
			} else {
				missing = true
			}
			continue
		}
		if m.Unsymbolizable() || m.BuildID == "" && isURL(m.File) {
			continue
		}

		name := filepath.Base(m.File)
		if m.BuildID != "" {
			name += " (build ID " + m.BuildID + ")"
		}
		f := files[m.File]
		if f == nil {
			var err error
			if f, err = opts.Open(m); err != nil {
				opts.Warn("Local symbolization failed for " + name + ": " + err.Error())
				missing = true
				continue
			}
			files[m.File] = f
		}
		if m.BuildID != "" && f.BuildID() != "" && !f.hasBuildID(m.BuildID) {
			opts.Warn("Symbols of " + name + " may be wrong: the file " + m.File + " has build ID " + f.BuildID())
		}
		if err := e.symbolizeMapping(ctx, i, locations[i], f, mode.fast, opts.Compat); err != nil {
			return err
		}
	}
	if missing {
		opts.Warn("Some binary filenames not available. Symbolization may be incomplete.\n" +
			"Try setting PPROF_BINARY_PATH to the search path for local binaries.")
	}
	return nil
}

func allNamed(p *profile.Profile, locations []uint32) bool {
	return !slices.ContainsFunc(locations, func(l uint32) bool { return p.Locations[l].NumLines == 0 })
}

func locationsByMapping(p *profile.Profile) [][]uint32 {
	out := make([][]uint32, len(p.Mappings))
	for l := range p.Locations {
		if m := p.Locations[l].Mapping; m != 0 {
			out[m-1] = append(out[m-1], uint32(l))
		}
	}
	return out
}

func isURL(file string) bool {
	u, err := url.Parse(file)
	return err == nil && u.IsAbs() && strings.Contains(strings.ToLower(u.Scheme), "http")
}

// symbolizeMapping looks up the locations of mapping i, which are those given.
func (e *edit) symbolizeMapping(ctx context.Context, i int, locations []uint32, f *File, fast, compat bool) error {
	m := e.p.Mappings[i]
	base := f.Base(m.Start, m.Limit, m.Offset)
	var lines []profile.Line
	for n, l := range locations {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		addr := e.p.Locations[l].Address - base
		var frames []Frame
		switch {
		case fast && !compat:
			frames = f.functionFrames(addr)
		case compat:
			frames = f.compatFrames(addr)
		default:
			frames, _ = f.Frames(addr)
		}
		if len(frames) == 0 {
			continue
		}
		lines = lines[:0]
		for _, fr := range frames {
			m.HasFunctions = m.HasFunctions || fr.Function != ""
			m.HasFilenames = m.HasFilenames || fr.File != ""
			m.HasLineNumbers = m.HasLineNumbers || fr.Line != 0
			fn := e.addFunction(funcKey{fr.Function, fr.File, fr.StartLine})
			lines = append(lines, profile.Line{Function: fn, Line: int64(fr.Line)})
		}
		m.HasInlineFrames = true
		e.setLines(l, lines...).Folded = false
	}
	if m != e.p.Mappings[i] {
		*e.mapping(i) = m
	}
	return nil
}

// symbolizeRemote asks the servers the mappings were profiled on for names.
func (e *edit) symbolizeRemote(ctx context.Context, force bool, sources MappingSources, client *http.Client) error {
	if len(sources) == 0 {
		return nil
	}
	for i := range e.p.Mappings {
		m := &e.p.Mappings[i]
		if m.HasFunctions && !force {
			continue
		}
		from := sources[m.File]
		if m.BuildID != "" {
			from = append(from[:len(from):len(from)], sources[m.BuildID]...)
		}
		for _, source := range from {
			if u := symbolURL(source.Source); u != "" {
				if err := e.askSymbols(ctx, i, u, source.Start-m.Start, client); err != nil {
					return err
				}
				e.mapping(i).HasFunctions = true
				break
			}
		}
	}
	return nil
}

// symbolURL returns the URL of the symbol service beside a profile's, "" if
// source is no URL.
func symbolURL(source string) string {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" {
		return ""
	}
	service := "symbolz"
	if strings.Contains(u.Path, "/debug/pprof/") {
		service = "symbol" // net/http/pprof
	}
	for _, suffix := range []string{"heap", "growth", "profile", "pmuprofile", "contention"} {
		if strings.HasSuffix(u.Path, "/pprof/"+suffix) {
			service = "symbol" // gperftools
		}
	}
	u.Path = path.Clean(u.Path + "/../" + service)
	u.RawQuery = ""
	return u.String()
}

var symbolLine = lazyregexp.New(`(0x[0-9a-fA-F]+)\s+(.*)`)

// askSymbols names the locations of mapping i that are nameless. The server has
// the mapping delta further up.
//
// The request is the addresses in hexadecimal with "+" between them, the answer
// one line "ADDRESS NAME" each; other lines are skipped.
func (e *edit) askSymbols(ctx context.Context, i int, source string, delta uint64, client *http.Client) error {
	var request []byte
	for l := range e.p.Locations {
		loc := &e.p.Locations[l]
		if loc.Mapping != uint32(i+1) || loc.Address == 0 || !nameless(e.p, loc) {
			continue
		}
		addr, ok := shift(loc.Address, delta)
		if !ok {
			return fmt.Errorf("cannot adjust address %d by %d, it would overflow (mapping %v)", loc.Address, int64(delta), e.p.Mappings[i])
		}
		if len(request) > 0 {
			request = append(request, '+')
		}
		request = strconv.AppendUint(append(request, "0x"...), addr, 16)
	}
	if len(request) == 0 {
		return nil
	}
	answer, err := ask(ctx, source, request, client)
	if err != nil {
		return fmt.Errorf("http post %s: %w", source, err)
	}

	functions := map[string]uint32{}
	lines := map[uint64]profile.Line{}
	for {
		line, rest, complete := bytes.Cut(answer, []byte("\n"))
		if !complete {
			break
		}
		answer = rest
		match := symbolLine.FindSubmatch(append(line, '\n'))
		if match == nil {
			continue
		}
		there, err := strconv.ParseUint(string(match[1]), 0, 64)
		if err != nil {
			return fmt.Errorf("symbols from %s: %w", source, err)
		}
		addr, ok := shift(there, -delta)
		if !ok {
			return fmt.Errorf("cannot adjust symbolz address %d by %d, it would overflow", there, -int64(delta))
		}
		name := string(match[2])
		fn, ok := functions[name]
		if !ok {
			// A function of its own: the same name may stand for another one in
			// another mapping.
			q, id := e.appending(), e.string(name)
			fn = uint32(len(q.Functions))
			q.Functions = append(q.Functions, profile.Function{Name: id, SystemName: id})
			functions[name] = fn
		}
		lines[addr] = profile.Line{Function: fn}
	}
	for l := range e.p.Locations {
		if e.p.Locations[l].Mapping != uint32(i+1) {
			continue
		}
		if line, ok := lines[e.p.Locations[l].Address]; ok {
			e.setLines(uint32(l), line)
		}
	}
	return nil
}

// nameless reports whether nobody knows the function of a location yet.
func nameless(p *profile.Profile, l *profile.Location) bool {
	return l.NumLines == 0 || l.NumLines == 1 && p.FunctionName(p.Lines[l.FirstLine].Function) == profile.RuntimeFrame
}

// shift adds delta, which is signed, and reports whether the sum is an address.
func shift(addr, delta uint64) (uint64, bool) {
	sum := addr + delta
	return sum, int64(delta) < 0 && sum < addr || int64(delta) >= 0 && sum >= addr
}

// maxAnswer bounds what a symbol server may send.
const maxAnswer = 1 << 30

// maxQuery bounds a request in a URL. Most servers take 8 KB.
const maxQuery = 6 << 10

// errMethod means that a server does not take the kind of request.
var errMethod = errors.New("server response: 405 Method Not Allowed")

// ask sends a request for symbols and returns the answer. A server that refuses
// to take it by POST gets it in the URL, in pieces: such is the one that package
// net/http/pprof installs, since Go 1.22.
func ask(ctx context.Context, url string, request []byte, client *http.Client) ([]byte, error) {
	answer, err := send(ctx, http.MethodPost, url, request, client)
	if !errors.Is(err, errMethod) {
		return answer, err
	}
	for len(request) > 0 {
		part := request
		if len(part) > maxQuery {
			part = part[:bytes.LastIndexByte(part[:maxQuery], '+')]
		}
		text, err := send(ctx, http.MethodGet, url+"?"+string(part), nil, client)
		if err != nil {
			return nil, err
		}
		answer = append(answer, text[:bytes.LastIndexByte(text, '\n')+1]...)
		request = bytes.TrimPrefix(request[len(part):], []byte("+"))
	}
	return answer, nil
}

func send(ctx context.Context, method, url string, body []byte, client *http.Client) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusMethodNotAllowed {
		return nil, errMethod
	}
	if resp.StatusCode != http.StatusOK {
		if resp.Header.Get("X-Go-Pprof") != "" && strings.Contains(resp.Header.Get("Content-Type"), "text/plain") {
			if text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10)); err == nil {
				return nil, fmt.Errorf("server response: %s - %s", resp.Status, text)
			}
		}
		return nil, errors.New("server response: " + resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
}
