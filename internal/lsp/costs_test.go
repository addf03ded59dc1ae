package lsp

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// A stack is a sample: its frames, innermost first, as "function file:line:start", and its value.
type stack struct {
	value  int64
	frames []frameAt
}

type frameAt struct {
	function, file string
	line, start    int64
}

// cpuProfile is a CPU profile of stacks.
func cpuProfile(stacks ...stack) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, s := range stacks {
		var locations []uint32
		for _, f := range s.frames {
			locations = append(locations, b.Location(0, 0, profile.Line{Function: b.Function(f.function, f.function, f.file, f.start), Line: f.line}))
		}
		b.Sample(locations, nil, s.value, s.value*10e6)
	}
	return b.Profile()
}

func of(p *profile.Profile) *measured {
	return prepare(&Measurement{Name: "run 1", Kind: "benchmark", Profiles: []Profile{{Input: advice.Input{Profile: p, Subject: "Parse", Kind: "cpu"}, ID: "1:Parse/cpu"}}})
}

func at2(function, file string, line, start int64) frameAt {
	return frameAt{function, file, line, start}
}

// TestCosts: recursion counts once, literals belong to the function around them, and a line has its callers.
func TestCosts(t *testing.T) {
	const file = "/src/m/parse.go"
	walk := at2("example.com/m.(*Tree[go.shape.int]).walk", file, 12, 10)
	literal := at2("example.com/m.(*Tree[go.shape.int]).walk.func1", file, 14, 13)
	parse := at2("example.com/m.Parse", file, 5, 4)
	other := at2("example.com/m.Other", "/src/m/other.go", 7, 6)
	m := of(cpuProfile(
		stack{60, []frameAt{walk, walk, walk, parse}},
		stack{20, []frameAt{at2("strings.Index", "/go/strings.go", 1, 1), literal, at2("slices.SortFunc", "/go/slices.go", 2, 1), walk, other}},
		stack{20, []frameAt{at2("runtime.gc", "/go/gc.go", 1, 1)}},
	))
	mod := &module{dir: "/src/m", real: "/src/m", path: "example.com/m"}
	where := mod.matcher(file)
	declared := map[string]bool{"(*Tree).walk": true, "Parse": true}
	costs := m.costsOf(where, declared)
	const total = 100 * 10e6
	for symbol, want := range map[string][2]int64{"(*Tree).walk": {600e6, 800e6}, "Parse": {0, 600e6}} {
		f := costs.functions[symbol]
		if f == nil || len(f.costs) != 1 || f.costs[0].self != want[0] || f.costs[0].all != want[1] || f.costs[0].total != total {
			t.Errorf("%s: %+v, want %v", symbol, f, want)
		}
	}
	if f := costs.functions["(*Tree).walk"]; f.name != "example.com/m.(*Tree[go.shape.int]).walk" || f.start != 10 {
		t.Errorf("%+v", f)
	}
	if c := costs.lines[spot{"(*Tree).walk", 14}]; len(c) != 1 || c[0].all != 200e6 || c[0].self != 0 {
		t.Errorf("line 14: %+v", c)
	}
	callers := m.callersOf(&costs.lines[spot{"(*Tree).walk", 12}][0], where, declared, spot{"(*Tree).walk", 12})
	if len(callers) != 2 || callers[0].line != 12 || callers[0].share != 0.75 || callers[1].function != other.function || callers[1].share != 0.25 {
		t.Errorf("callers %+v", callers) // recursion is a call, too
	}
	if len(costs.functions) != 2 {
		t.Errorf("functions of other files: %+v", costs.functions)
	}
	if none := m.costsOf(mod.matcher("/src/m/sub/parse.go"), nil); len(none.functions) > 0 {
		t.Errorf("a file with the same name: %+v", none.functions)
	}
}

// TestMatcher: profiles of other machines name files in several ways.
func TestMatcher(t *testing.T) {
	m := &module{dir: "/home/me/link", real: "/data/shop", path: "example.com/shop"}
	cart, tool, root := m.matcher("/home/me/link/cart/cart.go"), m.matcher("/home/me/link/cmd/tool/main.go"), m.matcher("/home/me/link/main.go")
	for _, c := range []struct {
		at             matcher
		function, file string
		want           bool
	}{
		{cart, "example.com/shop/cart.Add", "/home/me/link/cart/cart.go", true},
		{cart, "example.com/shop/cart.Add", "/data/shop/cart/cart.go", true},
		{cart, "example.com/shop/cart.Add", "example.com/shop/cart/cart.go", true},
		{cart, "example.com/shop/cart.Add", `C:\build\shop\cart\cart.go`, true},
		{cart, "example.com/shop/cart.Add[example.com/x.T]", "/build/cart/cart.go", true},
		{cart, "example.com/shop/cart_test.Add", "/build/cart/cart.go", true},
		{cart, "example.com/other/cart.Add", "/build/other/cart/cart.go", false},
		{cart, "example.com/shop/cart/cart.Add", "/build/cart/cart/cart.go", false},
		{tool, "main.main", "/build/shop/cmd/tool/main.go", true},
		{tool, "main.main", "/build/shop/cmd/other/main.go", false},
		{root, "main.main", "/build/shop/main.go", true},
		{root, "main.main", "/build/shop/cmd/tool/main.go", false},
		{m.matcher("/home/me/link/api.v2/a.go"), "example.com/shop/api%2ev2.F", "/build/api.v2/a.go", true},
	} {
		if got := c.at.matches(c.function, c.file); got != c.want {
			t.Errorf("%s in %s: %v for %s", c.function, c.file, got, c.at.rel)
		}
	}
}

