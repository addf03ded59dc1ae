package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

// A Store is where advice is kept: a folder beside that of the runs.
//
//	.hone/advice/
//	  last.json      the findings given last, with their rewrites
//	  shown.json     those that pages showed, of several runs or services
//	  history.jsonl  what became of rewrites, a Result a line, the newest last
//	  ID.patch       rewrites that were confirmed
//	  ID.pgo         the profile for the compiler that a finding is about
type Store struct{ Dir string }

// Last is what is kept of the advice given last.
type Last struct {
	// Dir is the folder of the module at that time. Findings name files absolutely; those
	// below it are read as being where the module is now.
	Dir      string           `json:"dir"`
	Findings []advice.Finding `json:"findings"`
	// Files are the texts of the rewrites' files by finding, which Finding doesn't carry.
	Files map[string][]advice.Text `json:"files"`
	// Benchmarks are the subjects that are benchmarks.
	Benchmarks map[string]Benchmark `json:"benchmarks"`
}

// Profile is the file of the profile for the compiler that a finding is about.
func (s Store) Profile(f *advice.Finding) string { return filepath.Join(s.Dir, f.ID+".pgo") }

// Keep writes the findings given last.
func (s Store) Keep(r *advice.Report, benchmarks map[string]Benchmark) error {
	last, err := s.last(r, benchmarks)
	if err != nil {
		return err
	}
	return s.write(lastFile, last)
}

// maxStored bounds the files of a store. They have the texts of rewritten files, twice for
// each finding.
const maxStored = 256 << 20

const (
	lastFile  = "last.json"
	shownFile = "shown.json"
	// maxShown is how many reports are kept that pages showed.
	maxShown = 8
)

// Show adds findings that a page shows: hone fix finds them by their IDs, while what was
// given last stays what it is.
func (s Store) Show(r *advice.Report, benchmarks map[string]Benchmark) error {
	shown, err := s.shown()
	if err != nil {
		shown = nil // it is written anew
	}
	same := func(l *Last) bool {
		return slices.EqualFunc(l.Findings, r.Findings, func(a, b advice.Finding) bool { return a.ID == b.ID })
	}
	shown = slices.DeleteFunc(shown, same)
	last, err := s.last(r, benchmarks)
	if err != nil {
		return err
	}
	shown = append([]*Last{last}, shown...)
	return s.write(shownFile, shown[:min(len(shown), maxShown)])
}

func (s Store) last(r *advice.Report, benchmarks map[string]Benchmark) (*Last, error) {
	dir, err := s.module()
	if err != nil {
		return nil, err
	}
	last := &Last{Dir: dir, Findings: r.Findings, Files: make(map[string][]advice.Text), Benchmarks: benchmarks}
	for _, f := range r.Findings {
		if f.Fix != nil {
			last.Files[f.ID] = f.Fix.Texts()
		}
	}
	return last, nil
}

// module is the absolute folder of the module that the store is in.
func (s Store) module() (string, error) { return filepath.Abs(filepath.Join(s.Dir, "..", "..")) }

// write writes a file in one step: others may read it meanwhile.
func (s Store) write(file string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := s.make(); err != nil {
		return err
	}
	return temporary.ReplaceText(filepath.Join(s.Dir, file), 0o600, text)
}

func (s Store) make() error {
	return errors.Join(experiment.HideStore(s.Dir), os.MkdirAll(s.Dir, 0o777))
}

// Last reads the findings given last.
func (s Store) Last() (*Last, error) {
	last := new(Last)
	if err := s.read(lastFile, last); errors.Is(err, fs.ErrNotExist) {
		return nil, errNoAdvice
	} else if err != nil {
		return nil, err
	}
	return last, s.restore(last)
}

var errNoAdvice = errors.New("there are no findings here yet: run hone advise first")

// All are the findings that are kept: those given last, then those that pages and editors showed, the newest
// first. There are none if no advice was given.
func (s Store) All() (all []*Last, err error) {
	last, err := s.Last()
	if err == nil {
		all = append(all, last)
	} else if !errors.Is(err, errNoAdvice) {
		return nil, err
	}
	shown, err := s.shown()
	return append(all, shown...), err
}

