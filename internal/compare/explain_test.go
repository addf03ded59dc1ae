package compare

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/profile"
)

// TestPerOperation: where a profile says how many operations it is of, and their
// CPU time is not about their time, it is CPU time that is told, with a caveat.
func TestPerOperation(t *testing.T) {
	of := func(comment string) *profile.Profile { return &profile.Profile{Comments: []string{comment}} }
	const ms = 1_000_000
	for _, c := range []struct {
		name       string
		base, head string // comments
		totals     [2]float64
		want       [2]float64 // seconds; the metric is a millisecond
		caveat     string
	}{
		{"busy", "hone: iterations 100", "hone: iterations 200", [2]float64{100 * ms, 180 * ms}, [2]float64{1e-3, 1e-3}, ""},
		{"waits", "hone: iterations 100", "hone: iterations 100", [2]float64{10 * ms, 90 * ms}, [2]float64{0.1e-3, 0.9e-3}, "on a CPU for 10 % of the time (base) and 90 % (head)"},
		{"two cores", "hone: iterations 100", "hone: iterations 100", [2]float64{190 * ms, 200 * ms}, [2]float64{1.9e-3, 2e-3}, "1.9 times the time (base) and 2.0 times (head)"},
		{"one side unknown", "hone: iterations 100", "", [2]float64{10 * ms, 90 * ms}, [2]float64{1e-3, 1e-3}, ""},
		{"empty", "hone: iterations 100", "hone: iterations 100", [2]float64{0, 90 * ms}, [2]float64{1e-3, 1e-3}, ""},
	} {
		e := &explanation{baseProfile: of(c.base), headProfile: of(c.head)}
		a := &attribution{costs: [2]cost{{value: 1e-3}, {value: 1e-3}}, total: [2]weighed{{c.totals[0], c.totals[0] * 10e6}, {c.totals[1], c.totals[1] * 10e6}}}
		e.perOperation(a)
		for i, got := range a.costs {
			if math.Abs(got.value-c.want[i]) > 1e-9 || (got.below > 0) != (c.caveat != "") {
				t.Errorf("%s: %+v s, want %v", c.name, a.costs, c.want)
				break
			}
		}
		// What profiles do not see makes up for it: the benchmark did not change.
		if sum := a.costs[1].value - a.costs[0].value + e.remainder.value; math.Abs(sum) > 1e-12 || (e.remainder.why == "") != (c.caveat == "") {
			t.Errorf("%s: a change of %v with the remainder %+v", c.name, sum, e.remainder)
		}
		if !strings.Contains(e.caveat, c.caveat) || (c.caveat == "") != (e.caveat == "") {
			t.Errorf("%s: caveat %q, want %q", c.name, e.caveat, c.caveat)
		}
	}
}

// encoded writes a profile to a file, and returns its name.
func encoded(t *testing.T, p *profile.Profile, file string) string {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Encode(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// A drop_frames that is no regular expression is a caveat; the functions are compared
// all the same.
func TestUnparsableDropFrames(t *testing.T) {
	write := func(name, drop string, value int64) string {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function("main.work", "main.work", "", 0)})}, nil, value)
		p := b.Profile()
		p.DropFrames = drop
		return encoded(t, p, filepath.Join(t.TempDir(), name))
	}
	e := &explanation{sampleType: "cpu", base: 1, head: 2, change: bounded{1, 1, 1}}
	if err := e.read(write("base.pb.gz", "(noise", 1e9), write("head.pb.gz", "noise", 2e9)); err != nil {
		t.Fatal(err)
	}
	if len(e.rows) != 1 || e.rows[0].name != "main.work" {
		t.Errorf("rows %+v", e.rows)
	}
	if !strings.Contains(e.caveat, "base.pb.gz: the profile's drop_frames: ") || !strings.Contains(e.caveat, "no frames are dropped") || strings.Contains(e.caveat, "head.pb.gz") {
		t.Errorf("caveat %q", e.caveat)
	}
}

