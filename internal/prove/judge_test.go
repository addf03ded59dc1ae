package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
)

// TestJudge has verdicts of benchmarks, and what they are together.
func TestJudge(t *testing.T) {
	timeOf := func(name string, v experiment.Verdict, confirmed experiment.Confirmation, ratio float64, more ...func(*experiment.Comparison)) experiment.Comparison {
		c := experiment.Comparison{
			Key: experiment.Key{Package: "m", Benchmark: name, Unit: "ns/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio, Pairs: 10, Gated: true,
			Verdict: v, Confirmation: confirmed, Change: ratio, Interval: experiment.Interval{Lo: ratio - 0.01, Hi: ratio + 0.01}, Budget: 0.02,
		}
		c.Beyond = v == experiment.Worse
		for _, f := range more {
			f(&c)
		}
		return c
	}
	allocs := func(v experiment.Verdict, confirmed experiment.Confirmation, ratio float64) experiment.Comparison {
		return timeOf("A", v, confirmed, ratio, func(c *experiment.Comparison) {
			c.Unit, c.Exact, c.Beyond, c.Budget = "allocs/op", true, v == experiment.Worse, 0
		})
	}
	within := func(c *experiment.Comparison) { c.Beyond, c.Interval.Hi = false, 1.015 }
	perhaps := func(c *experiment.Comparison) { c.Beyond, c.Interval.Hi = false, 1.03 }
	busy := func(c *experiment.Comparison) { c.Busy = true }
	byCPU := func(c *experiment.Comparison) { c.JudgedBy = experiment.CPUTime }
	cpu := func(c *experiment.Comparison) { c.Unit = experiment.CPUTime }
	const agreed, disagreed, pending, not = experiment.Agreed, experiment.Disagreed, experiment.Pending, experiment.NotRepeated
	for name, c := range map[string]struct {
		of   []experiment.Comparison
		want string // speed, allocations and whether it is a regression; the beginning of the reason
	}{
		"faster":               {[]experiment.Comparison{timeOf("A", experiment.Better, agreed, 0.5)}, "faster false: A −50.0 % [−51.0, −49.0]"},
		"not confirmed":        {[]experiment.Comparison{timeOf("A", experiment.Better, disagreed, 0.5)}, "inconclusive false: the measurement is too noisy to tell: A −50.0 % [−51.0, −49.0]: not confirmed by a second run"},
		"busy":                 {[]experiment.Comparison{timeOf("A", experiment.Inconclusive, pending, 0.5, busy)}, "inconclusive false: the measurement is too noisy to tell: A −50.0 % [−51.0, −49.0]: the machine was busy"},
		"not repeated":         {[]experiment.Comparison{timeOf("A", experiment.Better, not, 0.5)}, "inconclusive false: "},
		"nobody tried":         {[]experiment.Comparison{timeOf("A", experiment.Better, pending, 0.5)}, "inconclusive false: "},
		"slower":               {[]experiment.Comparison{timeOf("A", experiment.Worse, agreed, 1.5)}, "slower true: A +50.0 %"},
		"slower, not repeated": {[]experiment.Comparison{timeOf("A", experiment.Worse, disagreed, 1.5)}, "inconclusive false: "},
		"within the budget":    {[]experiment.Comparison{timeOf("A", experiment.Worse, agreed, 1.01, within)}, "same false: A +1.0 %"},
		"perhaps within":       {[]experiment.Comparison{timeOf("A", experiment.Worse, agreed, 1.02, perhaps)}, "inconclusive false: "},
		"both":                 {[]experiment.Comparison{timeOf("A", experiment.Better, agreed, 0.5), timeOf("B", experiment.Worse, agreed, 1.1)}, "slower true: B +10.0 % [+9.0, +11.0]; but faster: A −50.0 %"},
		"same":                 {[]experiment.Comparison{timeOf("A", experiment.NoChange, pending, 1)}, "same false: A +0.0 %"},
		"faster and same":      {[]experiment.Comparison{timeOf("A", experiment.NoChange, pending, 1), timeOf("B", experiment.Better, agreed, 0.9)}, "faster false: B −10.0 % [−11.0, −9.0]"},
		"faster and open":      {[]experiment.Comparison{timeOf("A", experiment.Inconclusive, pending, 1), timeOf("B", experiment.Better, agreed, 0.9)}, "faster false: B −10.0 % [−11.0, −9.0]; undecided: A"},
		"same and open":        {[]experiment.Comparison{timeOf("A", experiment.Inconclusive, pending, 1), timeOf("B", experiment.NoChange, pending, 1)}, "inconclusive false: "},
		"by CPU time":          {[]experiment.Comparison{timeOf("A", experiment.OtherClock, pending, 1, byCPU), timeOf("A", experiment.Better, agreed, 0.9, cpu)}, "faster false: A CPU time −10.0 %"},
		"fewer allocations":    {[]experiment.Comparison{timeOf("A", experiment.NoChange, pending, 1), allocs(experiment.Better, pending, 0.5)}, "same fewer false: "},
		"same allocations":     {[]experiment.Comparison{timeOf("A", experiment.NoChange, pending, 1), allocs(experiment.NoChange, pending, 1)}, "same same false: "},
		"more allocations":     {[]experiment.Comparison{timeOf("A", experiment.Better, agreed, 0.5), allocs(experiment.Worse, agreed, 2)}, "faster more true: "},
		"no time":              {[]experiment.Comparison{allocs(experiment.NoChange, pending, 1)}, "not measured same false: "},
	} {
		m := judge(&bench.Report{ID: "run", Family: &experiment.Family{Comparisons: c.of}})
		got := strings.Join(strings.Fields(fmt.Sprint(m.Speed, " ", m.Allocations, " ", m.Regression)), " ") + ": " + m.How
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		if len(m.Changes) != len(c.of) || m.Run != "run" {
			t.Errorf("%s: %d changes of run %q", name, len(m.Changes), m.Run)
		}
	}
}

// TestWithoutSamples has reports of measurements that took no sample.
func TestWithoutSamples(t *testing.T) {
	for want, r := range map[string]bench.Report{
		"same: the compiler makes":                     {SameCode: []bench.ID{{Package: "m", Benchmark: "A"}}},
		"not measured: the benchmarks fail: panics":    {Failures: []bench.Failure{{Package: "m", What: "panics"}}, SameCode: []bench.ID{{Package: "m", Benchmark: "A"}}},
		"not measured: all benchmarks that execute it": {New: []string{"m.A"}},
		"not measured: no benchmark could be measured": {},
		"not measured: the time was too short":         {Timing: &experiment.Timing{Took: 3}},
	} {
		m := judge(&r)
		if got := string(m.Speed) + ": " + m.How; !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestJudgeTests checks when tests are enough.
func TestJudgeTests(t *testing.T) {
	ok := Check{State: Right, Tested: []string{"m"}}
	for want, c := range map[string]struct {
		check     Check
		functions []Function
		elsewhere bool
	}{
		"right: tests pass, and execute 3 of 4 changed statements":         {ok, []Function{{Name: "F", Changed: 3, Executed: 2, Called: true}, {Name: "G", Changed: 1, Executed: 1, Called: true}}, false},
		"right: tests pass, and execute the functions that changed":        {ok, []Function{{Name: "F", Called: true}}, false},
		"right: tests pass; no function changed":                           {ok, nil, true},
		"untested: tests pass, but don't execute what changed in F, G":     {ok, []Function{{Name: "F", Changed: 1, Called: true}, {Name: "G"}, {Name: "H", Changed: 1, Executed: 1, Called: true}}, false},
		"untested: it builds, but no package that depends on it has tests": {Check{State: Right}, []Function{{Name: "F", Called: true}}, false},
		"wrong: it doesn't build":                                          {Check{State: Wrong, Why: "it doesn't build"}, []Function{{Name: "F", Called: true}}, false},
	} {
		got := judgeTests(c.check, c.functions, c.elsewhere)
		if text := fmt.Sprintf("%s: %s", got.State, got.Why); text != want {
			t.Errorf("%s, want %s", text, want)
		}
		if said := slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "outside of functions") }); said != c.elsewhere {
			t.Errorf("%s: notes %q", want, got.Notes)
		}
	}
}

