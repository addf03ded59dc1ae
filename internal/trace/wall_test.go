package trace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/trace"
	"github.com/hone-go/hone/profile"
)

// record runs a function with an execution trace.
func record(t *testing.T, f func()) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := rtrace.Start(&b); err != nil {
		t.Fatal(err)
	}
	defer rtrace.Stop() // for a failed test
	f()
	rtrace.Stop()
	return b.Bytes()
}

func wall(t *testing.T, data []byte, o trace.Options) (*profile.Profile, trace.Stats) {
	t.Helper()
	p, stats, err := trace.Wall(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	return p, stats
}

// spent adds up the time of samples with a function and, unless it is "", in
// a state.
func spent(p *profile.Profile, function, state string) time.Duration {
	var sum int64
	for s := range p.NumSamples() {
		if state != "" && !p.HasLabel(s, trace.StateLabel, state) {
			continue
		}
		if hasFrame(p, s, function) {
			sum += p.Values[1][s]
		}
	}
	return time.Duration(sum)
}

func hasFrame(p *profile.Profile, s int, function string) bool {
	for _, l := range p.Stack(s) {
		for _, line := range p.LocationLines(l) {
			if strings.HasSuffix(p.FunctionName(line.Function), function) {
				return true
			}
		}
	}
	return false
}

// Each waits for what it says, and returns between what the wait took at least
// and at most.

const pause = 20 * time.Millisecond

//go:noinline
func waitSleep() { time.Sleep(pause) }

//go:noinline
func waitReceive(c chan int) { <-c }

//go:noinline
func waitSend(c chan int) { c <- 1 }

//go:noinline
func waitSelect(c, d chan int) {
	select {
	case <-c:
	case <-d:
	}
}

//go:noinline
func waitMutex(mu *sync.Mutex) { mu.Lock(); defer mu.Unlock() }

//go:noinline
func waitCond(c *sync.Cond) { c.L.Lock(); c.Wait(); c.L.Unlock() }

//go:noinline
func waitGroup(wg *sync.WaitGroup) { wg.Wait() }

//go:noinline
func waitNetwork(c net.Conn) { c.Read(make([]byte, 1)) }

// parked waits until a goroutine waits in a function.
func parked(t *testing.T, function string) {
	t.Helper()
	in := regexp.MustCompile(`\.` + function + `\(`)
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(time.Millisecond) {
		all := make([]byte, 1<<20)
		for g := range bytes.SplitSeq(all[:runtime.Stack(all, true)], []byte("\n\n")) {
			head, stack, _ := bytes.Cut(g, []byte("\n"))
			if in.Match(stack) && !bytes.Contains(head, []byte("[runn")) { // neither runnable nor running
				return
			}
		}
	}
	t.Fatalf("nothing waits in %s", function)
}

// TestWaits makes a program wait in every way, each for a time it knows, and
// wants the profile to say so.
func TestWaits(t *testing.T) {
	server, client := connection(t)
	type waiter struct {
		function, state string
		wait            func()
		end             func() // ends the wait; nil where it ends by itself
		took            time.Duration
	}
	receive, send, selected := make(chan int), make(chan int), make(chan int)
	var mu, condMu sync.Mutex
	cond := sync.NewCond(&condMu)
	var group sync.WaitGroup
	mu.Lock()
	group.Add(1)
	waiters := []*waiter{
		{"waitSleep", "sleep", waitSleep, nil, 0},
		{"waitReceive", "chan receive", func() { waitReceive(receive) }, func() { receive <- 1 }, 0},
		{"waitSend", "chan send", func() { waitSend(send) }, func() { <-send }, 0},
		{"waitSelect", "select", func() { waitSelect(selected, nil) }, func() { selected <- 1 }, 0},
		{"waitMutex", "sync", func() { waitMutex(&mu) }, mu.Unlock, 0},
		{"waitCond", "sync.(*Cond).Wait", func() { waitCond(cond) }, func() { condMu.Lock(); cond.Broadcast(); condMu.Unlock() }, 0},
		{"waitGroup", "sync.WaitGroup.Wait", func() { waitGroup(&group) }, group.Done, 0},
		{"waitNetwork", "network", func() { waitNetwork(server) }, func() { client.Write([]byte("x")) }, 0},
	}
	data := record(t, func() {
		for _, w := range waiters {
			ended := make(chan bool)
			go func() {
				begin := time.Now()
				w.wait()
				w.took = time.Since(begin)
				ended <- true
			}()
			if w.end != nil {
				parked(t, w.function)
				time.Sleep(pause)
				w.end()
			}
			<-ended
		}
	})
	p, stats := wall(t, data, trace.Options{})
	for _, w := range waiters {
		state := w.state
		if w.function == "waitGroup" && spent(p, w.function, state) == 0 {
			state = "sync" // what older runtimes call it
		}
		in, all := spent(p, w.function, state), spent(p, w.function, "")
		// The clock of the trace and that of time.Now drift apart by little.
		if most := w.took + w.took/20 + time.Millisecond; in <= 0 || all > most {
			t.Errorf("%s: %v in state %s, %v in all, of %v", w.function, in, state, all, w.took)
		}
		if w.end == nil && in < pause-pause/20 {
			t.Errorf("%s: %v in state %s, slept %v", w.function, in, state, pause)
		}
	}
	if stats.Duration <= 0 || p.DurationNanos != int64(stats.Duration) || stats.Goroutines < len(waiters) {
		t.Errorf("%+v, duration %d", stats, p.DurationNanos)
	}
	if at := time.Unix(0, p.TimeNanos); time.Since(at) < 0 || time.Since(at) > time.Hour {
		t.Errorf("the trace was recorded at %v", at)
	}
	if p.DefaultSampleType != "wall" || p.SampleTypes[0].Type != "intervals" {
		t.Errorf("sample types %v, default %q", p.SampleTypes, p.DefaultSampleType)
	}
}

// connection returns both ends of a connection over loopback.
func connection(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err == nil {
		b, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

//go:noinline
func life(c chan time.Duration) {
	begin := time.Now()
	for range 5 {
		time.Sleep(time.Millisecond)
		burn(time.Millisecond)
		runtime.Gosched()
	}
	c <- time.Since(begin)
}

var sink int

//go:noinline
func burn(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
		for i := range 1000 {
			sink += i
		}
	}
}

// The time of a goroutine adds up to its life, whatever it did, and time that it
// ran is on what it called all the while.
func TestSumIsLife(t *testing.T) {
	c := make(chan time.Duration, 1)
	var took time.Duration
	data := record(t, func() {
		go life(c)
		took = <-c
		time.Sleep(time.Millisecond) // it ends within the trace
	})
	p, _ := wall(t, data, trace.Options{})
	all := spent(p, ".life", "")
	if all < took-took/20 || all > took+took/20+50*time.Millisecond {
		t.Errorf("a life of %v took %v", took, all)
	}
	if sleep := spent(p, ".life", "sleep"); sleep < 4500*time.Microsecond {
		t.Errorf("slept %v, want at least 5 ms", sleep)
	}
	// It ran in burn and around it: the stacks of sleeping and of yielding share
	// life, and nothing below it.
	if ran := spent(p, ".life", trace.Running); ran < 4500*time.Microsecond {
		t.Errorf("ran %v, want at least 5 ms", ran)
	}
	if asleep := spent(p, "time.Sleep", trace.Running); asleep > spent(p, ".life", trace.Running)/2 {
		t.Errorf("ran %v while asleep", asleep)
	}
}

// With a CPU profile at the same time, running time is where the samples are.
func TestCPUSamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its CPU profiles have no samples of so short a time")
	}
	done := make(chan bool)
	data := record(t, func() {
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Fatal(err)
		}
		defer pprof.StopCPUProfile()
		go func() { burn(500 * time.Millisecond); done <- true }()
		<-done
	})
	p, stats := wall(t, data, trace.Options{})
	if stats.CPUSamples == 0 {
		t.Skip("the machine gave the test no CPU time to sample")
	}
	if ran := spent(p, ".burn", trace.Running); ran <= 0 {
		t.Errorf("burn ran %v by %d samples", ran, stats.CPUSamples)
	}
}

