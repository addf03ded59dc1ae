package agent

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	sinkMu    sync.Mutex
	sinkBytes []byte
)

//go:noinline
func allocateMuch() {
	for range 200 {
		b := make([]byte, 1<<20)
		sinkMu.Lock()
		sinkBytes = b
		sinkMu.Unlock()
	}
}

//go:noinline
func contend() {
	var mu sync.Mutex
	var wg Group
	for range 4 {
		wg.Go(func() {
			for range 20 {
				mu.Lock()
				time.Sleep(100 * time.Microsecond)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestEveryKindArrivesWithItsLabels(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL+"/")
	c.Version, c.Zone, c.Token = "v1.2.3", "z", "secret"
	c.Labels = map[string]string{"team": "a b&c=d"}
	c.MutexFraction, c.BlockRate = 1, 1
	c.Kinds = nil
	r.setRefuse(func(w http.ResponseWriter, req *http.Request, _ int) bool {
		if req.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("Authorization: %q", req.Header.Get("Authorization"))
		}
		return false
	})
	defer burn()()
	before := time.Now()
	a := mustStart(t, c, testHooks)
	types := map[Kind]string{
		KindCPU:       "samples/count cpu/nanoseconds",
		KindWall:      "samples/count wall/nanoseconds",
		KindHeap:      "inuse_objects/count inuse_space/bytes",
		KindAllocs:    "alloc_objects/count alloc_space/bytes",
		KindMutex:     "contentions/count delay/nanoseconds",
		KindBlock:     "contentions/count delay/nanoseconds",
		KindGoroutine: "goroutine/count",
	}
	if pprof.Lookup("goroutineleak") != nil {
		types[KindGoroutineLeak] = "goroutineleak/count"
	}
	eventually(t, "every kind, and what used the CPU", func() bool {
		contend()
		allocateMuch()
		for k := range types {
			if len(r.all(k)) == 0 {
				return false
			}
		}
		return total(t, r.all(KindCPU), "cpu", "github.com/hone-go/hone/agent.burned") > 0 // where all are busy, the first ones may lack it
	})
	stopAgent(t, a)
	for k, want := range types {
		for _, p := range r.all(k) {
			if got := mustDecode(t, p.body).SampleTypes; strings.Join(got, " ") != want {
				t.Errorf("%s: sample types %q, want %q", k, got, want)
			}
			q := p.query
			for name, want := range map[string]string{"service": "test", "version": "v1.2.3", "zone": "z", "instance": "i", "label.team": "a b&c=d", "label.trigger": ""} {
				if q.Get(name) != want {
					t.Errorf("%s: %s = %q, want %q", k, name, q.Get(name), want)
				}
			}
			var ns time.Duration
			if ns = time.Duration(mustInt(t, q.Get("time"))); ns < time.Duration(before.UnixNano()) || ns > time.Duration(time.Now().UnixNano()) {
				t.Errorf("%s: time %d", k, ns)
			}
			moment := k == KindHeap || k == KindGoroutine || k == KindGoroutineLeak
			if d, err := time.ParseDuration(q.Get("duration")); moment != (q.Get("duration") == "") || !moment && (err != nil || d <= 0) {
				t.Errorf("%s: duration %q", k, q.Get("duration"))
			}
		}
	}
	r.checkKeys()
	s := a.Stats()
	if int(s.Sent) != len(r.all("")) || s.Sent != s.Recorded || s.Dropped != 0 || s.OwnCPU <= 0 || s.Share <= 0 || s.SentBytes == 0 {
		t.Errorf("stats %+v, received %d", s, len(r.all("")))
	}
}

func TestDeltasAddUpToTheTotals(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 64 << 10
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindAllocs, KindMutex, KindBlock, KindHeap)
	c.Period = 30 * time.Millisecond
	c.CPUDuration, c.WallDuration = 1, 1
	c.MutexFraction, c.BlockRate = 1, 1
	allocateMuch()
	contend()
	runtime.GC()
	runtime.GC() // what was allocated so far is in the profile before
	before := map[string][]byte{}
	for _, name := range []string{"heap", "mutex", "block"} {
		before[name] = snapshotOf(t, name)
	}
	a := mustStart(t, c, testHooks)
	for round := range 5 {
		allocateMuch()
		contend()
		eventually(t, "another round", func() bool { return len(r.all(KindHeap)) > 2*round })
	}
	runtime.GC()
	runtime.GC()
	// The agent's own work is in the profiles too, so only what the test does
	// can be compared.
	stopAgent(t, a)
	const pkg = "github.com/hone-go/hone/agent."
	for _, test := range []struct {
		kind                          Kind
		profile, sampleType, function string
	}{
		{KindAllocs, "heap", "alloc_space", pkg + "allocateMuch"},
		{KindAllocs, "heap", "alloc_objects", pkg + "allocateMuch"},
		{KindMutex, "mutex", "contentions", pkg + "contend.func1"},
		{KindMutex, "mutex", "delay", pkg + "contend.func1"},
		{KindBlock, "block", "contentions", pkg + "contend.func1"},
		{KindBlock, "block", "delay", pkg + "contend.func1"},
	} {
		got := total(t, r.all(test.kind), test.sampleType, test.function)
		want := totalOf(t, snapshotOf(t, test.profile), test.sampleType, test.function) - totalOf(t, before[test.profile], test.sampleType, test.function)
		if got != want || want <= 0 {
			t.Errorf("%s %s: the deltas add up to %d, the profile has grown by %d", test.kind, test.sampleType, got, want)
		}
	}
	if n := len(r.all(KindAllocs)); n < 3 {
		t.Errorf("%d profiles make no sum", n)
	}
}

func TestWallTellsWhoWaits(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindWall)
	c.WallSamples = 4
	block := make(chan bool)
	for range 3 {
		go waitForever(block)
	}
	defer close(block)
	defer burn()()
	a := mustStart(t, c, testHooks)
	eventually(t, "two profiles", func() bool { return len(r.all(KindWall)) >= 2 })
	stopAgent(t, a)
	for _, p := range r.all(KindWall) {
		length, _ := time.ParseDuration(p.query.Get("duration"))
		nanos := total(t, []received{p}, "wall", "github.com/hone-go/hone/agent.waitForever")
		if want := 3 * length.Nanoseconds(); nanos != want {
			t.Errorf("3 goroutines waited for %d ns, want %d", nanos, want)
		}
		if n := total(t, []received{p}, "wall", "github.com/hone-go/hone/agent.(*Agent).collect"); n != 0 {
			t.Errorf("the agent itself is in the profile with %d ns", n)
		}
		for _, s := range mustDecode(t, p.body).Samples {
			leaf := s.Functions[0]
			if state := s.Labels["state"]; len(state) != 1 || state[0] != stateOf(leaf) {
				t.Errorf("%s: state %q", leaf, state)
			}
		}
	}
	if stateOf("runtime.gopark") != stateWaiting || stateOf("main.work") != stateRunning || stateOf("internal/runtime/syscall.Syscall6") != stateSyscall {
		t.Error("states")
	}
}

//go:noinline
func waitForever(c chan bool) { <-c }

func TestDeepStacksAreMarked(t *testing.T) {
	c := make(chan bool)
	defer close(c)
	go deep(50, c)
	eventually(t, "it waits", func() bool {
		stacks := make(map[[maxFrames]uintptr]int)
		for _, r := range goroutineStacks(nil) {
			stacks[r.Stack0]++
		}
		gz, err := new(zipper).compress(encodeWall(stacks, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return totalOf(t, gz, "samples", "(deeper than 32 frames)") == 1
	})
}

//go:noinline
func deep(n int, c chan bool) {
	if n == 0 {
		<-c
		return
	}
	deep(n-1, c)
}

func TestTheProgramsOwnCPUProfileGoesFirst(t *testing.T) {
	r := newReceiver(t)
	if err := pprof.StartCPUProfile(nullDevice{}); err != nil {
		t.Fatal(err)
	}
	running := true
	defer func() {
		if running {
			pprof.StopCPUProfile()
		}
	}()
	a := mustStart(t, testConfig(t, r.server.URL, KindCPU), testHooks)
	eventually(t, "two skipped", func() bool { return a.Stats().Busy >= 2 })
	if n := len(r.all(KindCPU)); n != 0 {
		t.Errorf("%d CPU profiles beside the program's own", n)
	}
	pprof.StopCPUProfile()
	running = false
	eventually(t, "a profile after it", func() bool { return len(r.all(KindCPU)) > 0 })
}

type nullDevice struct{}

func (nullDevice) Write(b []byte) (int, error) { return len(b), nil }

func TestTriggers(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindCPU, KindAllocs) // heap and goroutines on a trigger only
	c.Triggers = Triggers{CPU: 1e-6, HeapBytes: 1, Goroutines: 1, Check: 10 * time.Millisecond, Cooldown: time.Hour}
	defer burn()()
	a := mustStart(t, c, testHooks)
	eventually(t, "three captures", func() bool { return a.Stats().Triggered >= 3 })
	eventually(t, "some rounds", func() bool { return len(r.all(KindCPU)) >= 3 }) // in which nothing more is captured
	stopAgent(t, a)
	got := make(map[string]int)
	for _, p := range r.all("") {
		if why := p.query.Get("label.trigger"); why != "" {
			got[p.query.Get("kind")+" "+why]++
		}
	}
	if want := map[string]int{"cpu cpu": 1, "heap heap": 1, "goroutine goroutines": 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("captured %v, want %v", got, want)
	}
	if n := a.Stats().Triggered; n != 3 {
		t.Errorf("%d triggered", n)
	}
}

func TestStopSendsWhatThereIs(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindCPU, KindAllocs)
	c.Period, c.CPUDuration, c.WallDuration = time.Hour, time.Hour-1, 1
	defer burn()()
	a := mustStart(t, c, testHooks)
	eventually(t, "the CPU profile has begun", func() bool {
		if err := pprof.StartCPUProfile(nullDevice{}); err == nil {
			pprof.StopCPUProfile()
			return false
		}
		return true
	})
	allocateMuch()
	runtime.GC()
	runtime.GC()
	stopAgent(t, a)
	if len(r.all(KindCPU)) != 1 || total(t, r.all(KindAllocs), "alloc_space", "github.com/hone-go/hone/agent.allocateMuch") == 0 {
		t.Errorf("%d CPU and %d allocs profiles after Stop, want one and the last", len(r.all(KindCPU)), len(r.all(KindAllocs)))
	}
}

func TestStopIsBoundedByItsContext(t *testing.T) {
	hang := make(chan bool)
	r := newReceiver(t)
	defer close(hang)
	r.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		select {
		case <-hang:
		case <-req.Context().Done():
		}
	})
	c := testConfig(t, r.server.URL, KindGoroutine)
	a := mustStart(t, c, testHooks)
	eventually(t, "something to send", func() bool { return a.Stats().Recorded > 0 })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := a.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop: %v", err)
	}
	stopAgent(t, a) // now it has ended
	if s := a.Stats(); int(s.Recorded) != s.SpoolFiles || s.Dropped != 0 {
		t.Errorf("%+v: want all in the spool", s)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(7))
	r := newReceiver(t)
	c := testConfig(t, r.server.URL)
	c.Kinds, c.MutexFraction, c.BlockRate = nil, 3, 1000
	for _, k := range allKinds {
		if k != KindGoroutineLeak { // each of its profiles is a collection
			c.Kinds = append(c.Kinds, k)
		}
	}
	c.Triggers.Goroutines = 1 << 30
	forced := forcedCollections()
	before := runtime.NumGoroutine()
	for range 3 {
		a := mustStart(t, c, testHooks)
		if f := runtime.SetMutexProfileFraction(-1); f != 3 {
			t.Errorf("mutex fraction %d while running", f)
		}
		eventually(t, "a profile", func() bool { return a.Stats().Sent > 0 })
		var stops Group
		for range 4 {
			stops.Go(func() { stopAgent(t, a) })
		}
		stops.Wait()
		if f := runtime.SetMutexProfileFraction(-1); f != 7 {
			t.Errorf("mutex fraction %d after Stop, before Start it was 7", f)
		}
	}
	r.server.CloseClientConnections()
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	if n := forcedCollections() - forced; n != 0 {
		t.Errorf("%d forced garbage collections", n)
	}
}

