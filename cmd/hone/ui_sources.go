package main

import (
	"bufio"
	"bytes"
	"context"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// uiEntries are the profiles that a web UI lists.
type uiEntries struct {
	all         []reports.Source
	shown, base []int // indexes in all
}

// newUIOpener returns what loads one entry. Entries are loaded at any time, each with its
// own messages.
func newUIOpener(a *app, inv *shell.Invocation, compat bool) *opener {
	l := newOpener(a, inv)
	l.compat = compat
	return l
}

// findUIEntries lists a command line's profiles. The first one shown is loaded now, so that
// its failure is a failure of the command. The sum of several sources comes first, then
// each of them. With a base, they are profiles to compare, and are not added up.
func findUIEntries(ctx context.Context, a *app, inv *shell.Invocation, compat bool) (*uiEntries, error) {
	newUIOpener(a, inv, compat) // which takes the program from the sources
	var e uiEntries
	named, err := runDirectories(ctx, a, inv.Sources)
	if err != nil {
		return nil, err
	}
	sources, dirs := splitDirectories(named)
	if len(inv.Base) == 0 {
		e.shown, err = e.add(ctx, a, inv, compat, sources, true)
		if errors.Is(err, profile.ErrNothingCommon) {
			a.warn("These profiles measure different things, so they are listed separately and not merged.")
			e.shown, err = e.add(ctx, a, inv, compat, sources, false)
			e.shown = e.shown[:min(1, len(e.shown))]
		}
	} else if e.shown, err = e.add(ctx, a, inv, compat, sources, false); err == nil {
		e.base, err = e.add(ctx, a, inv, compat, inv.Base, false)
	}
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		entries, err := directoryEntries(ctx, a, inv, compat, dir)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 && !experiment.IsRun(dir) {
			return nil, fmt.Errorf("%s: no profiles in this directory", dir)
		}
		var last error
		for _, entry := range entries {
			if len(e.shown) == 0 {
				// The first valid profile is shown. Others report their error when
				// they are opened.
				if entry.Ready, last = entry.Load(ctx); last == nil {
					e.shown = []int{len(e.all)}
				}
			}
			e.all = append(e.all, entry)
		}
		if len(e.shown) == 0 && last != nil {
			return nil, last
		}
	}
	return &e, nil
}

// directoryEntries lists the profiles in a directory, those of a run by what
// they are of.
func directoryEntries(ctx context.Context, a *app, inv *shell.Invocation, compat bool, dir string) ([]reports.Source, error) {
	if experiment.IsRun(dir) {
		return runEntries(ctx, a, inv, compat, dir)
	}
	files, err := profilesIn(dir)
	var entries []reports.Source
	for _, file := range files {
		name, err := filepath.Rel(dir, file)
		if err != nil {
			name = file
		}
		entries = append(entries, reports.Source{Name: name, Paths: []string{file}, Load: loadLater(a, inv, compat, file)})
	}
	return entries, err
}

// add appends sources, after their sum if merge is set. It returns the indexes of what to
// show.
func (e *uiEntries) add(ctx context.Context, a *app, inv *shell.Invocation, compat bool, sources []string, merge bool) ([]int, error) {
	if len(sources) == 0 {
		return nil, nil
	}
	l := newUIOpener(a, inv, compat)
	first := len(e.all)
	switch {
	case len(sources) == 1:
		p, err := l.merged(ctx, sources)
		if err == nil {
			p, err = l.finished(ctx, p)
		}
		if err != nil {
			return nil, err
		}
		e.all = append(e.all, readySource(shownName(sources[0]), p, sources[0]))
		return []int{first}, nil
	case merge && allFiles(sources):
		p, err := l.merged(ctx, sources)
		if err == nil {
			p, err = l.finished(ctx, p)
		}
		if err != nil {
			return nil, err
		}
		e.all = append(e.all, readySource(sumName(sources), p, sources...))
		for _, s := range sources {
			e.all = append(e.all, waitingSource(a, inv, compat, s))
		}
		return []int{first}, nil
	}
	// Another request would make a service measure again, so keep what was fetched.
	files, err := runFiles(ctx, a, sources)
	if err != nil {
		return nil, err
	}
	ps, err := l.loader.LoadEach(ctx, files)
	if err != nil {
		return nil, err
	}
	var loaded []*profile.Profile
	var added []string // their sources
	var entries []reports.Source
	var places []int // of what was loaded, without a sum
	for i, p := range ps {
		if p == nil { // already reported; tried again when it is opened
			entries = append(entries, waitingSource(a, inv, compat, sources[i]))
			continue
		}
		loaded, added = append(loaded, p), append(added, sources[i])
		if p, err = l.completed(ctx, p); err != nil {
			return nil, err
		}
		places = append(places, first+i)
		entries = append(entries, readySource(shownName(sources[i]), p, sources[i]))
	}
	if merge {
		p, err := profile.Sum(ctx, loaded...)
		if err == nil {
			p = l.averaged(p, len(loaded))
			p, err = l.finished(ctx, p)
		}
		if err != nil {
			return nil, err
		}
		e.all = append(append(e.all, readySource(sumName(sources), p, added...)), entries...)
		return []int{first}, nil
	}
	e.all = append(e.all, entries...)
	return places, nil
}

