package schedule

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A machine is simulated: each step takes so long, by its clock, and comes to what is asked
// of it.
type machine struct {
	plan Plan
	now  time.Time

	nanos   map[string]float64                    // of an iteration, by benchmark; 0 is a millisecond
	fails   map[string]int                        // the benchmark fails from so many of its steps on
	slower  time.Duration                         // a sample takes so many times what the calibration said; 0: once
	links   time.Duration                         // what a link takes
	noLinks string                                // why there are none
	crowded int                                   // so many times, others leave no core
	judge   func(experiment.Phase, int) Judgement // by how many judgements there were of the phase
	stop    int                                   // so many steps are carried out; 0: all

	done   []string // steps, as text
	ends   time.Time
	pairs  map[string]int // samples of both sides by "phase benchmark", halved
	judged map[experiment.Phase]int
	times  map[string]int // steps of a benchmark
}

func (m *machine) name(n int) string {
	return slices.Concat(m.plan.Both, m.plan.Head)[n].Benchmark
}

func (m *machine) iteration(name string) float64 {
	if n := m.nanos[name]; n > 0 {
		return n
	}
	return 1e6
}

const overhead = 10 * time.Millisecond

// process is what one of a length takes.
func (m *machine) process(name string, l Length) time.Duration {
	if l.Iterations > 0 {
		return overhead + time.Duration(float64(l.Iterations)*m.iteration(name))
	}
	return overhead + l.Duration
}

func (m *machine) failed(name string) bool {
	m.times[name]++
	at, ok := m.fails[name]
	return ok && m.times[name] > at
}

// carryOut takes the time of a step.
func (m *machine) carryOut(step Step) (out Outcome) {
	begin := m.now
	text := ""
	switch s := step.(type) {
	case Calibrate:
		name := m.name(s.N)
		text = "calibrate " + name
		out.Failed = m.failed(name)
		out.Costs = Costs{Nanos: [2]float64{m.iteration(name), m.iteration(name)}, Overhead: overhead}
		m.now = m.now.Add(2 * m.process(name, s.Length))
	case Link:
		text = fmt.Sprintf("link %s %d", m.name(s.N), s.Layout)
		out.Failed, out.Why = m.noLinks != "", m.noLinks
		m.now = m.now.Add(m.links)
	case Samples:
		name := m.name(s.N)
		text = fmt.Sprintf("%s %s", phases[s.Phase], name)
		out.Failed, out.Costs = m.failed(name), s.Costs
		out.Costs.Overhead = overhead
		for range max(1, len(s.Slots)) {
			var took time.Duration
			for _, l := range s.Lengths {
				took += m.process(name, l) * max(1, m.slower)
			}
			m.now, out.Took = m.now.Add(took), append(out.Took, took)
		}
		if !out.Failed {
			m.pairs[text] += len(s.Slots)
		}
		if out.Crowded = m.crowded > 0; out.Crowded {
			m.crowded--
		}
	case Judge:
		text = "judge " + phases[s.Phase]
		if m.judge != nil {
			out.Judgement = m.judge(s.Phase, m.judged[s.Phase])
		}
		m.judged[s.Phase]++
	case Profile:
		text = fmt.Sprintf("%s of %s, %s", s.Kind, m.name(s.N), s.Side)
		m.now = m.now.Add(overhead + s.Length)
	case CheckMachine:
		text = "look"
		out.Used, out.Cores = 2, 2
		if m.crowded == 0 {
			out.Used = 0
		}
		m.crowded = max(0, m.crowded-1)
		m.now = m.now.Add(time.Second)
	case Waiting:
		text = "wait"
	case Announce:
		text = "announce"
	case Note:
		text = "note " + s.Text
	case Warn:
		text = "warn " + s.Text
	}
	if m.now != begin {
		m.ends = m.now
	}
	if len(m.done) == 0 || m.done[len(m.done)-1] != text {
		m.done = append(m.done, text)
	}
	return out
}

var phases = map[experiment.Phase]string{experiment.PreCheck: "pre-check", experiment.Measure: "measure", experiment.Repeat: "confirm"}