func forcedCollections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumForcedGC
}

func TestOneAgentInAProcess(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindGoroutine)
	var mu sync.Mutex
	var started []*Agent
	var all Group
	for range 10 {
		all.Go(func() {
			a, err := startWith(c, testHooks)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				started = append(started, a)
			} else if !strings.Contains(err.Error(), `already running in this process, for service "test": stop it first`) {
				t.Errorf("second Start: %v", err)
			}
		})
	}
	all.Wait()
	if len(started) != 1 {
		t.Fatalf("%d agents", len(started))
	}
	stopAgent(t, started[0])
	stopAgent(t, mustStart(t, c, testHooks))
}

func TestConfigIsChecked(t *testing.T) {
	for want, c := range map[string]Config{
		"use one like http://":        {Server: "localhost:4600"},
		"only a host and a path":      {Server: "http://u:p@h"},
		"printable ASCII":             {Token: "a\nb"},
		"use letters, digits":         {Labels: map[string]string{"a b": ""}},
		"sets this label":             {Labels: map[string]string{"service": "x"}},
		"not UTF-8":                   {Service: "\xff"},
		"unknown kind":                {Kinds: []Kind{"threads"}},
		"do not fit into a Period of": {Period: time.Second, CPUDuration: time.Second, WallDuration: 1},
		"negative":                    {Budget: -1},
		"SpoolAge: -1ns is negative":  {SpoolAge: -1},
	} {
		if a, err := Start(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
			if err == nil {
				stopAgent(t, a)
			}
		}
	}
}

