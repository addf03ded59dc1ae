package ingest_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// process is a program whose counters rise. Its profiles have alloc_space and
// alloc_objects, which count, and inuse_space, which doesn't.
type process struct {
	r      *rand.Rand
	load   uint64     // where it is in memory
	stacks [][]int    // functions, by number
	values [][3]int64 // of each stack
}

var heapTypes = []profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_space", Unit: "bytes"}}

var counting = []string{"alloc_space", "alloc_objects"}

func newProcess(r *rand.Rand) *process {
	return &process{r: r, load: uint64(1+r.IntN(100)) << 24}
}

func (p *process) work() {
	for range 1 + p.r.IntN(20) {
		stack := make([]int, 1+p.r.IntN(4))
		for i := range stack {
			stack[i] = p.r.IntN(9)
		}
		p.stacks, p.values = append(p.stacks, stack), append(p.values, [3]int64{})
	}
	for i := range p.values {
		if p.r.IntN(3) == 0 {
			n := p.r.Int64N(100)
			p.values[i][0] += n
			p.values[i][1] += n * 16
		}
		p.values[i][2] = p.r.Int64N(1000)
	}
}

// profile returns the counters in an order of its own: profilers have none.
func (p *process) profile(columns ...int) *profile.Profile {
	var types []profile.ValueType
	for _, c := range columns {
		types = append(types, heapTypes[c])
	}
	b := profile.NewBuilder(types...)
	m := b.Mapping(profile.Mapping{Start: p.load, Limit: p.load + 1<<20, File: "/bin/app"})
	for _, i := range p.r.Perm(len(p.stacks)) {
		var stack []uint32
		for _, f := range p.stacks[i] {
			name := fmt.Sprint("f", f)
			stack = append(stack, b.Location(p.load+uint64(f)*16+1, m, profile.Line{Function: b.Function(name, name, "f.go", int64(f)), Line: int64(f + 2)}))
		}
		var values []int64
		for _, c := range columns {
			values = append(values, p.values[i][c])
		}
		b.Sample(stack, []profile.Label{{Key: b.String("bytes"), Num: int64(16 << (i % 3)), Numeric: true}}, values...)
	}
	return b.Profile()
}

func total(p *profile.Profile, name string) (sum int64) {
	for t, st := range p.SampleTypes {
		if st.Type == name {
			for _, v := range p.Values[t] {
				sum += v
			}
		}
	}
	return sum
}

func heapPush(p *profile.Profile, at time.Duration) ingest.Push {
	return ingest.Push{Profile: p, Kind: "heap", Time: now.Add(at - 2*time.Hour).UnixNano(), Cumulative: counting,
		Labels: []store.Label{{Name: "service", Value: "api"}, {Name: "instance", Value: "a"}}}
}

