package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hone-go/hone/internal/regress"
)

// A receiver is a server behind a fake network. It answers with the status that is set, and
// keeps what it took.
type receiver struct {
	mu      sync.Mutex
	status  int
	header  http.Header
	refuses string // bodies with this text are refused
	asked   []time.Time
	got     []string // "what id" of each event, or "id firing" and "id ended" of each alert
}

func (f *receiver) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, time.Now())
	answer := func(status int) *http.Response {
		return &http.Response{StatusCode: status, Header: f.header, Body: io.NopCloser(strings.NewReader("said so")), Request: r}
	}
	switch {
	case f.status == 0:
		return nil, errors.New("connection refused")
	case f.refuses != "" && strings.Contains(string(body), f.refuses):
		return answer(http.StatusBadRequest), nil
	case f.status == http.StatusOK:
		f.take(r, body)
	}
	return answer(f.status), nil
}

func (f *receiver) take(r *http.Request, body []byte) {
	if strings.HasSuffix(r.URL.Path, alertsPath) {
		var all []alert
		if err := json.Unmarshal(body, &all); err != nil {
			panic(err)
		}
		for _, a := range all {
			state := "ended"
			if a.EndsAt.After(time.Now()) {
				state = "firing " + time.Until(a.EndsAt).String()
			}
			f.got = append(f.got, a.Labels["regression"]+" "+state)
		}
		return
	}
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		panic(err)
	}
	for _, e := range n.Events {
		f.got = append(f.got, e.Regression.ID+" "+e.Event)
	}
}

// answers sets what the receiver answers from now on, and forgets what it got.
func (f *receiver) answers(status int, header http.Header) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.header, f.got, f.asked = status, header, nil, nil
}

// taken returns what the receiver got since the last call, and how often it was asked.
func (f *receiver) taken() (got string, asked int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	got, asked = strings.Join(f.got, ", "), len(f.asked)
	f.got, f.asked = nil, nil
	return got, asked
}

// A world has a notifier with one target, and regressions that a test changes.
type world struct {
	t        *testing.T
	receiver *receiver
	cfg      Config
	notifier *Notifier
	stop     func()

	mu      sync.Mutex
	entries []regress.Entry
	lines   []string // of the log
}

func newWorld(t *testing.T, format string) *world {
	w := &world{t: t, receiver: &receiver{status: http.StatusOK}}
	w.cfg = Config{
		Targets: []Target{{Name: "x", Format: format, URL: "http://receiver.example/path"}}, Page: "http://hone.example/", File: filepath.Join(t.TempDir(), "notifications.json"),
		List: func() ([]regress.Entry, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.Clone(w.entries), nil
		},
		Log:       func(line string) { w.mu.Lock(); defer w.mu.Unlock(); w.lines = append(w.lines, line) },
		Transport: w.receiver,
	}
	return w
}

// start starts the notifier, as a new process does.
func (w *world) start() {
	var err error
	if w.notifier, err = New(w.cfg); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.notifier.Run(ctx)
	}()
	w.stop = func() { cancel(); <-done }
}

// set changes the regressions.
func (w *world) set(entries ...regress.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = entries
}

// after waits, and returns what came meanwhile and how often the receiver was asked.
func (w *world) after(d time.Duration) (got string, asked int) {
	time.Sleep(d)
	synctest.Wait()
	return w.receiver.taken()
}

// want fails the test unless the receiver gets something within a time.
func (w *world) want(what string, within time.Duration, want string) {
	w.t.Helper()
	if got, _ := w.after(within); got != want {
		w.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}

// TestMessages follows regressions that are told in JSON: each opening and each end once, also
// over restarts.
func TestMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, JSON)
		at := time.Now().UnixNano()
		w.start()
		w.want("no regressions", time.Hour, "")
		w.set(found("a", regress.Open, at), found("b", regress.Open, at+1))
		w.want("two", look, "a opened, b opened")
		w.stop()
		w.start()
		w.want("after a restart", time.Hour, "")
		w.set(over("a", at, time.Now().UnixNano()), found("b", regress.Acknowledged, at+1))
		w.want("one is over, one is acknowledged", time.Hour, "a resolved")
		w.set(over("a", at, at), found("b", regress.Open, at+1))
		w.want("the acknowledgement is taken back", time.Hour, "")
		w.set(over("a", at, at), found("b", regress.Acknowledged, at+1))
		w.want("and given again", time.Hour, "")
		w.set(over("a", at, at), over("b", at+1, time.Now().UnixNano()))
		w.want("an acknowledged one is over", time.Hour, "")
		w.set(over("a", at, at), found("b", regress.Open, time.Now().UnixNano()))
		w.want("it is back", time.Hour, "b opened")
		w.stop()
		if s := w.notifier.Status()[0]; s.Sent != 2 || s.Failed != 0 || s.Waiting != 0 || w.logged() != "" {
			t.Errorf("%+v, %s", s, w.logged())
		}
	})
}

