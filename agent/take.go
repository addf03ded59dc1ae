package agent

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"net/url"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// A taker takes profiles and puts them on their way. It is for the collecting goroutine.
type taker struct {
	cfg      Config
	identity url.Values // of all profiles
	run      string     // first part of the keys
	taken    int        // profiles, for the second part
	stats    *statistics
	budget   *budget
	out      *outbox

	allocs, mutex, block encoded.Totals   // as of the last profile
	requests             map[string]int64 // by endpoint, as of the last profile
	last                 map[Kind]time.Time
	zipper               zipper
}

func newTaker(c Config, run string, stats *statistics, out *outbox) *taker {
	return &taker{
		cfg: c, identity: c.identity(), run: run, stats: stats, out: out,
		budget: newBudget(c.Budget, c.Period), last: make(map[Kind]time.Time),
	}
}

// A sleeper returns true at the given time, false when the agent stops before. Captures that
// are triggered meanwhile are taken while it waits.
type sleeper func(until time.Time) bool

// emit puts a profile on its way. The profile is the agent's from here on.
func (a *taker) emit(k Kind, t triggerReason, began time.Time, length time.Duration, body []byte) {
	a.taken++
	key := a.run + "-" + strconv.Itoa(a.taken)
	q := maps.Clone(a.identity)
	q.Set("kind", string(k))
	q.Set("time", strconv.FormatInt(began.UnixNano(), 10))
	q.Set("key", key)
	if length > 0 {
		q.Set("duration", length.String())
	}
	if t != "" {
		q.Set("label.trigger", string(t))
	}
	a.stats.add(&a.stats.Recorded, 1)
	a.out.add(&parcel{taken: time.Now(), key: key, query: q.Encode(), body: body})
}

const (
	// sampleCost is what a sample of a CPU profile costs: the signal, and
	// walking the stack. A program can't measure it from inside.
	sampleCost = 10 * time.Microsecond
	// samplesPerSecond of CPU time; see runtime.SetCPUProfileRate.
	samplesPerSecond = 100
	// goroutineCost and stackCost are what a goroutine profile and a look at
	// the stacks cost for each goroutine.
	goroutineCost = 10 * time.Microsecond
	stackCost     = 3 * time.Microsecond
	// leakPeriod is the least time between two searches for leaks. Each is a
	// garbage collection; the runtime forces one every two minutes anyway.
	leakPeriod = 10 * time.Minute
)

// A profileSource is a way to get profiles, of one kind or of several at once.
type profileSource struct {
	name  string
	kinds []Kind
	lasts time.Duration // 0: a moment
	// take emits profiles and returns the CPU time it has used. It waits with
	// sleep, which lets triggered captures in.
	take func(t triggerReason, sleep sleeper) time.Duration
	// perGoroutine is what take costs for each goroutine at first sight: enough
	// not to begin with what the budget does not allow. From then on costs are
	// measured. 0: it does not depend on them.
	perGoroutine time.Duration
	// garbage is about what take allocates, in bytes, nearly all of it in
	// package runtime/pprof; see BenchmarkCost.
	garbage int
	// rounds is how many there are at least from one use to the next; 0 is 1.
	rounds int
}

// sources returns all sources that the runtime has. Heap and allocs are columns of one table of the
// runtime, which is read once.
func (a *taker) sources() []profileSource {
	all := []profileSource{
		{name: "cpu", kinds: []Kind{KindCPU}, lasts: a.cfg.CPUDuration, take: a.takeCPU, garbage: 2_400_000},
		{name: "wall", kinds: []Kind{KindWall}, lasts: a.cfg.WallDuration, take: a.takeWall, perGoroutine: stackCost * time.Duration(a.cfg.WallSamples), garbage: 200_000},
		{name: "memory", kinds: []Kind{KindHeap, KindAllocs}, take: a.takeMemory, garbage: 1_500_000},
		{name: "mutex", kinds: []Kind{KindMutex}, take: func(triggerReason, sleeper) time.Duration { return a.takeEvents(KindMutex, &a.mutex) }, garbage: 1_500_000},
		{name: "block", kinds: []Kind{KindBlock}, take: func(triggerReason, sleeper) time.Duration { return a.takeEvents(KindBlock, &a.block) }, garbage: 1_500_000},
		{name: "goroutine", kinds: []Kind{KindGoroutine}, take: a.takeGoroutines, perGoroutine: goroutineCost, garbage: 1_400_000},
		{name: "requests", kinds: []Kind{KindRequests}, take: a.takeRequests, garbage: 20_000},
	}
	if pprof.Lookup(string(KindGoroutineLeak)) != nil {
		rounds := int((leakPeriod + a.cfg.Period - 1) / a.cfg.Period)
		all = append(all, profileSource{name: "goroutineleak", kinds: []Kind{KindGoroutineLeak}, take: a.takeLeaks, garbage: 200_000, rounds: rounds})
	}
	return all
}