// The sum of the differences is the last profile less the first one, stack by
// stack, and of what doesn't count each profile is kept as it is.
func TestDifferencesAddUp(t *testing.T) {
	for seed := range uint64(5) {
		h, r, _ := newHub(nil)
		p := newProcess(rand.New(rand.NewPCG(seed, 1)))
		p.work()
		first := p.profile(0, 1)
		inuse := []*profile.Profile{p.profile(2)}
		receive(t, h, heapPush(p.profile(0, 1, 2), -time.Hour))
		at := -time.Hour
		for range 8 {
			p.work()
			at += time.Minute
			inuse = append(inuse, p.profile(2))
			var push ingest.Push
			if at%(2*time.Minute) == 0 {
				push = heapPush(p.profile(0, 1, 2), at)
			} else { // as bytes
				push = heapPush(nil, at)
				push.Data = encode(t, p.profile(0, 1, 2))
			}
			receive(t, h, push)
		}
		sum := func(ps []*profile.Profile) *profile.Profile {
			out, err := profile.Sum(t.Context(), ps...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		var counted, held []*profile.Profile
		for i, rec := range r.take() {
			if d := int64(time.Minute); i > 0 && (rec.Time != now.Add(-3*time.Hour).UnixNano()+int64(i-1)*d || rec.Duration != d) {
				t.Errorf("record %d is of %d for %d", i, rec.Time, rec.Duration)
			}
			one := *rec.Profile
			one.SampleTypes, one.Values = one.SampleTypes[:2], one.Values[:2]
			counted = append(counted, &one)
			other := *rec.Profile
			other.SampleTypes, other.Values = other.SampleTypes[2:], other.Values[2:]
			held = append(held, &other)
		}
		want := sum([]*profile.Profile{p.profile(0, 1), profile.Scale(first, -1)})
		if d := storetest.Diff(sum(counted), want); d != "" {
			t.Errorf("seed %d: what counts: %s", seed, d)
		}
		for i := range held {
			if d := storetest.Diff(held[i], inuse[i]); d != "" {
				t.Errorf("seed %d: profile %d: %s", seed, i, d)
			}
		}
		if s := h.Stats(); s.Degraded[ingest.DeltaFirst] != 1 || s.Degraded[ingest.DeltaRestart] != 0 || s.DeltaSeries != 1 || s.DeltaBytes == 0 {
			t.Errorf("counted %+v", s)
		}
	}
}

// Where nothing but counters is in a profile, the first one leaves nothing to keep.
func TestFirstOfCounters(t *testing.T) {
	h, r, _ := newHub(nil)
	mutex := push(t, "mutex.accounts.pb.gz")
	mutex.Cumulative, mutex.Time = []string{"contentions", "delay"}, 1000
	receive(t, h, mutex)
	if n := len(r.take()); n > 0 {
		t.Errorf("%d records", n)
	}
	mutex.Time = 2000
	receive(t, h, mutex) // nothing happened since
	records := r.take()
	if len(records) != 1 || records[0].Profile.NumSamples() != 0 || records[0].Time != 1000 || records[0].Duration != 1000 {
		t.Errorf("got %+v", records)
	}
	// What a profile doesn't have can't count.
	cpu := push(t, "cpu.http-server.pb.gz")
	cpu.Cumulative = []string{"alloc_space"}
	receive(t, h, cpu)
	if records := r.take(); len(records) != 1 || records[0].Profile.NumSamples() == 0 {
		t.Errorf("got %+v", records)
	}
}

// A process that begins anew, elsewhere in memory, counts from 0.
func TestRestart(t *testing.T) {
	h, r, _ := newHub(nil)
	rng := rand.New(rand.NewPCG(3, 3))
	p := newProcess(rng)
	for range 10 {
		p.work()
	}
	receive(t, h, heapPush(p.profile(0, 1, 2), 0))
	p = newProcess(rng)
	p.work()
	receive(t, h, heapPush(p.profile(0, 1, 2), time.Minute))
	got := r.take()[1].Profile
	if d := storetest.Diff(got, p.profile(0, 1, 2)); d != "" {
		t.Error(d)
	}
	if s := h.Stats(); s.Degraded[ingest.DeltaRestart] != 1 {
		t.Errorf("counted %v", s.Degraded)
	}
	// One that is loaded elsewhere but has the counters of before goes on.
	p.load += 1 << 30
	p.work()
	before := total(got, "alloc_space")
	receive(t, h, heapPush(p.profile(0, 1, 2), 2*time.Minute))
	got = r.take()[0].Profile
	if d := total(got, "alloc_space"); d != total(p.profile(1), "alloc_space")-before {
		t.Errorf("got a difference of %d", d)
	}
}

// Differences are by time, not by arrival.
func TestOutOfOrder(t *testing.T) {
	h, r, _ := newHub(nil)
	p := newProcess(rand.New(rand.NewPCG(4, 4)))
	var pushes []ingest.Push
	for i := range 4 {
		p.work()
		pushes = append(pushes, heapPush(p.profile(0, 1, 2), time.Duration(i)*time.Minute))
	}
	for _, i := range []int{0, 2, 1, 3} {
		receive(t, h, pushes[i])
	}
	records := r.take()
	sum := int64(0)
	for _, rec := range records {
		sum += total(rec.Profile, "alloc_space")
	}
	if want := total(pushes[3].Profile, "alloc_space") - total(pushes[0].Profile, "alloc_space"); sum != want {
		t.Errorf("differences add up to %d, want %d", sum, want)
	}
	late := records[2]
	if late.Time != pushes[1].Time || total(late.Profile, "alloc_space") != 0 || total(late.Profile, "inuse_space") != total(pushes[1].Profile, "inuse_space") {
		t.Errorf("the late one is %+v", late)
	}
	// What is sent again is not counted again, nor kept twice, whichever it was.
	for _, p := range pushes {
		receive(t, h, p)
	}
	if records := r.take(); len(records) > 0 {
		t.Errorf("%d records again", len(records))
	}
	if s := h.Stats(); s.Degraded[ingest.DeltaLate] != 1 {
		t.Errorf("counted %v", s.Degraded)
	}
}

// A clock that was set back is told from a late profile by counters that rise.
func TestClockSetBack(t *testing.T) {
	h, r, _ := newHub(nil)
	p := newProcess(rand.New(rand.NewPCG(5, 5)))
	sum, first := int64(0), int64(0)
	for i, at := range []time.Duration{0, time.Minute, -time.Hour, -time.Hour + time.Minute} {
		p.work()
		if i == 0 {
			first = total(p.profile(1), "alloc_space")
		}
		receive(t, h, heapPush(p.profile(0, 1, 2), at))
		for _, rec := range r.take() {
			sum += total(rec.Profile, "alloc_space")
		}
	}
	if want := total(p.profile(1), "alloc_space") - first; sum != want {
		t.Errorf("differences add up to %d, want %d", sum, want)
	}
	if s := h.Stats(); s.Degraded[ingest.Clock] != 1 || s.Degraded[ingest.DeltaLate] != 0 {
		t.Errorf("counted %v", s.Degraded)
	}
}

// What the store didn't take is in the difference when it is sent again.
func TestDifferenceAfterFailure(t *testing.T) {
	h, r, _ := newHub(nil)
	p := newProcess(rand.New(rand.NewPCG(6, 6)))
	p.work()
	receive(t, h, heapPush(p.profile(0, 1, 2), 0))
	r.take()
	first := total(p.profile(1), "alloc_space")
	p.work()
	second := heapPush(p.profile(0, 1, 2), time.Minute)
	r.fail = func([]store.Record) error { return errors.New("no luck") }
	if h.Receive(t.Context(), "test", second) == nil {
		t.Fatal("no error")
	}
	r.fail = nil
	receive(t, h, second)
	if got, want := total(r.take()[0].Profile, "alloc_space"), total(second.Profile, "alloc_space")-first; got != want {
		t.Errorf("got a difference of %d, want %d", got, want)
	}
}

// One that is too old makes the store be asked for each: a series that the store
// has no room for then loses nothing either.
func TestDifferenceAfterFailureOfSome(t *testing.T) {
	h, r, _ := newHub(nil)
	of := func(p *process, instance string, at time.Duration) ingest.Push {
		push := heapPush(p.profile(0, 1, 2), at)
		push.Labels[1].Value = instance
		return push
	}
	a, b := newProcess(rand.New(rand.NewPCG(8, 8))), newProcess(rand.New(rand.NewPCG(9, 9)))
	a.work()
	b.work()
	receive(t, h, of(a, "a", 0), of(b, "b", 0))
	r.take()
	first := total(a.profile(1), "alloc_space")
	a.work()
	b.work()
	full, expired := of(a, "a", time.Minute), of(b, "b", time.Minute)
	r.fail = func(records []store.Record) error {
		if len(records) == 1 && records[0].Labels.Get("instance") == "a" {
			return store.ErrFull
		}
		return store.ErrExpired
	}
	var e *ingest.Error
	if err := h.Receive(t.Context(), "test", full, expired); !errors.As(err, &e) || e.Reason != ingest.Unavailable {
		t.Fatalf("got %v", err)
	}
	r.fail = nil
	receive(t, h, full, expired)
	records := r.take()
	if len(records) != 1 {
		t.Fatalf("%d records, want that of a alone: b's was too old", len(records))
	}
	if got, want := total(records[0].Profile, "alloc_space"), total(full.Profile, "alloc_space")-first; got != want {
		t.Errorf("got a difference of %d, want %d", got, want)
	}
}

// Several profiles of a series in one request are one after the other, as are
// those of requests at the same time.
func TestDifferencesAtOnce(t *testing.T) {
	h, r, _ := newHub(nil)
	p := newProcess(rand.New(rand.NewPCG(7, 7)))
	var pushes []ingest.Push
	for i := range 10 {
		p.work()
		for _, instance := range []string{"a", "b", "c"} {
			push := heapPush(p.profile(0, 1, 2), time.Duration(i)*time.Minute)
			push.Labels[1].Value = instance
			pushes = append(pushes, push)
		}
	}
	receive(t, h, pushes[:9]...)
	receive(t, h, append(pushes[6:9:9], pushes[6:9]...)...) // known
	errs := make(chan error)
	for i := range 4 {
		go func() {
			order := rand.New(rand.NewPCG(uint64(i), 8)).Perm(len(pushes))
			var mine []ingest.Push
			for _, j := range order {
				mine = append(mine, pushes[j])
			}
			errs <- h.Receive(t.Context(), "test", mine...)
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	sums := map[string]int64{}
	for _, rec := range r.take() {
		sums[rec.Labels.Get("instance")] += total(rec.Profile, "alloc_space")
	}
	want := total(pushes[len(pushes)-1].Profile, "alloc_space") - total(pushes[0].Profile, "alloc_space")
	for _, instance := range []string{"a", "b", "c"} {
		if sums[instance] != want {
			t.Errorf("instance %s: differences add up to %d, want %d", instance, sums[instance], want)
		}
	}
}

// Differences are of the instance that sends, also when there are too many.
func TestDifferencesOfOtherInstances(t *testing.T) {
	h, r, _ := newHub(func(cfg *ingest.Config) { cfg.MaxServiceSeries = 1 })
	p := newProcess(rand.New(rand.NewPCG(9, 9)))
	want := int64(0)
	for i := range 2 {
		p.work()
		for j := range 3 {
			push := heapPush(p.profile(0, 1, 2), time.Duration(i)*time.Minute)
			push.Labels[1].Value = fmt.Sprint("i", j)
			receive(t, h, push)
		}
		if i == 0 {
			want = -total(p.profile(1), "alloc_space")
		} else {
			want += total(p.profile(1), "alloc_space")
		}
	}
	for _, rec := range r.take()[3:] {
		if got := total(rec.Profile, "alloc_space"); got != want {
			t.Errorf("%v: got a difference of %d, want %d", rec.Labels, got, want)
		}
	}
	if h.Stats().Degraded[ingest.DeltaRestart] != 0 {
		t.Error("instances were taken for each other")
	}
}

// Memory is bounded: series that were idle longest are forgotten, and counted.
func TestDifferencesAreForgotten(t *testing.T) {
	h, r, _ := newHub(func(cfg *ingest.Config) { cfg.DeltaBytes = 20_000 })
	p := newProcess(rand.New(rand.NewPCG(10, 10)))
	for range 5 {
		p.work()
	}
	send := func(instance int, at time.Duration) {
		push := heapPush(p.profile(0, 1, 2), at)
		push.Labels[1].Value = fmt.Sprint("i", instance)
		receive(t, h, push)
	}
	for i := range 50 {
		send(i, 0)
		send(0, time.Duration(i+1)*time.Second) // in use all the time
	}
	s := h.Stats()
	if s.DeltaBytes > 20_000 || s.DeltaSeries >= 20 || s.DeltaSeries < 1 || s.Degraded[ingest.DeltaForgotten] != int64(50-s.DeltaSeries) {
		t.Errorf("got %+v", s)
	}
	r.take()
	p.work()
	first := s.Degraded[ingest.DeltaFirst]
	send(0, time.Hour)
	if h.Stats().Degraded[ingest.DeltaFirst] != first {
		t.Error("the series in use was forgotten")
	}
	send(2, time.Hour)
	if h.Stats().Degraded[ingest.DeltaFirst] != first+1 {
		t.Error("an idle series was not forgotten")
	}
}

// Real profiles of one process, one after the other.
func TestRealDifference(t *testing.T) {
	h, r, _ := newHub(nil)
	decoded, err := profile.DecodeBytes(ingesttest.Profile(t, "heap.http-server.pb.gz"), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	receive(t, h, ingest.Push{Profile: decoded, Time: 1, Cumulative: counting})
	receive(t, h, ingest.Push{Profile: profile.Scale(decoded, 3), Time: 2, Cumulative: counting})
	records := r.take()
	want := profile.Scale(decoded, 2, 2, 3, 3)
	want.TimeNanos, want.DurationNanos = records[1].Profile.TimeNanos, records[1].Profile.DurationNanos
	if d := storetest.Diff(records[1].Profile, want); d != "" {
		t.Error(d)
	}
}

// TestDifferenceMemory: what leads to a difference takes memory as well. What has
// no room counts in the next difference.
func TestDifferenceMemory(t *testing.T) {
	memory := ingest.NewMemory(24 << 20)
	h, r, _ := newHub(func(cfg *ingest.Config) { cfg.Memory = memory })
	send := func(samples int, time int64, cumulative ...string) error {
		b := profile.NewBuilder(profile.ValueType{Type: "contentions", Unit: "count"})
		for i := range samples {
			b.Sample([]uint32{b.Location(1+uint64(i), 0)}, nil, 1)
		}
		push := ingest.Push{Data: encode(t, b.Profile()), Time: time, Cumulative: cumulative, Labels: []store.Label{{Name: "service", Value: "api"}}}
		return h.Receive(t.Context(), "test", push)
	}
	for i, test := range []struct {
		samples int
		fits    bool
	}{{10, true}, {100_000, false}, {20, true}} {
		err := send(test.samples, int64(1000+i), "contentions")
		var e *ingest.Error
		if (err == nil) != test.fits || err != nil && (!errors.As(err, &e) || e.Reason != ingest.TooLarge) {
			t.Errorf("%d samples: %v", test.samples, err)
		}
		if used := memory.Used(); used != 0 {
			t.Errorf("%d samples: %d bytes are not given back", test.samples, used)
		}
	}
	if records := r.take(); len(records) != 1 || records[0].Profile.NumSamples() != 10 {
		t.Errorf("got %+v", records)
	}
	if err := send(100_000, 2000); err != nil {
		t.Errorf("without a difference: %v", err)
	}
}

// Processes with the same labels send by turns. What each counts is told apart by
// its counters: all that can't be known is what a process counted before it came.
func TestDifferencesOfEqualLabels(t *testing.T) {
	for _, senders := range []int{2, 3, 20} {
		var log bytes.Buffer
		h, r, _ := newHub(func(cfg *ingest.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		processes := make([]*process, senders)
		for i := range processes {
			processes[i] = newProcess(rand.New(rand.NewPCG(uint64(i), 2)))
			for range 50 {
				processes[i].work()
			}
		}
		at := -time.Hour
		turn := func() {
			for _, p := range processes {
				at += time.Second
				receive(t, h, heapPush(p.profile(0, 1, 2), at))
				p.work()
			}
		}
		sum := func() (counted int64) {
			for _, rec := range r.take() {
				counted += total(rec.Profile, "alloc_space")
			}
			return counted
		}
		for range 3 {
			turn()
		}
		sum()
		before := int64(0)
		for _, p := range processes {
			before += total(p.profile(0, 1), "alloc_space")
		}
		for range 5 {
			turn()
		}
		last := int64(0)
		for _, p := range processes {
			last += total(p.profile(0, 1), "alloc_space")
		}
		counted := sum()
		// The last turn's work is sent with the next one, and that of the turn before these came with them.
		if most := last - before; counted > 2*most || senders <= 8 && counted < most/2 {
			t.Errorf("%d senders: %d bytes were counted, they allocated about %d", senders, counted, most)
		}
		if n := strings.Count(log.String(), "same labels"); n != 1 {
			t.Errorf("%d senders: the log names the clash %d times:\n%s", senders, n, log.String())
		}
	}
}

// Where the protocol tells processes apart, equal labels change nothing.
func TestDifferencesOfSenders(t *testing.T) {
	h, r, _ := newHub(nil)
	one := func(value int64) *profile.Profile {
		b := profile.NewBuilder(heapTypes[:2]...)
		b.Sample([]uint32{b.Location(1, 0)}, nil, value, value)
		return b.Profile()
	}
	at := -time.Hour
	for i := range int64(10) {
		for sender, start := range map[string]int64{"a": 1000, "b": 10} {
			at += time.Second
			p := heapPush(one(start+i), at)
			p.Sender = sender
			receive(t, h, p)
		}
	}
	counted := int64(0)
	for _, rec := range r.take() {
		counted += total(rec.Profile, "alloc_space")
	}
	if counted != 18 {
		t.Errorf("%d bytes were counted, 2 processes allocated 9 each", counted)
	}
	if s := h.Stats(); s.Degraded[ingest.DeltaFirst] != 2 || s.Degraded[ingest.DeltaRestart] != 0 {
		t.Errorf("degraded: %v", s.Degraded)
	}
}
