package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestNothingIsLostWhileTheServerRestarts(t *testing.T) {
	r := newReceiver(t)
	d := newDownServer(t)
	c := testConfig(t, "http://"+d.addr, KindGoroutine, KindHeap, KindCPU)
	c.Period, c.CPUDuration, c.WallDuration = 20*time.Millisecond, 5*time.Millisecond, 1
	a := mustStart(t, c, testHooks)
	for restart := range 4 {
		eventually(t, "profiles on disk", func() bool { return a.Stats().SpoolFiles >= 5 })
		d.up(r)
		want := a.Stats().Recorded
		eventually(t, "they arrive", func() bool { return a.Stats().Sent >= want })
		if restart < 3 {
			d.down()
		}
	}
	stopAgent(t, a)
	s := a.Stats()
	// A server may end when it has kept a profile and has not said so: it comes again
	// then, with the same key, and is the same.
	kept := make(map[string]string)
	for _, p := range r.all("") {
		key := p.query.Get("key")
		if before, again := kept[key]; key == "" || again && before != string(p.body) {
			t.Errorf("key %q: missing, or of two profiles", key)
		}
		kept[key] = string(p.body)
	}
	if int64(len(kept)) != s.Recorded || s.Dropped != 0 || s.Spooled < 5 || s.SpoolFiles != 0 {
		t.Errorf("received %d; %+v", len(kept), s)
	}
}

// TestAcknowledgementsLost has the server keep profiles and die before it
// answers: they are sent again, and can be told by their keys.
func TestAcknowledgementsLost(t *testing.T) {
	r := newReceiver(t)
	var sent = make(map[string]int) // guarded by the receiver
	r.setRefuse(func(_ http.ResponseWriter, req *http.Request, n int) bool {
		sent[req.URL.RawQuery]++
		if n%2 == 0 {
			return false
		}
		panic(http.ErrAbortHandler) // breaks the connection
	})
	a := mustStart(t, testConfig(t, r.server.URL, KindGoroutine, KindHeap), testHooks)
	eventually(t, "profiles", func() bool { return len(r.all("")) >= 5 })
	stopAgent(t, a)
	r.setRefuse(nil)
	r.checkKeys()
	r.mu.Lock()
	defer r.mu.Unlock()
	again := 0
	for _, n := range sent {
		again += n - 1
	}
	if again == 0 {
		t.Error("nothing was sent a second time with the same parameters")
	}
}