func TestEnvironmentOverrides(t *testing.T) {
	for _, name := range []string{"SERVER", "SERVICE", "VERSION", "ZONE", "INSTANCE", "TOKEN"} {
		t.Setenv("HONE_"+name, "http://"+strings.ToLower(name))
	}
	c, err := Config{Service: "other"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	got := []string{c.Server, c.Service, c.Version, c.Zone, c.Instance, c.Token}
	if want := "http://server http://service http://version http://zone http://instance http://token"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	t.Setenv("HONE_SERVER", "off")
	before := runtime.NumGoroutine()
	a, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if n := runtime.NumGoroutine(); n > before { // those of other tests may end
		t.Errorf("%d goroutines, before Start %d", n, before)
	}
	stopAgent(t, a)
	if s := a.Stats(); s.Recorded != 0 {
		t.Errorf("%+v", s)
	}
}

func TestIdentityFromBuildInfo(t *testing.T) {
	self := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	for path, want := range map[string]string{
		"example.com/shop": "shop", "example.com/shop/v2": "shop", "example.com/shop/cmd/api": "api", "v2": "v2",
		"": self, "command-line-arguments": self,
	} {
		if got := serviceOf(path); got != want {
			t.Errorf("service of %q: %q, want %q", path, got, want)
		}
	}
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}
	for _, test := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: revision}, "v1.2.3"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: revision}, "0123456789ab+dirty"},
		{debug.BuildInfo{Settings: revision[:1]}, "0123456789ab"},
		{debug.BuildInfo{}, ""},
	} {
		if got := versionOf(&test.info); got != test.want {
			t.Errorf("version %q, want %q", got, test.want)
		}
	}
}