// TestAlerts follows regressions that an Alertmanager is told: they are repeated while they are
// open, and end.
func TestAlerts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Alertmanager)
		at := time.Now().UnixNano()
		w.start()
		w.set(found("a", regress.Open, at), found("b", regress.Open, at+1))
		w.want("two", look, "a firing 4m0s, b firing 4m0s")
		w.want("a minute later", time.Minute, "a firing 4m0s, b firing 4m0s")
		w.set(found("a", regress.Acknowledged, at), over("b", at+1, time.Now().UnixNano()))
		w.want("both end", look, "a ended, b ended")
		w.want("nothing is repeated", time.Hour, "")
		w.set(found("a", regress.Open, at), over("b", at+1, at))
		w.want("the acknowledgement is taken back", look, "a firing 4m0s")
		w.set(found("a", regress.Acknowledged, at), over("b", at+1, at))
		w.want("and given again", look, "a ended")
		w.stop()
		w.set(found("a", regress.Acknowledged, at), found("b", regress.Open, time.Now().UnixNano()))
		w.cfg.Targets[0].Repeat = Duration(2 * time.Second)
		w.start()
		w.want("after a restart", time.Second, "b firing 8s")
		w.want("repeated more often", 4*time.Second, "b firing 8s, b firing 8s")
		w.stop()
	})
}

// TestFailures checks what happens if a target fails: when it is asked again, and what the log
// and the counts say.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, JSON)
		w.set(found("a", regress.Open, time.Now().UnixNano()))
		w.receiver.answers(0, nil)
		w.start()
		// 1+2+4+8+16 s, each up to a quarter more or less.
		if got, asked := w.after(30 * time.Second); got != "" || asked < 5 || asked > 6 {
			t.Errorf("in half a minute: %q, asked %d times", got, asked)
		}
		if _, asked := w.after(10 * time.Hour); asked < 95 || asked > 165 {
			t.Errorf("in ten hours: asked %d times, want about 120", asked)
		}
		if s := w.notifier.Status()[0]; s.Failed < 100 || s.Waiting != 1 || s.Error != "connection refused" || strings.Count(w.logged(), "connection refused") != 1 {
			t.Errorf("%+v, the log has %q", s, w.logged())
		}
		w.receiver.answers(http.StatusTooManyRequests, http.Header{"Retry-After": {"1800"}})
		w.after(10 * time.Minute)
		if got, asked := w.after(100 * time.Minute); got != "" || asked < 3 || asked > 4 {
			t.Errorf("with Retry-After: %q, asked %d times, want every half hour", got, asked)
		}
		w.receiver.answers(http.StatusOK, nil)
		w.want("it works again", time.Hour, "a opened")
		if s := w.notifier.Status()[0]; s.Sent != 1 || s.Waiting != 0 || s.Error != "" || !strings.Contains(w.logged(), `"x" work again`) {
			t.Errorf("%+v, the log has %q", s, w.logged())
		}
		w.receiver.answers(http.StatusServiceUnavailable, nil)
		w.set(found("b", regress.Open, time.Now().UnixNano()))
		w.after(25 * time.Hour)
		w.receiver.answers(http.StatusOK, nil)
		w.want("a day later it is useless", time.Hour, "")
		if s := w.notifier.Status()[0]; s.Dropped != 1 || s.Waiting != 0 || !strings.Contains(w.logged(), "regression b, opened: it failed for 24h") {
			t.Errorf("%+v, the log has %q", s, w.logged())
		}
		w.stop()
	})
}

// TestRefused checks that an event that a target refuses doesn't keep others back, and that
// many events don't come in one request.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, JSON)
		at := time.Now().UnixNano()
		w.receiver.refuses = "bad"
		w.set(found("a", regress.Open, at), found("bad", regress.Open, at+1), found("c", regress.Open, at+2))
		w.start()
		w.want("one of three is refused", time.Minute, "a opened, c opened")
		if s := w.notifier.Status()[0]; s.Dropped != 1 || s.Sent != 2 || !strings.Contains(w.logged(), "regression bad, opened: 400 Bad Request: said so") {
			t.Errorf("%+v, the log has %q", s, w.logged())
		}
		var all []regress.Entry
		for i := range 50 {
			all = append(all, found(fmt.Sprint(i), regress.Open, at))
		}
		w.set(all...)
		got, asked := w.after(look)
		if strings.Count(got, "opened") != 50 || asked != 3 {
			t.Errorf("50 events: %d in %d requests", strings.Count(got, "opened"), asked)
		}
		w.stop()
	})
}