// TestEmptyProfile: of a side that allocates so little that the profiler took none of it,
// nothing is known but what it costs, and that may be any function's. What changed by more
// moved it.
func TestEmptyProfile(t *testing.T) {
	write := func(blocks int64, root string) string {
		const size = 16 << 10
		b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
		at := func(function string) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(function, function, "", 0)})
		}
		if blocks > 0 {
			b.Sample([]uint32{at("main.allocate"), at("main.handle"), at(root)}, nil, blocks, blocks*size)
			b.Sample([]uint32{at("main.answer"), at("main.handle"), at(root)}, nil, blocks/20, blocks/20*size)
		}
		if root == runN {
			b.Sample([]uint32{at("testing.start")}, nil, 100, 100*size)
		}
		p := b.Profile()
		p.PeriodType, p.Period, p.DurationNanos = profile.ValueType{Type: "space", Unit: "bytes"}, 512<<10, 1e9
		return encoded(t, p, filepath.Join(t.TempDir(), "allocs.pb.gz"))
	}
	const little, much = 2e3, 64e3
	const none, some = 0, 6400 // blocks; a sample is taken for some thirty of them
	for _, c := range []struct {
		name        string
		blocks      [2]int64
		base, head  float64
		unit        string
		root        string
		caveat      string
		before, now bool // what functions cost is known
		left        float64
	}{
		{"base", [2]int64{none, some}, little, much, "B/op", "main.main", "the base's profile is empty: profile for longer", false, true, -little},
		{"head", [2]int64{some, none}, much, little, "B/op", "main.main", "the head's profile is empty: profile for longer", true, false, little},
		{"base of a benchmark", [2]int64{none, some}, little, much, "B/op", runN, "the base's profile is empty: profile for longer", false, true, -little},
		// That there is none of what costs nothing is known.
		{"nothing before", [2]int64{none, some}, 0, much, "B/op", "main.main", "", true, true, 0},
		// No function is shown.
		{"both", [2]int64{none, none}, much, little, "B/op", "main.main", "neither profile has samples", false, false, 0},
		{"both of a benchmark", [2]int64{none, none}, much, little, "B/op", runN, "neither profile has samples", false, false, 0},
		{"both, from nothing", [2]int64{none, none}, 0, little, "B/op", "main.main", "neither profile has samples", false, false, 0},
		{"time", [2]int64{none, some}, little, much, "sec/op", "main.main", "the base's profile is empty: the benchmark waits, or", false, false, 0},
		{"as large", [2]int64{none, some}, much * 1.1, much, "B/op", "main.main", "no function changed by more than the whole cost of this side, so the cause is unknown", false, false, 0},
	} {
		change := c.head - c.base
		e := &explanation{key: experiment.Key{Package: "load/http"}, sampleType: "alloc_space", unit: c.unit, base: c.base, head: c.head, change: bounded{change, change, change}}
		if c.root == runN {
			e.key.Package = "example.com/p"
		}
		if err := e.read(write(c.blocks[0], c.root), write(c.blocks[1], c.root)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !strings.Contains(e.caveat, c.caveat) || (c.caveat == "") != (e.caveat == "") || math.Abs(e.remainder.value-c.left) > 1e-9 || e.tooFew != nil {
			t.Errorf("%s: caveat %q, remainder %+v, too few: %+v", c.name, e.caveat, e.remainder, e.tooFew)
		}
		text, err := json.Marshal(e.document())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !c.before && !c.now {
			if len(e.rows) != 0 || len(e.callers) != 0 {
				t.Errorf("%s: rows %+v, callers %+v", c.name, e.rows, e.callers)
			}
			continue
		}
		if len(e.rows) == 0 || e.rows[0].name != "main.allocate" || len(e.callers) == 0 {
			t.Fatalf("%s: rows %+v, callers %+v", c.name, e.rows, e.callers)
		}
		sum := e.othersOwn.value + e.remainder.value
		for i := range e.rows {
			sum += e.rows[i].ownChange.value
		}
		if math.Abs(sum-change) > 1e-9*much {
			t.Errorf("%s: what is shown adds up to %v, not to %v", c.name, sum, change)
		}
		for _, l := range []movedLine{e.lines(1)[0], e.callerLines(1)[0]} {
			before, now, _ := strings.Cut(l.callees, " → ")
			if (before == "?") == c.before || (now == "?") == c.now || (l.words == "(new)") != (c.before && c.now) {
				t.Errorf("%s: line %+v", c.name, l)
			}
		}
		for part, known := range map[string]bool{`"baseOwn":null`: c.before, `"baseCum":null`: c.before, `"headOwn":null`: c.now, `"headCum":null`: c.now} {
			if strings.Contains(string(text), part) == known {
				t.Errorf("%s: %s in %s", c.name, part, text)
			}
		}
	}
}

// runN calls a benchmark.
const runN = "testing.(*B).runN"

// Whichever clock judges, a CPU profile tells what moved it.
func TestClocksAreExplained(t *testing.T) {
	for _, unit := range []string{"ns/op", experiment.CPUTime} {
		if _, tidy := benchunit.Tidy(1, unit); explained[tidy].sampleType != "cpu" {
			t.Errorf("%s, tidied %s, is explained by %+v", unit, tidy, explained[tidy])
		}
	}
}