// waits matches a goroutine of waitForever that is blocked.
var waits = regexp.MustCompile(`(?m)^goroutine .*\[chan receive[^\n]*\n[^\n]*\.waitForever\(`)

// TestLeaks: the kind is recorded where the runtime has it, and elsewhere asking
// for it is no fault.
func TestLeaks(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindGoroutineLeak, KindGoroutine)
	go waitForever(make(chan bool))
	eventually(t, "it waits", func() bool {
		all := make([]byte, 1<<20)
		return waits.Match(all[:runtime.Stack(all, true)])
	})
	a := mustStart(t, c, testHooks)
	eventually(t, "three rounds", func() bool { return len(r.all(KindGoroutine)) >= 3 })
	stopAgent(t, a)
	leaks := r.all(KindGoroutineLeak)
	if pprof.Lookup("goroutineleak") == nil {
		if s := a.Stats(); len(leaks) != 0 || s.LastError != "" {
			t.Errorf("%d profiles of leaks; %s", len(leaks), s.LastError)
		}
		return
	}
	if n := total(t, leaks, "goroutineleak", "github.com/hone-go/hone/agent.waitForever"); len(leaks) != 1 || n != 1 {
		t.Errorf("%d profiles with %d leaks, want one of one", len(leaks), n)
	}
}

func TestStartLeavesTheCallersLabels(t *testing.T) {
	r := newReceiver(t)
	done := make(chan bool)
	defer close(done)
	started := make(chan *Agent)
	go pprof.Do(context.Background(), pprof.Labels("caller", "mine"), func(context.Context) {
		a, err := startWith(testConfig(t, r.server.URL, KindGoroutine), testHooks)
		if err != nil {
			t.Error(err)
		}
		started <- a
		<-done
	})
	a := <-started
	eventually(t, "a profile", func() bool { return len(r.all("")) > 0 })
	stopAgent(t, a)
	labels := make(map[string]int)
	for _, s := range mustDecode(t, r.all("")[0].body).Samples {
		for name, values := range s.Labels {
			labels[name+"="+values[0]] += int(s.Values[0])
		}
	}
	if labels["caller=mine"] != 1 || labels["hone=agent"] < 2 {
		t.Errorf("goroutines by label: %v", labels)
	}
}