func readySource(name string, p *profile.Profile, sources ...string) reports.Source {
	return reports.Source{Name: name, Merged: len(sources), Paths: shownPaths(sources), Ready: p}
}

func waitingSource(a *app, inv *shell.Invocation, compat bool, source string) reports.Source {
	return reports.Source{Name: shownName(source), Paths: shownPaths([]string{source}), Load: loadLater(a, inv, compat, source)}
}

// shownPaths are sources as they can be given on a command line again, URLs without their
// passwords.
func shownPaths(sources []string) []string {
	var paths []string
	for _, s := range sources {
		if strings.Contains(s, "://") {
			s = shownName(s)
		}
		paths = append(paths, s)
	}
	return paths
}

func loadLater(a *app, inv *shell.Invocation, compat bool, source string) func(context.Context) (*profile.Profile, error) {
	return func(ctx context.Context) (*profile.Profile, error) {
		l := newUIOpener(a, inv, compat)
		p, err := l.merged(ctx, []string{source})
		if err != nil {
			return nil, err
		}
		return l.finished(ctx, p)
	}
}

// sumName is the name of the sum of sources.
func sumName(sources []string) string {
	return fmt.Sprintf("%s and %d more", shownName(sources[0]), len(sources)-1)
}

// shownName is the name of a source on pages: without a password, and for a file without
// its directories.
func shownName(source string) string {
	switch {
	case source == "-":
		return "standard input"
	case strings.Contains(source, "://"):
		if u, err := url.Parse(source); err == nil {
			return u.Redacted()
		}
		return "a service"
	}
	if _, err := os.Stat(source); err == nil {
		return filepath.Base(source)
	}
	return source
}

func allFiles(sources []string) bool {
	for _, s := range sources {
		if info, err := os.Stat(s); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// splitDirectories returns the sources that are directories apart.
func splitDirectories(sources []string) (others, dirs []string) {
	for _, s := range sources {
		if info, err := os.Stat(s); err == nil && info.IsDir() {
			dirs = append(dirs, s)
		} else {
			others = append(others, s)
		}
	}
	return others, dirs
}

// Limits of the search in a directory.
const (
	dirDepth = 2 // levels of directories below it
	dirFiles = 10_000
)

// profilesIn returns the files in a directory, and in those below it, that look
// like profiles from inside, sorted.
func profilesIn(dir string) ([]string, error) {
	var files []string
	seen := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == dir {
				return err
			}
			return nil // ignore what can't be read
		}
		if d.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(rel, string(filepath.Separator)) >= dirDepth) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if seen++; seen > dirFiles {
			return fmt.Errorf("%s: more than %d files", dir, dirFiles)
		}
		if looksLikeProfile(name) {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// looksLikeProfile checks the first bytes of a file. Old formats start with their name, and
// protobuf with a value type, perhaps after a few numbers such as the time.
func looksLikeProfile(name string) bool {
	f, err := infile.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var r io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(in); err != nil {
			return false
		}
	}
	head := make([]byte, 64)
	n, _ := io.ReadFull(r, head)
	head = head[:n]
	if beginsWithValueType(head) {
		return true
	}
	for _, start := range []string{
		"heap profile:", "goroutine profile:", "goroutineleak profile:", "threadcreate profile:", "goroutine ",
		"panic: ", "fatal error: ", "SIGQUIT: ", // what the runtime prints before a dump of goroutines
		"--- mutex:", "--- contention", "--- heap", "--- growth", "--- Memory map:",
	} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	return false
}

// beginsWithValueType reports whether the first field of a message that isn't a number is a
// profile's value type: field 1 or 11, a short message that starts with a number.
func beginsWithValueType(message []byte) bool {
	for len(message) > 3 {
		tag := message[0]
		if tag&7 == 0 && tag>>3 >= 7 && tag>>3 <= 15 {
			_, n := encoding.Uvarint(message[1:])
			if n <= 0 {
				return false
			}
			message = message[1+n:]
			continue
		}
		return (tag == 1<<3|2 || tag == 11<<3|2) && message[1] < 0x20 && (message[2] == 1<<3 || message[2] == 2<<3)
	}
	return false
}

// runEntries lists the profiles of a run, heads before bases, because the first one is
// shown first.
func runEntries(ctx context.Context, a *app, inv *shell.Invocation, compat bool, dir string) ([]reports.Source, error) {
	run, err := experiment.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, problem := range run.Problems {
		a.warn(fmt.Sprintf("%s is partial: %s", dir, problem))
	}
	var heads, bases []reports.Source
	for _, f := range run.Profiles() {
		entry := runs.Source(run, f, loadLater(a, inv, compat, f.Path))
		if f.Side == experiment.Base {
			bases = append(bases, entry)
		} else {
			heads = append(heads, entry)
		}
	}
	return append(heads, bases...), nil
}
