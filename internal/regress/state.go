package regress

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/temporary"
)

// The states of a regression.
const (
	Open         = "open"
	Acknowledged = "acknowledged" // a person knows about it
	Resolved     = "resolved"     // the cost is as before
)

// An Entry is a regression that was found, and its state.
type Entry struct {
	Regression
	State string `json:"state"`
	// Opened is when it was found, the last time: a resolved regression can come back. In ns
	// since 1970.
	Opened   int64 `json:"opened,omitempty"`
	Resolved int64 `json:"resolved,omitempty"` // ns since 1970
	Acknowledgement
}

// An Acknowledgement says who knows about a regression, and what they say about it. It is
// kept when the regression is resolved.
type Acknowledgement struct {
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	At     int64  `json:"acknowledged,omitempty"` // ns since 1970
}

// Limits of what is kept.
const (
	maxEntries   = 5000
	maxStateFile = 64 << 20
	// keepResolved is how long resolved regressions are kept.
	keepResolved = 90 * day
)

// State remembers regressions, and what was compared. It is kept in a file, which it reads
// when it is first used. Its methods may be called concurrently.
type State struct {
	file string
	log  func(string)

	mu      sync.Mutex
	loaded  bool
	err     error // of reading the file
	entries []Entry
	done    map[string]int64 // by comparison: the end of the time compared, ns since 1970
}

// stateFile is the content of the file.
type stateFile struct {
	Version     int              `json:"version"`
	Regressions []Entry          `json:"regressions"`
	Compared    map[string]int64 `json:"compared"`
}

const stateVersion = 1

// NewState returns the state in a file. If file is "", the state is only in memory.
func NewState(file string, log func(string)) *State { return &State{file: file, log: log} }

// ErrUnknown means that no regression has the ID.
var ErrUnknown = errors.New("unknown regression")

// load reads the file once. The caller holds the lock.
func (s *State) load() error {
	if s.loaded {
		return s.err
	}
	s.loaded, s.done = true, map[string]int64{}
	if s.file == "" {
		return nil
	}
	var f stateFile
	found, damage, err := durable.Load(s.file, maxStateFile, func(data []byte) error {
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		if f.Version > stateVersion {
			return fmt.Errorf("%s was written by a newer hone: %w", s.file, durable.ErrKeep)
		}
		return nil
	})
	if damage != nil {
		s.log(damage.String() + "; regressions of the last hours are found again, acknowledgements are lost")
	}
	if found {
		s.entries = f.Regressions
		if f.Compared != nil {
			s.done = f.Compared
		}
	}
	s.err = err
	return err
}

// write writes the file. The caller holds the lock.
func (s *State) write() error {
	if s.file == "" {
		return nil
	}
	data, err := json.Marshal(stateFile{Version: stateVersion, Regressions: s.entries, Compared: s.done})
	if err != nil {
		return err
	}
	return temporary.ReplaceText(s.file, 0o600, append(data, '\n'))
}

// List returns all regressions, the latest first.
func (s *State) List() ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	out := slices.Clone(s.entries)
	slices.Reverse(out)
	return out, nil
}

// Acknowledge records that a person knows about an open regression. It doesn't change
// others: the first acknowledgement stays.
func (s *State) Acknowledge(id string, a Acknowledgement) (Entry, error) {
	return s.change(id, Open, func(e *Entry) { e.State, e.Acknowledgement = Acknowledged, a })
}

// Unacknowledge opens an acknowledged regression again. It doesn't change others.
func (s *State) Unacknowledge(id string) (Entry, error) {
	return s.change(id, Acknowledged, func(e *Entry) { e.State, e.Acknowledgement = Open, Acknowledgement{} })
}

// change changes a regression that has a state, and returns it.
func (s *State) change(id, state string, change func(*Entry)) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return Entry{}, err
	}
	i := slices.IndexFunc(s.entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, ErrUnknown
	}
	if s.entries[i].State != state {
		return s.entries[i], nil
	}
	old := s.entries[i]
	change(&s.entries[i])
	if err := s.write(); err != nil {
		s.entries[i] = old
		return Entry{}, err
	}
	return s.entries[i], nil
}

// A Watched is a kind of profile of a service that was compared.
type Watched struct {
	Service, Kind string
	Until         int64 // end of the latest time that was compared, ns since 1970
}

// Watched returns what was compared in the last days, in no order.
func (s *State) Watched() ([]Watched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	latest := map[[2]string]int64{}
	for name, until := range s.done {
		// See due: a service and a kind, and for a version its name.
		if parts := strings.Split(name, "\x00"); len(parts) > 1 {
			of := [2]string{parts[0], parts[1]}
			latest[of] = max(latest[of], until)
		}
	}
	out := make([]Watched, 0, len(latest))
	for of, until := range latest {
		out = append(out, Watched{of[0], of[1], until})
	}
	return out, nil
}

// compared returns until when a comparison was made, 0 if never.
func (s *State) compared(name string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.load()
	return s.done[name], err
}

// record keeps what a comparison found, and returns how many regressions are new.
func (s *State) record(name string, until int64, found []Regression) (added int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return 0, err
	}
	s.done[name] = until
	for _, r := range found {
		if s.add(r) {
			added++
		}
	}
	s.expire(until)
	return added, s.write()
}

// add adds a regression or updates it, and reports whether it is new.
func (s *State) add(r Regression) bool {
	for i := range s.entries {
		if e := &s.entries[i]; e.ID == r.ID {
			e.update(r)
			if e.State == Resolved {
				e.State, e.Opened, e.Resolved = Open, r.Found, 0
			}
			return false
		}
	}
	for i := range s.entries {
		e := &s.entries[i]
		if e.Service != r.Service || e.Kind != r.Kind {
			continue
		}
		known := e.Function == r.Function || e.hasCause(r.Function)
		switch {
		case known && e.Version != r.Version && e.State != Resolved && r.Version == "":
			return false // its version is known
		case known && r.Version != "" && e.State != Resolved && e.Since > r.From && e.Since < r.Since:
			return false // an earlier version began it in the time before
		case known && r.Version == "" && r.Since-e.Since < 8*day:
			return false // the week that the drift was compared over began before it
		case (known || r.hasCause(e.Function)) && r.Version != "" && r.Version == e.Version && e.State != Resolved:
			e.update(r) // a look with more profiles names another function of the same change
			return false
		}
	}
	s.entries = append(s.entries, Entry{Regression: r, State: Open, Opened: r.Found})
	return true
}

// update sets what was found of a regression the last time.
func (e *Entry) update(r Regression) {
	r.ID, r.Found = e.ID, e.Found
	e.Regression = r
}

// hasCause reports whether a function is among the causes: what it costs more is part of the
// same change.
func (r *Regression) hasCause(function string) bool {
	return slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Function == function && !c.Caller })
}

// expire drops what is too old, and what exceeds the limits: resolved regressions first.
func (s *State) expire(now int64) {
	s.entries = slices.DeleteFunc(s.entries, func(e Entry) bool { return e.State == Resolved && now-e.Resolved > keepResolved })
	for len(s.entries) > maxEntries {
		i := max(0, slices.IndexFunc(s.entries, func(e Entry) bool { return e.State == Resolved }))
		s.entries = slices.Delete(s.entries, i, i+1)
	}
	for name, until := range s.done {
		if now-until > 10*day {
			delete(s.done, name)
		}
	}
}

// resolve marks a regression as resolved.
func (s *State) resolve(id string, now int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entries {
		if e := &s.entries[i]; e.ID == id {
			e.State, e.Resolved = Resolved, now
		}
	}
	return s.write()
}