//go:noinline
func waitForever(c chan int) { <-c }

// Goroutines that only wait, and the runtime's, are left out unless asked for.
func TestWhichGoroutines(t *testing.T) {
	never := make(chan int)
	go waitForever(never)
	defer close(never)
	parked(t, "waitForever")
	data := record(t, func() { waitSleep(); runtime.GC() })

	p, stats := wall(t, data, trace.Options{})
	if spent(p, ".waitForever", "") != 0 || stats.Idle == 0 {
		t.Errorf("%v of an idle goroutine, %+v", spent(p, ".waitForever", ""), stats)
	}
	if got := spent(p, "runtime.gcBgMarkWorker", ""); got != 0 {
		t.Errorf("%v of the runtime's goroutines", got)
	}
	p, stats = wall(t, data, trace.Options{Idle: true})
	if got := spent(p, ".waitForever", "chan receive"); got < pause || stats.Idle != 0 {
		t.Errorf("idle: %v, %+v", got, stats)
	}
	p, stats = wall(t, data, trace.Options{System: true})
	if got := spent(p, "runtime.gcBgMarkWorker", ""); got == 0 || stats.System != 0 && stats.Idle == 0 {
		t.Errorf("system: %v, %+v", got, stats)
	}
	p, stats = wall(t, data, trace.Options{Idle: true, Skip: func(entry string) bool { return strings.HasSuffix(entry, ".waitForever") }})
	if spent(p, ".waitForever", "") != 0 || stats.Skipped != 1 {
		t.Errorf("skipped: %+v", stats)
	}
}