// shown reads the findings that pages showed, the newest first.
func (s Store) shown() (shown []*Last, err error) {
	if err := s.read(shownFile, &shown); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, l := range shown {
		if err := s.restore(l); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

func (s Store) read(file string, v any) error {
	name := filepath.Join(s.Dir, file)
	text, err := infile.ReadFile(context.Background(), name, maxStored)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w; hone advise writes it again", name, err)
	}
	return nil
}

// restore gives findings the texts of their rewrites, and files that lie where the module
// is now: of a copy, or one that was moved, not the files elsewhere are to be changed.
func (s Store) restore(l *Last) error {
	dir, err := s.module()
	if err != nil {
		return err
	}
	move := func(file *string) {
		if below, ok := strings.CutPrefix(*file, l.Dir+string(filepath.Separator)); ok && l.Dir != "" {
			*file = filepath.Join(dir, below)
		}
	}
	for i := range l.Findings {
		f := &l.Findings[i]
		move(&f.File)
		moveCallers(f.Evidence.Callers, move)
		if f.Fix != nil {
			if err := f.Fix.SetTexts(l.Files[f.ID]); err != nil {
				return fmt.Errorf("%s: the rewrite of %s is incomplete: %w; hone advise writes it again", s.Dir, f.ID, err)
			}
			for i := range f.Fix.Files {
				move(&f.Fix.Files[i].File)
			}
		}
	}
	return nil
}

func moveCallers(callers []advice.Caller, move func(*string)) {
	for i := range callers {
		move(&callers[i].File)
		moveCallers(callers[i].Callers, move)
	}
}

// Find returns the finding with an id, or one that begins like it, and the benchmarks
// there are: of the advice given last, or else of what pages showed.
func (s Store) Find(id string) (*advice.Finding, map[string]Benchmark, error) {
	last, err := s.Last()
	if errors.Is(err, errNoAdvice) {
		last = new(Last)
	} else if err != nil {
		return nil, nil, err
	}
	shown, serr := s.shown()
	if serr != nil {
		return nil, nil, serr
	}
	if err != nil && len(shown) == 0 {
		return nil, nil, err
	}
	for _, l := range append([]*Last{last}, shown...) {
		if f, err := l.Find(id); !errors.Is(err, errNoFinding) {
			return f, l.Benchmarks, err
		}
	}
	return nil, nil, fmt.Errorf("%q: %w", id, errNoFinding)
}

var errNoFinding = errors.New("no such finding in the latest advice: hone advise lists the findings")

// Find returns the finding with an id, or one that begins like it.
func (l *Last) Find(id string) (*advice.Finding, error) {
	var found []*advice.Finding
	for i := range l.Findings {
		f := &l.Findings[i]
		if f.ID == id {
			return f, nil
		}
		if strings.HasPrefix(f.ID, id) || strings.HasSuffix(f.ID, "-"+id) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("%q: %w", id, errNoFinding)
	}
	return nil, fmt.Errorf("%d findings begin with %q: %s, %s …", len(found), id, found[0].ID, found[1].ID)
}

// Record appends a result to the history, and writes the patch of what was kept.
func (s Store) Record(r *Result, f *advice.Finding) error {
	if err := s.make(); err != nil {
		return err
	}
	if r.Kept && f.Fix != nil {
		r.Patch = filepath.Join(s.Dir, f.ID+".patch")
		if err := temporary.ReplaceText(r.Patch, 0o644, mailText(r, f, author(s.Dir), fromTop(f.Fix))); err != nil {
			return err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	h, err := os.OpenFile(s.history(), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	if lacksNewline(h) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = h.Write(append(line, '\n'))
	return errors.Join(err, h.Close())
}

func (s Store) history() string { return filepath.Join(s.Dir, "history.jsonl") }

// lacksNewline reports whether the last line of a file has no end: who wrote it was killed.
func lacksNewline(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// History returns all results, the newest last. Lines that hone was killed over are left
// out; of others that are no results unread has a sentence each.
func (s Store) History() (all []Result, unread []string, err error) {
	text, err := infile.ReadFile(context.Background(), s.history(), maxStored)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		var r Result
		if err := json.Unmarshal(line, &r); err != nil && isTorn(line) {
			continue
		} else if err != nil {
			unread = append(unread, fmt.Sprintf("%s:%d: not a result of hone fix, so it is ignored: %v", s.history(), n, err))
			continue
		}
		all = append(all, r)
	}
	return all, unread, nil
}

// isTorn reports whether a line is the beginning of a result.
func isTorn(line []byte) bool {
	err := json.NewDecoder(bytes.NewReader(bytes.TrimSuffix(line, []byte{'\n'}))).Decode(new(json.RawMessage))
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// Mark sets the states of findings to what the history says of them last. What was kept
// says nothing of a finding that is there: it is another of the same line, which an ID can't
// tell from it, or the rewrite was taken back.
func Mark(findings []advice.Finding, history []Result) {
	for i := range findings {
		f := &findings[i]
		for _, r := range slices.Backward(history) {
			if r.Finding == f.ID {
				if r.Kept {
					break
				}
				f.State = r.State
				f.Caveats = append(f.Caveats, fmt.Sprintf("%s on %s: %s", r.State, r.Time.Format("2006-01-02"), r.Why))
				break
			}
		}
	}
}
