package agent

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/hone-go/hone/agent/internal/encoded"
)

const (
	// sampleCost is what a sample of a CPU profile costs: the signal, and
	// walking the stack. There is no way to measure it from inside.
	sampleCost = 10 * time.Microsecond
	// samplesPerSecond of CPU time; see runtime.SetCPUProfileRate.
	samplesPerSecond = 100
	// sendCost is what it costs to send a profile, most of it in goroutines of
	// net/http.
	sendCost = 500 * time.Microsecond
	// goroutineCost and stackCost are what a goroutine profile and a look at
	// the stacks cost for each goroutine.
	goroutineCost = 10 * time.Microsecond
	stackCost     = 3 * time.Microsecond
	// leakPeriod is the least time between two searches for leaks. Each is a
	// garbage collection; the runtime forces one every two minutes by itself.
	leakPeriod = 10 * time.Minute
)

// A source is a way to get profiles, of one kind or of several at once.
type source struct {
	name  string
	kinds []Kind
	lasts time.Duration // 0: a moment
	// take emits profiles and returns the CPU time it has used. It waits with
	// Agent.sleep, which lets triggered captures in.
	take func(t trigger) time.Duration
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
func (a *Agent) sources() []source {
	all := []source{
		{name: "cpu", kinds: []Kind{KindCPU}, lasts: a.cfg.CPUDuration, take: a.takeCPU, garbage: 2_400_000},
		{name: "wall", kinds: []Kind{KindWall}, lasts: a.cfg.WallDuration, take: a.takeWall, perGoroutine: stackCost * time.Duration(a.cfg.WallSamples), garbage: 200_000},
		{name: "memory", kinds: []Kind{KindHeap, KindAllocs}, take: a.takeMemory, garbage: 1_500_000},
		{name: "mutex", kinds: []Kind{KindMutex}, take: func(trigger) time.Duration { return a.takeEvents(KindMutex, &a.mutex) }, garbage: 1_500_000},
		{name: "block", kinds: []Kind{KindBlock}, take: func(trigger) time.Duration { return a.takeEvents(KindBlock, &a.block) }, garbage: 1_500_000},
		{name: "goroutine", kinds: []Kind{KindGoroutine}, take: a.takeGoroutines, perGoroutine: goroutineCost, garbage: 1_400_000},
	}
	if pprof.Lookup(string(KindGoroutineLeak)) != nil {
		rounds := int((leakPeriod + a.cfg.Period - 1) / a.cfg.Period)
		all = append(all, source{name: "goroutineleak", kinds: []Kind{KindGoroutineLeak}, take: a.takeLeaks, garbage: 200_000, rounds: rounds})
	}
	return all
}

// wanted returns the sources of the kinds that the configuration asks for.
func (a *Agent) wanted() []source {
	return slices.DeleteFunc(a.sources(), func(s source) bool { return !slices.ContainsFunc(s.kinds, a.cfg.wants) })
}

// collect records profiles until the agent stops, then the last deltas.
func (a *Agent) collect() {
	a.setCounters()
	close(a.ready)
	sources := a.wanted()
	for round := time.Now(); ; {
		for _, step := range a.plan(sources) {
			if !a.sleep(round.Add(step.at)) {
				a.flush()
				return
			}
			a.use(step.source, "")
			if a.pending {
				a.pending = false
				a.capture(triggerCPU)
			}
		}
		round = round.Add(a.cfg.Period)
		if now := time.Now(); now.After(round) {
			round = now // the machine was asleep, or recording took longer
		}
		if !a.sleep(round) {
			a.flush()
			return
		}
	}
}

// A step is a source to use at a time after the beginning of a round.
type step struct {
	source source
	at     time.Duration
}

// plan returns what to do in a round, one after the other, in an order and with
// pauses that are random: profiles of many processes are spread over time, and
// nothing that the program does every minute is always or never seen.
func (a *Agent) plan(sources []source) []step {
	var steps []step
	free := a.cfg.Period
	for _, s := range sources {
		if s.perGoroutine > 0 {
			a.budget.foresee(s.name, runtime.NumGoroutine(), s.perGoroutine)
		}
		if !a.budget.due(s.name, s.rounds) {
			a.leftOut(s)
			continue
		}
		steps = append(steps, step{source: s})
		free -= s.lasts
	}
	rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	pauses := make([]time.Duration, len(steps))
	for i := range pauses {
		pauses[i] = rand.N(free + 1)
	}
	slices.Sort(pauses)
	var busy time.Duration
	for i := range steps {
		steps[i].at = pauses[i] + busy
		busy += steps[i].source.lasts
	}
	return steps
}

// leftOut counts what the budget does not allow.
func (a *Agent) leftOut(s source) {
	if !a.budget.stretched(s.name) {
		return
	}
	for _, k := range s.kinds {
		if a.cfg.wants(k) {
			a.stats.stretched(k)
		}
	}
}

// use takes profiles from a source and accounts for them.
func (a *Agent) use(s source, t trigger) {
	taken, captured := a.taken, a.captured
	defer func() {
		if r := recover(); r != nil { // the program is not to die of its profiler
			a.stats.fail("%s: panic: %v", s.name, r)
		}
	}()
	d := s.take(t)
	// Without those of captures meanwhile.
	own := (a.taken - taken) - (a.captured - captured)
	if own > 0 {
		d += time.Duration(own)*sendCost + collectionCPU(s.garbage)
	}
	if t != "" {
		a.captured += own
		a.stats.add(&a.stats.Triggered, int64(own))
	}
	if a.hooks.cost != nil {
		d = a.hooks.cost(s.name)
	}
	a.stats.spent(d)
	a.budget.spent(s.name, d)
}

// sleep returns true at the given time, false when the agent stops before.
// Captures that are triggered meanwhile are taken while it waits.
func (a *Agent) sleep(until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case <-a.stopping:
			return false
		default:
		}
		select {
		case <-a.stopping:
			return false
		case <-timer.C:
			return true
		case t := <-a.triggered:
			a.capture(t)
		}
	}
}

