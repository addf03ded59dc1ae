package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// An Event is a line of the audit log: who did what, when, and what came of it.
type Event struct {
	Time    time.Time `json:"time"`
	Action  string    `json:"action"`        // login, logout, token.add, marker.remove, config.reload, denied, ...
	Result  string    `json:"result"`        // ok, denied or failed
	Who     string    `json:"who,omitempty"` // name of the token or user
	By      By        `json:"by,omitempty"`  // how they showed it
	Address string    `json:"address,omitempty"`
	Target  string    `json:"target,omitempty"` // what it was done to
	Detail  string    `json:"detail,omitempty"`
}

// Results of events.
const (
	OK     = "ok"
	Denied = "denied"
	Failed = "failed"
)

// Audit is the audit log, a file with a JSON object per line that the user alone
// may read. When it has grown to its limit it is renamed, and the oldest of five
// such files is removed. A nil Audit keeps nothing.
type Audit struct {
	path  string
	limit int64
	warn  func(error)

	mu      sync.Mutex
	file    *os.File
	size    int64
	second  int64 // that denials are counted in
	denials int
	dropped int
}

const (
	auditFiles = 5
	// deniedPerSecond bounds what someone without a token can have written:
	// more than those are counted, and told in one line.
	deniedPerSecond = 20
)

// OpenAudit opens an audit log of at most limit bytes a file. warn is told what
// can't be written.
func OpenAudit(path string, limit int64, warn func(error)) (*Audit, error) {
	a := &Audit{path: path, limit: limit, warn: warn}
	return a, a.open()
}

func (a *Audit) open() error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		err = ownAsFolder(a.path)
	}
	if err != nil {
		f.Close()
		return err
	}
	a.file, a.size = f, info.Size()
	return nil
}

// Log adds an event. Its time is now if it has none.
func (a *Audit) Log(e Event) {
	if a == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if e.Action == Denied && !a.mayLogDenied(e.Time) {
		return
	}
	if err := a.write(e); err != nil {
		a.warn(fmt.Errorf("the audit log can't be written: %w", err))
	}
}

// mayLogDenied reports whether a denial is one of few in its second. What was
// left out before is told first.
func (a *Audit) mayLogDenied(t time.Time) bool {
	if second := t.Unix(); second != a.second {
		left := a.dropped
		a.second, a.denials, a.dropped = second, 0, 0
		if left > 0 {
			if err := a.write(Event{Time: t, Action: Denied, Result: Denied, Detail: fmt.Sprintf("and %d more requests", left)}); err != nil {
				a.warn(err)
			}
		}
	}
	if a.denials++; a.denials > deniedPerSecond {
		a.dropped++
		return false
	}
	return true
}

func (a *Audit) write(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if a.file == nil {
		if err := a.open(); err != nil {
			return err
		}
	}
	if a.limit > 0 && a.size > 0 && a.size+int64(len(line)) > a.limit {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	n, err := a.file.Write(line) // in one piece, so that lines of several processes stay apart
	a.size += int64(n)
	return err
}

func (a *Audit) rotate() error {
	a.file.Close()
	a.file = nil
	name := func(i int) string { return fmt.Sprintf("%s.%d", a.path, i) }
	for i := auditFiles - 1; i >= 1; i-- {
		if err := os.Rename(name(i), name(i+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(a.path, name(1)); err != nil {
		return err
	}
	return a.open()
}

// Close closes the file.
func (a *Audit) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}

// EventOf returns an event of a request.
func EventOf(r *http.Request, action, result string) Event {
	e := Event{Action: action, Result: result, Address: r.RemoteAddr}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		e.Address = host
	}
	if p := From(r.Context()); p != nil {
		e.Who, e.By = p.Name, p.By
	}
	return e
}