func TestSpoolOutlivesTheProgram(t *testing.T) {
	d := newDownServer(t)
	c := testConfig(t, "http://"+d.addr, KindGoroutine)
	a := mustStart(t, c, testHooks)
	eventually(t, "profiles on disk", func() bool { return a.Stats().SpoolFiles >= 2 })
	stopAgent(t, a)
	left := a.Stats()
	if int64(left.SpoolFiles) != left.Recorded || left.Dropped != 0 {
		t.Fatalf("after Stop: %+v", left)
	}
	damaged := filepath.Join(c.SpoolDir, "00000000000000000001-KEY-1.profile")
	if err := os.WriteFile(damaged, []byte("hone-spool 1 00000000\nservice=x\nbody"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newReceiver(t)
	d.up(r)
	a = mustStart(t, c, testHooks)
	eventually(t, "they arrive", func() bool { return len(r.all("")) >= left.SpoolFiles && a.Stats().SpoolFiles == 0 })
	stopAgent(t, a)
	r.checkKeys()
	if s := a.Stats(); s.Dropped != 1 || len(r.all("")) != left.SpoolFiles+int(s.Recorded) {
		t.Errorf("%d received, %+v: want the damaged one dropped and no other", len(r.all("")), s)
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	for _, test := range []struct {
		status int
		lost   bool
	}{
		{400, true}, {413, true}, {422, true},
		{200, false}, {301, false}, {307, false}, {401, false}, {403, false}, {404, false}, {429, false}, {500, false}, {503, false},
	} {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			r := newReceiver(t)
			r.setRefuse(func(w http.ResponseWriter, req *http.Request, n int) bool {
				if n > 3 {
					return false
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				fmt.Fprint(w, `{"error": "not <b>today</b>", "reason": "x"}`)
				return true
			})
			c := testConfig(t, r.server.URL, KindGoroutine)
			c.Period, c.CPUDuration, c.WallDuration = 20*time.Millisecond, 1, 1
			a := mustStart(t, c, testHooks)
			eventually(t, "profiles", func() bool { return len(r.all("")) >= 5 })
			stopAgent(t, a)
			s := a.Stats()
			lost, failures := 0, 3
			if test.lost {
				lost, failures = 3, 0
			}
			if int(s.Dropped) != lost || int(s.Failures) != failures || int(s.Recorded) != len(r.all(""))+lost {
				t.Errorf("received %d, %+v", len(r.all("")), s)
			}
			if !strings.Contains(s.LastError, fmt.Sprint(test.status)) || !strings.HasSuffix(s.LastError, ": not <b>today</b>") {
				t.Errorf("last error %q", s.LastError)
			}
			r.checkKeys()
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	r := newReceiver(t)
	var first atomic.Int64
	r.setRefuse(func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n > 1 {
			return false
		}
		first.Store(time.Now().UnixNano())
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	a := mustStart(t, testConfig(t, r.server.URL, KindGoroutine), testHooks)
	eventually(t, "the second request", func() bool { return len(r.all("")) > 0 })
	if d := time.Since(time.Unix(0, first.Load())); d < time.Second {
		t.Errorf("tried again after %v", d)
	}
	stopAgent(t, a)

	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "x": 0, "-5": 0, "7": 7 * time.Second, "99999999": maxRetryAfter,
		"Thu, 01 Jan 2026 00:00:30 GMT": 30 * time.Second, "Thu, 01 Jan 2025 00:00:30 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("Retry-After %q: %v, want %v", header, got, want)
		}
	}
}

func TestBackoffDoublesUpToItsBound(t *testing.T) {
	s := &sender{backoff: minBackoff}
	for failures, full := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 8: maxBackoff, 1000: maxBackoff} {
		for range 100 {
			if d := s.delay(failures); d < full/2 || d > full {
				t.Fatalf("%v after %d failures, want %v to %v", d, failures, full/2, full)
			}
		}
	}
}

func TestOneBadProfileDoesNotHoldUpTheRest(t *testing.T) {
	isBad := func(query url.Values) bool { return strings.HasSuffix(query.Get("key"), "-1") }
	for _, spool := range []int64{-1, 1 << 20} {
		r := newReceiver(t)
		r.setRefuse(func(w http.ResponseWriter, req *http.Request, _ int) bool {
			bad := isBad(req.URL.Query())
			if bad {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return bad
		})
		c := testConfig(t, r.server.URL, KindGoroutine)
		c.Period, c.CPUDuration, c.WallDuration, c.SpoolBytes = 20*time.Millisecond, 1, 1, spool
		a := mustStart(t, c, testHooks)
		eventually(t, "the others", func() bool { return len(r.all("")) >= 5 })
		r.setRefuse(nil)
		// At its end the agent tries once, and what is refused just then is lost.
		eventually(t, "the bad one", func() bool { return slices.ContainsFunc(r.all(""), func(p received) bool { return isBad(p.query) }) })
		stopAgent(t, a)
		if s := a.Stats(); s.Recorded != s.Sent || s.Dropped != 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestWithoutRoomTheOldestAreDropped(t *testing.T) {
	s := &spool{dir: filepath.Join(t.TempDir(), "a", "b"), run: "RUN", maxBytes: 1000, maxAge: time.Hour}
	out := newOutbox(s, newStatistics(Config{}.mustDefaults(t).Logger))
	out.waiting = true
	start := time.Now()
	add := func(i int, size int) {
		out.add(&parcel{taken: start.Add(time.Duration(i)), key: fmt.Sprintf("RUN-%d", i), query: "q", body: make([]byte, size)})
	}
	for i := range 10 {
		add(i, 200)
	}
	add(11, 2000) // more than the spool
	files, size := s.waiting()
	if files != 4 || size > 1000 || out.stats.Dropped != 7 || out.stats.Spooled != 10 {
		t.Errorf("%d files, %d bytes, %+v", files, size, out.stats.Stats)
	}
	if p := out.next(); p == nil || p.key != "RUN-6" || len(p.body) != 200 || p.query != "q" {
		t.Errorf("next is %+v, want RUN-6", p)
	}
	info, err := os.Stat(s.dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v: others can read it", info.Mode(), err)
	}
	s.maxAge = 1
	if p := out.next(); p != nil {
		t.Errorf("%+v is too old", p)
	}
	if files, _ := s.waiting(); files != 1 || out.stats.Dropped != 10 { // RUN-6 is being sent
		t.Errorf("%d files, %+v", files, out.stats.Stats)
	}
}

func (c Config) mustDefaults(t *testing.T) Config {
	t.Helper()
	c, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWithoutSpoolMemoryIsBounded(t *testing.T) {
	for name, s := range map[string]*spool{
		"none":              nil,
		"cannot be written": {dir: filepath.Join(os.Args[0], "x"), maxBytes: 1 << 30, maxAge: time.Hour}, // below a file
	} {
		out := newOutbox(s, newStatistics(Config{}.mustDefaults(t).Logger))
		out.waiting = true
		for i := range 10 {
			out.add(&parcel{taken: time.Now(), key: fmt.Sprint(i), body: make([]byte, 1<<20)})
		}
		if out.bytes != queueBytes || len(out.queue) != 8 || out.stats.Dropped != 2 || out.next().key != "2" {
			t.Errorf("%s: %d bytes, %d profiles, %+v", name, out.bytes, len(out.queue), out.stats.Stats)
		}
		if lost := out.empty(); lost != 8 || out.stats.Dropped != 10 {
			t.Errorf("%s: %d lost at the end, %+v", name, lost, out.stats.Stats)
		}
	}
}

// What is on its way stays where it is: it would be counted as lost, or be sent
// from the spool once more.
func TestWithoutRoomWhatIsBeingSentStays(t *testing.T) {
	for name, s := range map[string]*spool{
		"no spool": nil,
		"spool":    {dir: t.TempDir(), run: "RUN", maxBytes: 1 << 30, maxAge: time.Hour},
	} {
		out := newOutbox(s, newStatistics(Config{}.mustDefaults(t).Logger))
		add := func(i int) {
			out.add(&parcel{taken: time.Now(), key: fmt.Sprintf("RUN-%d", i), body: make([]byte, 1<<20)})
		}
		add(0)
		sending := out.next()
		for i := range 9 {
			add(i + 1)
		}
		out.done(sending)
		if out.stats.Dropped+out.stats.Spooled != 2 || out.bytes != 7<<20 || out.next().key != "RUN-3" {
			t.Errorf("%s: %d bytes, %+v, and next is %s", name, out.bytes, out.stats.Stats, out.next().key)
		}
		if s == nil {
			continue
		}
		for p, _ := s.next(); p != nil; p, _ = s.next() {
			if s.remove(p); p.key == sending.key {
				t.Errorf("%s: %s is sent again", name, p.key)
			}
		}
	}
}

func TestSpoolsOfOthersAreLeftToThemAtFirst(t *testing.T) {
	dir := t.TempDir()
	other := &spool{dir: dir, run: "OTHER", maxBytes: 1 << 20, maxAge: time.Hour}
	for i, age := range []time.Duration{time.Second, 10 * time.Minute} {
		if _, err := other.put(&parcel{taken: time.Now().Add(-age), key: fmt.Sprintf("OTHER-%d", i), body: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	own := &spool{dir: dir, run: "OWN", maxBytes: 1 << 20, maxAge: time.Hour, adoptAfter: time.Minute}
	p, _ := own.next()
	if p == nil || p.key != "OTHER-1" {
		t.Fatalf("%+v, want the one of 10 minutes ago", p)
	}
	own.remove(p)
	if p, _ := own.next(); p != nil {
		t.Errorf("%+v belongs to a process that may still send it", p)
	}
}

func TestStopWithoutServerOrSpoolTells(t *testing.T) {
	d := newDownServer(t)
	c := testConfig(t, "http://"+d.addr, KindGoroutine)
	c.SpoolBytes = -1
	a, err := startWith(c, testHooks)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a profile", func() bool { return a.Stats().Recorded > 0 })
	if err := a.Stop(context.Background()); err == nil || !strings.Contains(err.Error(), "could not be sent and are lost") {
		t.Errorf("Stop: %v", err)
	}
}

func TestTLSWithTheClient(t *testing.T) {
	r := newReceiver(t)
	s := httptest.NewTLSServer(r)
	defer s.Close()
	c := testConfig(t, s.URL, KindGoroutine)
	c.Client = s.Client()
	a := mustStart(t, c, testHooks)
	eventually(t, "a profile", func() bool { return len(r.all("")) > 0 })
	stopAgent(t, a)
}

type panics struct{}

func (panics) RoundTrip(*http.Request) (*http.Response, error) { panic("on purpose") }

func TestPanicsStayInside(t *testing.T) {
	c := testConfig(t, "http://localhost", KindGoroutine)
	c.Client = &http.Client{Transport: panics{}}
	a := mustStart(t, c, testHooks)
	eventually(t, "an attempt", func() bool { return a.Stats().Failures > 0 })
	a.collector.use(profileSource{name: "bad", take: func(triggerReason, sleeper) time.Duration { panic("also on purpose") }}, "")
	if e := a.Stats().LastError; !strings.Contains(e, "on purpose") {
		t.Errorf("last error %q", e)
	}
}