// takeCPU records for CPUDuration. What the runtime writes is sent as it is.
func (a *Agent) takeCPU(t trigger) time.Duration {
	var w timedBuffer
	cpu, start := processCPU(), time.Now()
	if err := pprof.StartCPUProfile(&w); err != nil {
		a.stats.add(&a.stats.Busy, 1) // the program's own, or a request for one
		return 0
	}
	a.profiling = true
	a.sleep(start.Add(a.cfg.CPUDuration))
	length := time.Since(start)
	pprof.StopCPUProfile()
	a.profiling = false
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
func (a *Agent) setCounters() {
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
}

// lookup returns a profile as it is now, not compressed.
func lookup(name string) ([]byte, error) {
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		return nil, err
	}
	return gunzip(b.Bytes())
}

// gunzip returns what runtime/pprof wrote.
func gunzip(gz []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// takeMemory takes the heap as of the last garbage collection and, unless it
// was triggered, what has been allocated since the last time.
func (a *Agent) takeMemory(t trigger) time.Duration {
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
func (a *Agent) takeEvents(k Kind, last *encoded.Totals) time.Duration {
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
func (a *Agent) emitColumns(k Kind, t trigger, began time.Time, length time.Duration, raw []byte, first int, last *encoded.Totals) {
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

// A zipper compresses profiles. It keeps the tables for that, of 0.8 MB: made
// anew they would be half of all that the agent allocates, and cause garbage
// collections that cost as much as its work.
type zipper struct{ z *gzip.Writer }

func (z *zipper) compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	if z.z == nil {
		var err error
		if z.z, err = gzip.NewWriterLevel(&b, gzip.BestSpeed); err != nil { // as runtime/pprof does
			return nil, err
		}
	}
	z.z.Reset(&b)
	if _, err := z.z.Write(data); err != nil {
		return nil, err
	}
	if err := z.z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (a *Agent) takeGoroutines(t trigger) time.Duration {
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
func (a *Agent) takeLeaks(t trigger) time.Duration {
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

func (a *Agent) tooManyGoroutines(k Kind) bool {
	n := runtime.NumGoroutine()
	if n <= a.cfg.MaxGoroutines {
		return false
	}
	a.stats.stretched(k)
	a.stats.fail("%s: %d goroutines are more than %d, see Config.MaxGoroutines", k, n, a.cfg.MaxGoroutines)
	return true
}

// flush takes what has been counted since the last profiles.
func (a *Agent) flush() {
	for _, s := range a.wanted() {
		if s.name == "memory" && a.cfg.wants(KindAllocs) || s.name == "mutex" || s.name == "block" {
			a.use(s, "")
		}
	}
}

// capture takes the profile that a trigger asks for, on top of the schedule. A
// CPU profile that is under way is not disturbed: it sees what there is to see,
// and the one that was asked for follows it.
func (a *Agent) capture(t trigger) {
	if t == triggerCPU && a.profiling {
		a.pending = true
		return
	}
	name := map[trigger]string{triggerCPU: "cpu", triggerHeap: "memory", triggerGoroutines: "goroutine"}[t]
	for _, s := range a.sources() {
		if s.name == name {
			a.use(s, t)
		}
	}
}