// TestBest checks which candidate wins, and that none does where nobody can tell.
func TestBest(t *testing.T) {
	candidate := func(name string, state State, speed Speed) Candidate {
		return Candidate{Name: name, Check: Check{State: state}, Measurement: &Measurement{Speed: speed}}
	}
	pair := func(first, second string, speed Speed) Pair {
		return Pair{first, second, &Measurement{Speed: speed}}
	}
	a, b := candidate("a", Right, Faster), candidate("b", Right, Faster)
	worse := candidate("a", Right, Faster)
	worse.Regression = true
	for name, c := range map[string]struct {
		all   []Candidate
		pairs []Pair
		want  string
	}{
		"one":             {[]Candidate{a}, nil, "a"},
		"not faster":      {[]Candidate{candidate("a", Right, Inconclusive)}, nil, ""},
		"untested":        {[]Candidate{candidate("a", Untested, Faster)}, nil, ""},
		"wrong":           {[]Candidate{candidate("a", Wrong, NotMeasured), b}, nil, "b"},
		"more memory":     {[]Candidate{worse}, nil, ""},
		"second":          {[]Candidate{a, b}, []Pair{pair("a", "b", Faster)}, "b"},
		"first":           {[]Candidate{a, b}, []Pair{pair("a", "b", Slower)}, "a"},
		"nobody can tell": {[]Candidate{a, b}, []Pair{pair("a", "b", Same)}, ""},
		"one is untested": {[]Candidate{a, candidate("b", Untested, Faster)}, []Pair{pair("a", "b", Faster)}, "a"},
	} {
		if got := best(c.all, c.pairs); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestGate checks what ends hone prove with which exit code.
func TestGate(t *testing.T) {
	of := func(state State, speed Speed, regression bool, failures ...bench.Failure) Candidate {
		return Candidate{Check: Check{State: state}, Measurement: &Measurement{Speed: speed, Regression: regression, Failures: failures}}
	}
	for name, c := range map[string]struct {
		of         []Candidate
		missed     bool
		unmeasured int
	}{
		"faster":       {[]Candidate{of(Right, Faster, false)}, false, 0},
		"inconclusive": {[]Candidate{of(Untested, Inconclusive, false)}, false, 0},
		"wrong":        {[]Candidate{of(Right, Faster, false), of(Wrong, NotMeasured, false)}, true, 0},
		"slower":       {[]Candidate{of(Right, Slower, true)}, true, 0},
		"no benchmark": {[]Candidate{of(Right, NotMeasured, false)}, false, 1},
		"one fails":    {[]Candidate{of(Right, Faster, false, bench.Failure{})}, false, 1},
	} {
		p := &Proof{Candidates: c.of}
		if p.Missed() != c.missed || p.Unmeasured() != c.unmeasured {
			t.Errorf("%s: missed %v, %d unmeasured", name, p.Missed(), p.Unmeasured())
		}
	}
}

func TestSelection(t *testing.T) {
	s := selection{"m": {"BenchmarkB", "BenchmarkA"}}.and(selection{"m": {"BenchmarkA"}, "n": {"BenchmarkÄ"}})
	if got := s.pattern(); got != "^(BenchmarkA|BenchmarkB|BenchmarkÄ)$" || len(s) != 2 {
		t.Errorf("%s of %v", got, s)
	}
}

// TestAllowance: what a comparison doesn't use is for the next.
func TestAllowance(t *testing.T) {
	a := allowance{30 * time.Second, 3}
	var got []time.Duration
	for _, took := range []time.Duration{4 * time.Second, 40 * time.Second, 0} {
		got = append(got, a.share())
		a = a.after(&Measurement{took: took})
	}
	if want := []time.Duration{10 * time.Second, 13 * time.Second, time.Second}; !slices.Equal(got, want) {
		t.Errorf("shares %v, want %v", got, want)
	}
	if none := (allowance{0, 2}).after(&Measurement{took: time.Second}).share(); none != 0 {
		t.Errorf("without a limit: %v", none)
	}
}
