package advice

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// TestRank: findings of one rule in one function take one place, for all that they are
// worth together, and the others stand at the end.
func TestRank(t *testing.T) {
	finding := func(id, function string, line int, worth float64) Finding {
		rule, _, _ := strings.Cut(id, "-")
		cpu := Evidence{Subject: "BenchmarkP", CPU: &Share{Share: worth}}
		return Finding{ID: id, Rule: rule, File: "/src/p.go", Function: function, Line: line, Evidence: cpu, Bound: Bound{Worth: worth}}
	}
	got := rank([]Finding{
		finding("a-1", "F", 1, 0.10),
		finding("b-1", "F", 2, 0.20),
		finding("a-2", "F", 3, 0.12),
		finding("a-7", "F", 2, 0.04),
		finding("a-3", "F", 4, 0.05),
		finding("a-4", "G", 5, 0.15),
		finding("a-5", "", 6, 0.01),
		finding("a-6", "", 7, 0.02),
	})
	var b strings.Builder
	for _, f := range got {
		fmt.Fprintf(&b, "%s %.2f", f.ID, f.Bound.Worth)
		for _, a := range f.Also {
			fmt.Fprintf(&b, " %s:%d: %s", a.ID, a.Line, a.Cost)
		}
		b.WriteString("; ")
	}
	const want = "a-2 0.31 a-1:1: 10.0 % of the CPU time a-7:2: 4.0 % of the CPU time a-3:4: 5.0 % of the CPU time; " +
		"b-1 0.20; a-4 0.15; a-6 0.02; a-5 0.01; a-1 0.10; a-3 0.05; a-7 0.04; "
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
}

// TestWorth: what helps two benchmarks is worth more than what helps one as much, but a
// little in each of many is worth less than a lot in one.
func TestWorth(t *testing.T) {
	const subjects = 20
	var e evidence
	little := make(matched)
	for i := range subjects {
		e.subjects = append(e.subjects, fmt.Sprint(i))
		e.totals = append(e.totals, values{cpuTime: 1000, cpuSamples: 100})
		e.gc = append(e.gc, 0)
		e.memory = append(e.memory, 0)
		little[i] = &values{cpuTime: 30}
	}
	for _, c := range []struct {
		name       string
		more, less matched
	}{
		{"twice as much", matched{0: {cpuTime: 100}, 1: {cpuTime: 100}}, matched{0: {cpuTime: 130}}},
		{"a lot in one", matched{0: {cpuTime: 150}}, matched{0: {cpuTime: 100}, 1: {cpuTime: 100}}},
		{"a little in each", matched{7: {cpuTime: 300}}, little},
	} {
		_, more := e.describe(new(hot), c.more, 2, 0)
		_, less := e.describe(new(hot), c.less, 2, 0)
		if more.order(&less) >= 0 {
			t.Errorf("%s: %+v is worth no more than %+v", c.name, more, less)
		}
	}
	_, one := e.describe(new(hot), matched{0: {cpuTime: 150}}, 2, 0)
	if math.Abs(one.Worth-one.Expected) > 1e-9 || math.Abs(one.Worth-0.075) > 1e-9 {
		t.Errorf("in one subject what is expected and what it is worth are the same: %+v", one)
	}
}

// TestLittle: a finding about much of the memory isn't little only because a short CPU profile has no sample of it.
func TestLittle(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples int64
		bound   Bound
		little  bool
	}{
		{"most of the memory, in a short profile", 20, Bound{Bytes: 0.65}, false},
		{"most of the memory, in a long one", 1000, Bound{Bytes: 0.65}, true},
		{"little memory", 20, Bound{Bytes: 0.05}, true},
		{"little time", 20, Bound{Bytes: 0.65, Time: 0.005}, true},
		{"time", 20, Bound{Time: 0.05}, false},
		{"no samples are counted", 0, Bound{Bytes: 0.65}, true},
	} {
		e := evidence{subjects: []string{"P"}, totals: []values{{cpuTime: 1000, cpuSamples: c.samples}}}
		if got := e.little(&Finding{Class: Safe, Evidence: Evidence{Subject: "P"}, Bound: c.bound}); got != c.little {
			t.Errorf("%s: little is %v, want %v", c.name, got, c.little)
		}
	}
}

// TestAbout: which part of a line's values a rule is about.
func TestAbout(t *testing.T) {
	chainOf := func(v values, below ...string) *chain {
		return &chain{below: below, toLeaf: true, values: map[int]*values{0: &v}}
	}
	h := &hot{chains: map[string]*chain{
		"heap":    chainOf(values{allocBytes: 1000}),
		"grows":   chainOf(values{cpuTime: 1}, "runtime.growslice", "runtime.mallocgc"),
		"element": chainOf(values{cpuTime: 10}, "runtime.newobject", "runtime.mallocgc"),
		"callee":  chainOf(values{cpuTime: 100}, "other.Make", "runtime.newobject", "runtime.mallocgc"),
	}}
	malloc, grow := lazyregexp.New(`^runtime\.mallocgc$`), lazyregexp.New(`^runtime\.growslice$`)
	for _, c := range []struct {
		name       string
		about      about
		cpu, bytes int64
	}{
		{"all", about{}, 111, 1000},
		{"a function", about{frames: grow}, 1, 0},
		{"and what the line allocates", about{frames: grow, allocates: true}, 111, 1000},
		{"its own alone", about{frames: malloc, allocates: true, own: true}, 11, 1000},
		{"a part of it", about{frames: grow, allocates: true, part: 0.25}, 1, 250},
	} {
		if got := h.match(c.about)[0]; got[cpuTime] != c.cpu || got[allocBytes] != c.bytes {
			t.Errorf("%s: %d ns and %d bytes, want %d and %d", c.name, got[cpuTime], got[allocBytes], c.cpu, c.bytes)
		}
	}
}
