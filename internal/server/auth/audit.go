package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/durable"
)

// An Event is a line of the audit log: who did what, when, and with what result.
type Event struct {
	Time    time.Time `json:"time"`
	Action  string    `json:"action"`        // login, logout, token.add, marker.remove, config.reload, denied, ...
	Result  string    `json:"result"`        // ok, denied or failed
	Who     string    `json:"who,omitempty"` // name of the token or user
	By      By        `json:"by,omitempty"`  // how they were authenticated
	Address string    `json:"address,omitempty"`
	Target  string    `json:"target,omitempty"` // the object of the action
	Detail  string    `json:"detail,omitempty"`
}

// ProxyConnect is the action of connecting through the proxy.
const ProxyConnect = "proxy.connect"

// Results of events.
const (
	OK     = "ok"
	Denied = "denied"
	Failed = "failed"
)

// Audit is the audit log, a file with a JSON object per line that only its owner may
// read. A file that reaches the size limit is renamed, and only the newest five
// renamed files are kept. A nil Audit drops events.
type Audit struct {
	path  string
	limit int64
	warn  func(error)

	mu     sync.Mutex
	file   *os.File
	size   int64
	closed bool
	second int64 // the second in which limited events are counted
	logged int   // limited events written in that second
	left   int   // limited events left out and not reported yet
}

const (
	auditFiles = 5
	// limitedPerSecond limits the events that anyone can cause: denials, failures and
	// connections through the proxy. Others are counted, and one line reports how many.
	limitedPerSecond = 20
	// maxField is the maximum length of a field, in bytes.
	maxField = 1 << 10
)

// OpenAudit opens an audit log whose files have at most limit bytes. It calls warn
// with errors of writing.
func OpenAudit(path string, limit int64, warn func(error)) (*Audit, error) {
	a := &Audit{path: path, limit: limit, warn: warn}
	return a, a.open()
}

func (a *Audit) open() error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	// Only regular files are opened, because opening a pipe may block forever.
	if info, err := os.Stat(a.path); err == nil && !info.Mode().IsRegular() {
		to, err := durable.SetAside(a.path)
		if err != nil {
			return err
		}
		a.warn(fmt.Errorf("the audit log %s was not a regular file: hone moved it to %s and started a new one", a.path, to))
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

// Log adds an event. If it has no time, it gets the current one.
func (a *Audit) Log(e Event) {
	if a == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if (e.Result != OK || e.Action == ProxyConnect) && !a.mayLog(e.Time) {
		return
	}
	if err := a.write(e); err != nil {
		a.warn(fmt.Errorf("the audit log can't be written: %w", err))
	}
}

// mayLog reports whether an event that anyone can cause is within the limit of its
// second. It first reports how many events were left out before.
func (a *Audit) mayLog(t time.Time) bool {
	if second := t.Unix(); second != a.second {
		a.tellLeft(t)
		a.second, a.logged = second, 0
	}
	if a.logged++; a.logged <= limitedPerSecond {
		return true
	}
	if a.left++; a.left == 1 {
		time.AfterFunc(2*time.Second, func() { // in case no other event follows
			a.mu.Lock()
			defer a.mu.Unlock()
			a.tellLeft(time.Now().UTC())
		})
	}
	return false
}

// tellLeft logs how many events were left out.
func (a *Audit) tellLeft(t time.Time) {
	if a.left == 0 || a.closed {
		return
	}
	if err := a.write(Event{Time: t, Action: Denied, Result: Denied, Detail: fmt.Sprintf("and %d more events", a.left)}); err != nil {
		a.warn(fmt.Errorf("the audit log can't be written: %w", err))
	}
	a.left = 0
}

// ShownJSON returns JSON for people to read. It escapes characters that control a terminal, and
// those that reverse or hide text. Package json escapes control characters only up to U+001F.
func ShownJSON(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func (a *Audit) write(e Event) error {
	for _, field := range []*string{&e.Action, &e.Who, &e.Address, &e.Target, &e.Detail} {
		if len(*field) > maxField {
			*field = strings.ToValidUTF8((*field)[:maxField], "") + "..."
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(ShownJSON(line), '\n')
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
	n, err := a.file.Write(line) // in one write, so that lines of several processes don't mix
	a.size += int64(n)
	return err
}

func (a *Audit) rotate() error {
	a.file.Close()
	a.file = nil
	name := func(i int) string { return fmt.Sprintf("%s.%d", a.path, i) }
	for i := auditFiles - 1; i >= 1; i-- {
		if err := durable.Rename(name(i), name(i+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := durable.Rename(a.path, name(1)); err != nil {
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
	a.tellLeft(time.Now().UTC())
	a.closed = true
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}

// EventOf returns an event caused by a request.
func EventOf(r *http.Request, action, result string) Event {
	e := Event{Action: action, Result: result, Address: addressOf(r)}
	if p := From(r.Context()); p != nil {
		e.Who, e.By = p.Name, p.By
	}
	return e
}