// wanted returns the sources of the kinds that the configuration asks for.
func (a *taker) wanted() []profileSource {
	return slices.DeleteFunc(a.sources(), func(s profileSource) bool { return !slices.ContainsFunc(s.kinds, a.cfg.wants) })
}

// takeCPU records for CPUDuration. What the runtime writes is sent as it is.
func (a *taker) takeCPU(t triggerReason, sleep sleeper) time.Duration {
	var w timedBuffer
	cpu, start := processCPU(), time.Now()
	if err := pprof.StartCPUProfile(&w); err != nil {
		a.stats.add(&a.stats.Busy, 1) // the program's own, or a request for one
		return 0
	}
	sleep(start.Add(a.cfg.CPUDuration))
	length := time.Since(start)
	pprof.StopCPUProfile()
	samples := (processCPU() - cpu).Seconds() * samplesPerSecond
	a.emit(KindCPU, t, start, length, w.Bytes())
	// Another goroutine has written the profile, which is most of the work.
	return time.Duration(samples*float64(sampleCost)) + w.last.Sub(w.first)
}

// timedBuffer remembers when it was first and last written to.
type timedBuffer struct {
	bytes.Buffer
	first, last time.Time
}

func (b *timedBuffer) Write(p []byte) (int, error) {
	b.last = time.Now()
	if b.first.IsZero() {
		b.first = b.last
	}
	return b.Buffer.Write(p)
}

// Columns of the profiles of package runtime/pprof, which names them in
// go doc runtime/pprof and has not changed them since Go 1.9.
const (
	allocColumns, inuseColumns = 0, 2 // objects and bytes each
	eventColumns               = 0    // contentions and delay
	kindColumns                = 2    // of each kind
)

// setCounters begins the counting of deltas.
func (a *taker) setCounters() {
	now := time.Now()
	first := func(k Kind, profile string, c *encoded.Totals) {
		if !a.cfg.wants(k) {
			return
		}
		a.last[k] = now
		if pprof.Lookup(profile).Count() == 0 {
			return
		}
		d := measure(func() {
			raw, err := lookup(profile)
			if err == nil {
				_, _, err = encoded.Columns(raw, 0, kindColumns, c)
			}
			if err != nil {
				a.stats.fail("%s: %v", k, err)
			}
		})
		a.stats.spent(d)
	}
	first(KindAllocs, "heap", &a.allocs)
	first(KindMutex, "mutex", &a.mutex)
	first(KindBlock, "block", &a.block)
	a.requests, a.last[KindRequests] = endpoints.counts(), time.Now()
}

// lookup returns a profile as it is now, not compressed.
func lookup(name string) ([]byte, error) {
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		return nil, err
	}
	return gunzip(b.Bytes())
}

// takeMemory takes the heap as of the last garbage collection and, unless it
// was triggered, what has been allocated since the last time.
func (a *taker) takeMemory(t triggerReason, _ sleeper) time.Duration {
	return measure(func() {
		now := time.Now()
		raw, err := lookup("heap")
		if err != nil {
			a.stats.fail("heap: %v", err)
			return
		}
		if a.cfg.wants(KindHeap) || t != "" {
			a.emitColumns(KindHeap, t, now, 0, raw, inuseColumns, nil)
		}
		if a.cfg.wants(KindAllocs) && t == "" {
			last := a.last[KindAllocs]
			a.last[KindAllocs] = now
			a.emitColumns(KindAllocs, "", last, now.Sub(last), raw, allocColumns, &a.allocs)
		}
	})
}