// compare simulates a comparison of benchmarks, of one binary each, and of some of the head.
func (m *machine) compare(both, head string, opts Options) *Schedule {
	return m.run(both, head, opts, func(s *Schedule) func(func(Step) bool) { return s.Comparison() })
}

func (m *machine) run(both, head string, opts Options, steps func(*Schedule) func(func(Step) bool)) *Schedule {
	for _, name := range strings.Fields(both) {
		m.plan.Both = append(m.plan.Both, Benchmark{ID{"p", name}, name + ".test"})
	}
	for _, name := range strings.Fields(head) {
		m.plan.Head = append(m.plan.Head, Benchmark{ID{"p", name}, name + ".test"})
	}
	if opts.Looks == nil {
		opts.Options = experiment.DefaultOptions()
	}
	if opts.Benchtime == (Length{}) {
		opts.Benchtime.Duration = time.Second / 2
	}
	opts.ProfileTime = time.Second
	m.now, m.ends = begin, begin
	m.pairs, m.judged, m.times = make(map[string]int), make(map[experiment.Phase]int), make(map[string]int)
	s := New(m.plan, opts, rand.New(rand.NewPCG(1, 2)), func() time.Time { return m.now })
	n := 0
	for step := range steps(s) {
		s.Record(m.carryOut(step))
		if n++; n == m.stop {
			break
		}
	}
	for text := range m.pairs {
		m.pairs[text] /= 2
	}
	return s
}

func ids(names string) map[ID]bool {
	all := make(map[ID]bool)
	for _, name := range strings.Fields(names) {
		all[ID{"p", name}] = true
	}
	return all
}

// saying judges the same at each look of a phase.
func saying(of map[experiment.Phase]Judgement) func(experiment.Phase, int) Judgement {
	return func(p experiment.Phase, _ int) Judgement { return of[p] }
}