// A trace of several generations, which the runtime ends about once a second,
// adds up to the same.
func TestGenerations(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for more than two seconds")
	}
	begin := time.Now()
	c := make(chan int)
	var held time.Duration
	data := record(t, func() {
		go waitReceive(c)
		parked(t, "waitReceive")
		time.Sleep(2500 * time.Millisecond)
		held = time.Since(begin)
		c <- 1
	})
	p, _ := wall(t, data, trace.Options{})
	if got := spent(p, ".waitReceive", "chan receive"); got < 2250*time.Millisecond || got > held+held/20 {
		t.Errorf("a wait of %v is %v", held, got)
	}
}

// The same trace gives the same bytes.
func TestSame(t *testing.T) {
	data := record(t, func() {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(waitSleep)
		}
		wg.Wait()
	})
	var first []byte
	for range 3 {
		p, _ := wall(t, data, trace.Options{})
		var b bytes.Buffer
		if err := p.EncodeUncompressed(&b); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			t.Fatal("differs")
		}
	}
}

func TestBadTraces(t *testing.T) {
	data := record(t, func() { waitSleep(); burn(time.Millisecond) })
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not an execution trace"},
		{"another file", []byte("goroutine profile: total 3\n1 @ 0x1"), "not an execution trace"},
		{"old", append([]byte("go 1.21 trace\x00\x00\x00"), data[16:]...), "in the format of Go 1.21; those of Go 1.22 and later"},
		{"new", append([]byte("go 1.99 trace\x00\x00\x00"), data[16:]...), "from a newer Go than this hone can read"},
		{"header only", data[:16], "cut off at byte 16|the trace is empty"},
		{"cut off", data[:len(data)/2], "cut off at byte"},
		{"cut off at the end", data[:len(data)-2], "cut off at byte|damaged"},
	} {
		_, _, err := trace.Wall(bytes.NewReader(test.data), trace.Options{})
		ok := false
		for want := range strings.SplitSeq(test.want, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), want)
		}
		if !ok || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	_, _, err := trace.Wall(io.MultiReader(bytes.NewReader(data[:len(data)/2]), failing{}), trace.Options{})
	if err != context.DeadlineExceeded {
		t.Errorf("a source that fails: %v", err)
	}
	_, _, err = trace.Wall(bytes.NewReader(data), trace.Options{MaxStacks: 2})
	if err == nil || !strings.Contains(err.Error(), "stacks") {
		t.Errorf("with room for two stacks: %v", err)
	}
	for want, o := range map[string]trace.Options{"bytes in a generation": {MaxGeneration: 100}, "goroutines": {MaxGoroutines: 1}} {
		var over *profile.LimitError
		if _, _, err := trace.Wall(bytes.NewReader(data), o); !errors.As(err, &over) || over.What[:len(want)] != want {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, context.DeadlineExceeded }

func FuzzWall(f *testing.F) {
	var b bytes.Buffer
	if err := rtrace.Start(&b); err != nil {
		f.Fatal(err)
	}
	waitSleep()
	rtrace.Stop()
	f.Add(b.Bytes())
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := trace.Wall(bytes.NewReader(data), trace.Options{System: true, Idle: true})
		if (p == nil) == (err == nil) {
			t.Fatalf("%v, %v", p, err)
		}
	})
}

// BenchmarkWall reads a trace of goroutines that hand a value around.
func BenchmarkWall(b *testing.B) {
	file := filepath.Join(b.TempDir(), "trace")
	out, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	if err := rtrace.Start(out); err != nil {
		b.Fatal(err)
	}
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
		close(pong)
	}()
	for i := range 100_000 {
		ping <- i
		<-pong
	}
	close(ping)
	rtrace.Stop()
	out.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := trace.Wall(bytes.NewReader(data), trace.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