// takeEvents takes what has been recorded of mutex or block events since the
// last time, if anything.
func (a *taker) takeEvents(k Kind, last *encoded.Totals) time.Duration {
	return measure(func() {
		if last.Empty() && pprof.Lookup(string(k)).Count() == 0 {
			a.last[k] = time.Now()
			return
		}
		now := time.Now()
		raw, err := lookup(string(k))
		if err != nil {
			a.stats.fail("%s: %v", k, err)
			return
		}
		began := a.last[k]
		a.last[k] = now
		a.emitColumns(k, "", began, now.Sub(began), raw, eventColumns, last)
	})
}

// emitColumns emits two columns of a profile, unless there is nothing in them.
func (a *taker) emitColumns(k Kind, t triggerReason, began time.Time, length time.Duration, raw []byte, first int, last *encoded.Totals) {
	out, samples, err := encoded.Columns(raw, first, kindColumns, last)
	if err != nil {
		a.stats.fail("%s: %v", k, err)
		return
	}
	if samples == 0 {
		return
	}
	body, err := a.zipper.compress(out)
	if err != nil {
		a.stats.fail("%s: %v", k, err)
		return
	}
	a.emit(k, t, began, length, body)
}

func (a *taker) takeGoroutines(t triggerReason, _ sleeper) time.Duration {
	if a.tooManyGoroutines(KindGoroutine) {
		return 0
	}
	return measure(func() {
		var b bytes.Buffer
		now := time.Now()
		if err := pprof.Lookup("goroutine").WriteTo(&b, 0); err != nil {
			a.stats.fail("goroutine: %v", err)
			return
		}
		a.emit(KindGoroutine, t, now, 0, b.Bytes())
	})
}

// takeLeaks has the runtime look for leaks, which is a garbage collection.
func (a *taker) takeLeaks(t triggerReason, _ sleeper) time.Duration {
	if a.tooManyGoroutines(KindGoroutineLeak) {
		return 0
	}
	before := collectedCPU()
	d := measure(func() {
		var b bytes.Buffer
		now := time.Now()
		if err := pprof.Lookup(string(KindGoroutineLeak)).WriteTo(&b, 0); err != nil {
			a.stats.fail("goroutineleak: %v", err)
			return
		}
		a.emit(KindGoroutineLeak, t, now, 0, b.Bytes())
	})
	return d + collectedCPU() - before
}

func (a *taker) tooManyGoroutines(k Kind) bool {
	n := runtime.NumGoroutine()
	if n <= a.cfg.MaxGoroutines {
		return false
	}
	a.stats.stretched(k)
	a.stats.fail("%s: skipped, because %d goroutines exceed Config.MaxGoroutines (%d)", k, n, a.cfg.MaxGoroutines)
	return true
}

// takeWall looks at the stacks of all goroutines WallSamples times within
// WallDuration, at a random moment of each part of it. Every stack counts for
// the time from one look to the next.
//
// It uses runtime.GoroutineProfile, which stops the program twice for some
// 10 µs whatever the number of goroutines and in between takes 2 µs for each.
// The goroutine profile of package pprof takes ten times that, and
// runtime.Stack, which would tell states and how long they have lasted, stops
// the program all the time. The price is that stacks have 32 frames at most,
// and no labels.
func (a *taker) takeWall(_ triggerReason, sleep sleeper) time.Duration {
	var used time.Duration
	stacks := make(map[[maxFrames]uintptr]int)
	var records []runtime.StackRecord
	start, looks := time.Now(), 0
	part := a.cfg.WallDuration / time.Duration(a.cfg.WallSamples)
	for i := range a.cfg.WallSamples {
		next := start.Add(time.Duration(i)*part + rand.N(part+1))
		if !sleep(next) || a.tooManyGoroutines(KindWall) {
			break
		}
		used += measure(func() {
			records = goroutineStacks(records)
			for i := range records {
				stacks[records[i].Stack0]++
			}
		})
		looks++
		if used > a.budget.allowance() {
			break
		}
	}
	if looks == 0 {
		return used
	}
	return used + measure(func() {
		body, err := a.zipper.compress(encodeWall(stacks, part))
		if err != nil {
			a.stats.fail("wall: %v", err)
			return
		}
		a.emit(KindWall, "", start, time.Duration(looks)*part, body)
	})
}