func TestComparison(t *testing.T) {
	for _, c := range []struct {
		name       string
		both, head string
		m          machine
		opts       Options
		want       string         // steps, without those between the first and the last of a block of the same
		pairs      map[string]int // nil: not asked
	}{
		{
			name: "nothing changed", both: "A B", opts: Options{PreCheck: 6, Layouts: NoLayouts, Profiles: []string{"cpu"}},
			want:  "calibrate A, calibrate B, announce, (pre-check), judge pre-check, (measure), judge measure",
			pairs: map[string]int{"pre-check A": 6, "pre-check B": 6, "measure A": 10, "measure B": 10},
		},
		{
			name: "undecided to the end", both: "A B", opts: Options{Layouts: NoLayouts},
			m:     machine{judge: saying(map[experiment.Phase]Judgement{experiment.Measure: {Open: ids("B")}})},
			want:  "calibrate A, calibrate B, announce, (measure), judge measure, (measure), judge measure",
			pairs: map[string]int{"measure A": 10, "measure B": 20},
		},
		{
			name: "a change is confirmed and profiled", both: "A B", opts: Options{Layouts: NoLayouts, Profiles: []string{"cpu", "mem"}},
			m: machine{judge: saying(map[experiment.Phase]Judgement{
				experiment.Measure: {Changed: ids("B"), Unconfirmed: ids("B")},
				experiment.Repeat:  {Changed: ids("B")},
			})},
			want: "calibrate A, calibrate B, announce, (measure), judge measure, confirm B, judge confirm, " +
				"cpu of B, base, mem of B, base, cpu of B, head, mem of B, head",
			pairs: map[string]int{"measure A": 10, "measure B": 10, "confirm B": 10},
		},
		{
			name: "it is not confirmed", both: "A", opts: Options{Layouts: NoLayouts, Profiles: []string{"cpu"}},
			m: machine{judge: saying(map[experiment.Phase]Judgement{
				experiment.Measure: {Changed: ids("A"), Unconfirmed: ids("A")},
				experiment.Repeat:  {Open: ids("A")},
			})},
			want:  "calibrate A, announce, measure A, judge measure, confirm A, judge confirm, confirm A, judge confirm",
			pairs: map[string]int{"measure A": 10, "confirm A": 20},
		},
		{
			name: "nothing to compare with comes last", both: "A", head: "N", opts: Options{Layouts: NoLayouts, Profiles: []string{"cpu"}, ProfileAll: true},
			want: "calibrate A, announce, measure A, judge measure, measure N, judge measure, cpu of N, head, cpu of A, base, cpu of A, head",
		},
		{
			name: "a failure ends one benchmark", both: "A B", opts: Options{Layouts: NoLayouts, Profiles: []string{"cpu"}, ProfileAll: true},
			m:     machine{fails: map[string]int{"A": 2}},
			want:  "calibrate A, calibrate B, announce, (measure), judge measure, cpu of B, base, cpu of B, head",
			pairs: map[string]int{"measure A": 2, "measure B": 10},
		},
		{
			name: "all fail", both: "A", opts: Options{Layouts: NoLayouts, Profiles: []string{"cpu"}, ProfileAll: true},
			m:    machine{fails: map[string]int{"A": 0}},
			want: "calibrate A, announce, judge measure",
		},
		{
			name: "each pair has a layout", both: "A", opts: Options{Options: experiment.Options{Looks: experiment.OneLook(3)}, PreCheck: 2, Layouts: AllLayouts},
			m:    machine{links: time.Minute},
			want: "calibrate A, link A 1, announce, pre-check A, judge pre-check, link A 2, measure A, link A 3, measure A, judge measure",
		},
		{
			name: "links take too long", both: "A", opts: Options{Options: experiment.Options{Looks: experiment.OneLook(3)}},
			m:    machine{links: time.Minute},
			want: "calibrate A, link A 1, note p: measured in one layout only: linking takes 60.0 s, longer than measuring, so a change of a few percent may come from the layout; -layouts all links others anyway, announce, measure A, judge measure",
		},
		{
			name: "links take too long to find a change", both: "A", opts: Options{Options: experiment.Options{Looks: experiment.OneLook(3)}},
			m: machine{links: 4 * time.Second, judge: saying(map[experiment.Phase]Judgement{
				experiment.Measure: {Changed: ids("A"), Unconfirmed: ids("A")}, experiment.Repeat: {Changed: ids("A")},
			})},
			want: "calibrate A, link A 1, note p: measured in one layout only, except to confirm changes: linking takes 4.0 s, longer than measuring, " +
				"announce, measure A, judge measure, link A 1000, link A 1001, confirm A, link A 1002, confirm A, judge confirm",
		},
		{
			name: "links fail", both: "A", opts: Options{Options: experiment.Options{Looks: experiment.OneLook(3)}},
			m:    machine{noLinks: "no linker"},
			want: "calibrate A, link A 1, warn p: measured in one layout only: no linker, announce, measure A, judge measure",
		},
		{
			name: "others are busy", both: "A", opts: Options{Options: experiment.Options{Looks: experiment.OneLook(4)}, Layouts: NoLayouts, Wait: time.Hour},
			m:    machine{crowded: 2},
			want: "calibrate A, announce, measure A, look, wait, look, measure A, judge measure",
		},
		{
			name: "not all can be calibrated in time", both: "A B C", opts: Options{For: 10 * time.Second, Layouts: NoLayouts},
			m: machine{nanos: map[string]float64{"A": 1e6, "B": 6e9}},
			want: "calibrate A, calibrate B, calibrate C, warn -for 10s is too short to measure 1 benchmark: p.B, " +
				"note each sample takes 157ms, to fit in -for 10s, announce, (measure), judge measure",
		},
		{
			name: "whoever takes the steps has enough", both: "A B", opts: Options{Layouts: NoLayouts},
			m:    machine{stop: 3},
			want: "calibrate A, calibrate B, announce",
		},
	} {
		m := c.m
		m.compare(c.both, c.head, c.opts)
		var got []string
		for _, text := range m.done {
			if phase, _, two := strings.Cut(text, " "); two && strings.Contains(c.want, "("+phase+")") {
				text = "(" + phase + ")"
			}
			if len(got) == 0 || got[len(got)-1] != text {
				got = append(got, text)
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if c.pairs != nil && !maps.Equal(m.pairs, c.pairs) {
			t.Errorf("%s: pairs %v, want %v", c.name, m.pairs, c.pairs)
		}
	}
}

// Whatever there is to do, it ends when its time does, and uses it where something is open.
func TestComparisonInTime(t *testing.T) {
	looks := experiment.DefaultOptions()
	looks.Looks = experiment.BudgetLooks
	for _, limit := range []time.Duration{time.Second, 20 * time.Second, time.Minute, 3 * time.Minute, 10 * time.Minute, time.Hour} {
		for _, changed := range []string{"", "A", "A B C D"} {
			m := machine{links: 2 * time.Second, nanos: map[string]float64{"D": 3e8}, judge: saying(map[experiment.Phase]Judgement{
				experiment.Measure: {Open: ids("A B C D"), Changed: ids(changed), Unconfirmed: ids(changed), Worse: ids(changed)},
				experiment.Repeat:  {Open: ids(changed), Changed: ids(changed)},
			})}
			s := m.compare("A B C D", "N", Options{Options: looks, For: limit, PreCheck: 2, Profiles: []string{"cpu"}})
			took := m.ends.Sub(begin)
			// What begins in time may take longer than what was expected of it.
			if took > limit+5*time.Second {
				t.Errorf("-for %v, changed %q: took %v", limit, changed, took)
			}
			if limit == 3*time.Minute && took < limit*8/10 {
				t.Errorf("-for %v, changed %q: took %v, though all is open", limit, changed, took)
			}
			for _, name := range strings.Fields(changed) {
				if limit >= 10*time.Minute && (m.pairs["confirm "+name] < 10 || !slices.Contains(m.done, "cpu of "+name+", head")) {
					t.Errorf("-for %v: %s is confirmed by %d pairs, %q", limit, name, m.pairs["confirm "+name], m.done)
				}
			}
			if p := s.Progress(); p.Left != 0 && limit < time.Hour && changed == "" {
				t.Errorf("-for %v: in the end %v are left", limit, p.Left)
			}
		}
	}
}

// If others slow the machine after the calibration, the pre-check doesn't take all of the time.
func TestComparisonSlowed(t *testing.T) {
	for slower := time.Duration(1); slower <= 6; slower++ {
		m := machine{slower: slower, links: time.Second}
		s := m.compare("A B", "", Options{For: time.Minute, PreCheck: 6})
		for _, name := range []string{"A", "B"} {
			if m.pairs["pre-check "+name] == 0 || m.pairs["measure "+name] == 0 {
				t.Errorf("%d times slower: pairs %v of %d samples", slower, m.pairs, s.Samples())
			}
		}
	}
}

// What was announced is what it takes, if nothing is open or changes.
func TestAnnounced(t *testing.T) {
	for _, c := range []struct {
		profiles []string
		want     time.Duration
	}{
		{nil, 2*6*550*time.Millisecond + 2*10*550*time.Millisecond},
		{[]string{"cpu"}, 2*6*550*time.Millisecond + 2*10*550*time.Millisecond + 2*1010*time.Millisecond},
	} {
		m := machine{}
		s := m.compare("A", "", Options{PreCheck: 6, Layouts: NoLayouts, Profiles: c.profiles, ProfileAll: true})
		got := s.Timing()
		if want := c.want.Round(100 * time.Millisecond).Seconds(); got == nil || got.Expected != want || got.Took != want {
			t.Errorf("%q: %+v, want %v", c.profiles, got, want)
		}
		if p := s.Progress(); p.Left != 0 || p.Done != p.Total {
			t.Errorf("in the end %+v", p)
		}
	}
}

func TestMeasurement(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		want  string
	}{
		{"rounds", 2, "measure A, measure B, announce, measure A, measure B, cpu of A, head, cpu of B, head"},
		{"once", 1, "announce, measure A, cpu of A, head, measure B, cpu of B, head"},
	} {
		m := machine{}
		s := m.run("", "A B", Options{Count: c.count, Profiles: []string{"cpu"}}, func(s *Schedule) func(func(Step) bool) { return s.Measurement() })
		if got := strings.Join(m.done, ", "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if s.Samples() != 2*c.count {
			t.Errorf("%s: %d samples", c.name, s.Samples())
		}
	}
}
