package compare

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// A fixture is a pair of CPU profiles: ticks by function, of the base and the head.
type fixture []struct {
	name       string
	base, head int64
}

// files writes the profiles, as long as their ticks take, with all counts times
// as large.
func (f fixture) files(t *testing.T, times int64) (base, head string) {
	t.Helper()
	const period = 10 * time.Millisecond
	dir := t.TempDir()
	write := func(name string, ticks func(i int) int64) string {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		work := b.Location(0, 0, profile.Line{Function: b.Function("main.work", "main.work", "", 0)})
		total := int64(0)
		for i, one := range f {
			if n := ticks(i) * times; n > 0 {
				leaf := b.Location(0, 0, profile.Line{Function: b.Function(one.name, one.name, "", 0)})
				b.Sample([]uint32{leaf, work}, nil, n, n*int64(period))
				total += n
			}
		}
		p := b.Profile()
		p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, int64(period)
		p.DurationNanos = total * int64(period)
		return encoded(t, p, filepath.Join(dir, name))
	}
	return write("base.pb.gz", func(i int) int64 { return f[i].base }), write("head.pb.gz", func(i int) int64 { return f[i].head })
}

// explained explains a change from 503 ns to 506.5 ns, known to 2 ns, by two
// profiles.
func (f fixture) explained(t *testing.T, times int64) *explanation {
	t.Helper()
	e := &explanation{what: "CPU profiles", sampleType: "cpu", unit: "sec/op", base: 503e-9, head: 506.5e-9, change: bounded{3.5e-9, 1.5e-9, 5.5e-9}}
	if err := e.read(f.files(t, times)); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestMoreThanTheChange: profiles of 200 ticks have time.Date at 29.6 ns more,
// where all of it is 3.5 ns slower. That is their noise, not what moved it.
func TestMoreThanTheChange(t *testing.T) {
	ticks := fixture{
		{"time.Date", 16, 28}, {"time.Time.Add", 25, 20}, {"strconv.Atoi", 40, 35}, {"runtime.mallocgc", 30, 33},
		{"runtime.memmove", 22, 19}, {"strings.Index", 18, 21}, {"main.parse", 26, 22}, {"main.check", 23, 22},
	}
	e := ticks.explained(t, 1)
	for _, r := range append(e.rows, e.callers...) {
		if r.name != "main.work" {
			t.Errorf("%s is said to have moved it by %v in [%v, %v]", r.name, r.ownChange.value, r.ownChange.lo, r.ownChange.hi)
		}
	}
	if e.tooFew == nil || e.tooFew.samples != [2]int64{200, 200} || e.tooFew.long <= 2*time.Second {
		t.Fatalf("too few: %+v", e.tooFew)
	}
	var text strings.Builder
	for _, n := range e.notes() {
		text.WriteString(n)
	}
	for _, want := range []string{"too few samples to say what moved it (200 and 200)", "a function that changed by 3.500n", "-profiletime 10m"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in %s", want, text.String())
		}
	}
}

// TestMovedByOne: profiles that are long enough name the one function that
// changed, by about what the benchmark changed, and with that of the rest the
// change is whole.
func TestMovedByOne(t *testing.T) {
	ticks := fixture{
		{"time.Date", 16_000, 17_280}, {"strconv.Atoi", 65_000, 65_100}, {"runtime.mallocgc", 40_000, 39_920}, {"main.parse", 62_000, 62_090}, {"main.check", 17_000, 16_990},
	}
	e := ticks.explained(t, 1)
	if len(e.rows) != 1 || e.rows[0].name != "time.Date" || e.tooFew != nil || e.others != 4 {
		t.Fatalf("rows %+v, %d others, too few: %+v", e.rows, e.others, e.tooFew)
	}
	if d := e.rows[0].ownChange; d.lo <= 0 || d.lo > 3.5e-9 || d.hi < 3.5e-9 {
		t.Errorf("time.Date changed by %+v", d)
	}
	e.addsUp(t)
}

// addsUp fails unless what is shown is the change.
func (e *explanation) addsUp(t *testing.T) {
	t.Helper()
	sum := e.othersOwn.value + e.remainder.value
	for i := range e.rows {
		sum += e.rows[i].ownChange.value
		if r := &e.rows[i]; r.ownChange.noise() || math.Abs(r.own[1]-r.own[0]-r.ownChange.value) > 1e-9*math.Abs(e.base) {
			t.Errorf("%s changed by %+v from %v to %v", r.name, r.ownChange, r.own[0], r.own[1])
		}
	}
	if math.Abs(sum-e.change.value) > 1e-9*math.Abs(e.change.value) {
		t.Errorf("%s: what is shown adds up to %v, not to %v", e.key, sum, e.change.value)
	}
}

// TestAddsUp: so it is for real profiles.
func TestAddsUp(t *testing.T) {
	runs := inFolder(t, nil)
	for _, names := range [][]string{{againstRun}, {baseRun, "20261121-093000-00bb"}} {
		c := comparisonOf(t, runs, names, false)
		if len(c.Sides[0].explained) != 3 {
			t.Errorf("%q: %d explanations", names, len(c.Sides[0].explained))
		}
		for _, e := range c.Sides[0].explained {
			if len(e.rows) == 0 {
				t.Errorf("%q: nothing moved %s", names, e.key)
			}
			e.addsUp(t)
		}
	}
}

// TestSamples: how many samples are in a profile, whatever they count for.
func TestSamples(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	at := []uint32{b.Location(0, 0, profile.Line{Function: b.Function("f", "f", "", 0)})}
	b.Sample(at, nil, 100_000, 1_600_000) // of 16 bytes at a rate of 16,000: a thousandth, about
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "space", Unit: "bytes"}, 16_000
	for _, sampleType := range []string{"alloc_objects", "alloc_space"} {
		e := &explanation{sampleType: sampleType}
		if n := e.samplesOf(p); n != 100 {
			t.Errorf("%s: %d samples, want 100", sampleType, n)
		}
	}
	p.Period = 1
	if n := (&explanation{sampleType: "alloc_space"}).samplesOf(p); n != 100_000 {
		t.Errorf("%d samples where all are taken", n)
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{2 * time.Second: "2s", 10 * time.Second: "10s", time.Minute: "1m", 20 * time.Minute: "20m", time.Hour: "1h", 0: "0s"} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