// TestMost: of several benchmarks, the one where a function costs most.
func TestMost(t *testing.T) {
	m := &measured{Measurement: &Measurement{Kind: "benchmark", Profiles: []Profile{{Input: advice.Input{Subject: "A"}}, {Input: advice.Input{Subject: "B"}}, {Input: advice.Input{Subject: "B"}}}}}
	costs := []cost{{0, cpuTime, "nanoseconds", 1, 10, 100}, {1, cpuTime, "nanoseconds", 4, 40, 100}, {2, allocated, "bytes", 0, 90, 100}}
	best, others := m.most(costs, 0.01)
	if got := m.costText(best, others); got != "CPU 40 % (4.0 % self), allocated 90 % in B and 1 other benchmark" {
		t.Error(got)
	}
	if best, others = m.most(costs, 0.5); len(best) != 1 || others != 0 || best[0].dimension != allocated {
		t.Errorf("%+v %d", best, others)
	}
	if best, _ = m.most(costs, 1); best != nil {
		t.Errorf("%+v", best)
	}
}

const before = `package m

func Parse(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

var table = map[string]func() int{
	"a": func() int { return 1 },
}

func Other() {}
`

// TestView: costs move with the lines of a function, and are not shown where it was changed.
func TestView(t *testing.T) {
	const file = "/src/m/parse.go"
	m := of(cpuProfile(
		stack{70, []frameAt{at2("example.com/m.Parse", file, 6, 3)}},
		stack{30, []frameAt{at2("example.com/m.init.func1", file, 12, 12)}},
	))
	mod := &module{dir: "/src/m", real: "/src/m", path: "example.com/m"}
	record := func(sure bool) *recordedFile {
		r := &recordedFile{matcher: mod.matcher(file), decls: declarations(before), sure: sure, byLine: make(map[int64][]spot)}
		r.symbols = symbolsOf(r.decls)
		r.costs = m.costsOf(r.matcher, r.symbols)
		for at := range r.costs.lines {
			r.byLine[at.line] = append(r.byLine[at.line], at)
		}
		return r
	}
	see := func(sure bool, now string) *view {
		return viewOf(m, record(sure), &document{"file://" + file, file, 1, newText(now)})
	}
	for _, c := range []struct {
		name   string
		sure   bool
		now    string
		edited bool
		line   int // with the cost of the loop; 0 if no line has it
		table  int // the same of the literal
	}{
		{"the same", true, before, false, 6, 12},
		{"lines above", true, strings.Replace(before, "func Parse", "// Parse parses.\n//\n\nfunc Parse", 1), false, 9, 15},
		{"another function", true, strings.Replace(before, "Other() {}", "Other() { println() }", 1), false, 6, 12},
		{"the function", true, strings.Replace(before, "n++", "n += 2", 1), true, 0, 12},
		{"the function is gone", true, strings.Replace(before, "func Parse", "func Scan", 1), false, 0, 12},
		{"a syntax error below", true, before + "func {", false, 6, 12},
		{"a guess", false, before, false, 6, 0},
	} {
		v := see(c.sure, c.now)
		functions := v.functions()
		if want := strings.Contains(c.now, "func Parse"); (len(functions) == 1) != want || want && functions[0].edited != c.edited {
			t.Errorf("%s: functions %+v", c.name, functions)
		}
		var loops, tables []int
		for n := range strings.Split(c.now, "\n") {
			if at := v.line(n); at != nil && len(at.costs) > 0 {
				if at.function != nil {
					loops = append(loops, n)
				} else {
					tables = append(tables, n)
				}
			}
		}
		lines := func(n int) []int {
			if n == 0 {
				return nil
			}
			return []int{n}
		}
		if !slices.Equal(loops, lines(c.line)) || !slices.Equal(tables, lines(c.table)) {
			t.Errorf("%s: costs at lines %v and %v, want %d and %d", c.name, loops, tables, c.line, c.table)
		}
	}
	moved := record(false)
	moved.decls = declarations("package m\n\n\n" + strings.TrimPrefix(before, "package m\n"))
	if v := viewOf(m, moved, &document{"", file, 1, newText("package m\n\n\n" + strings.TrimPrefix(before, "package m\n"))}); !v.functions()[0].edited {
		t.Error("a guessed source whose functions are elsewhere was taken for what was measured")
	}
}
