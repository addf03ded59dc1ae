package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
)

// A course is tried without a module: what is looked at and what a trial makes of it is
// given, and what was done is compared.
func TestCourse(t *testing.T) {
	rewrite := func(id string, class advice.Class, state advice.State) advice.Finding {
		return advice.Finding{ID: id, Class: class, State: state, Fix: &advice.Fix{}}
	}
	a, b, c := rewrite("a", advice.Safe, ""), rewrite("b", advice.Review, ""), rewrite("c", advice.Safe, advice.Refuted)
	gc := advice.Finding{ID: "gc", Class: advice.AdviceOnly, Try: advice.BySetting}
	text := advice.Finding{ID: "text", Class: advice.AdviceOnly}
	broken := errors.New("broken")
	kept := func(benchmark string) *Result {
		return &Result{Kept: true, Changes: []Change{{Benchmark: benchmark, Unit: "sec/op"}, {Benchmark: benchmark, Unit: "B/op"}}}
	}
	type try struct {
		r   *Result
		err error
	}
	all := Course{Classes: "AB", Most: 9}
	for _, test := range []struct {
		name   string
		course Course
		looks  [][]advice.Finding // what each look finds; the last one is found again
		tries  map[string][]try   // by finding, one after the other; without, it is refuted
		did    string
		left   string
		err    error
	}{
		{"nothing", all, [][]advice.Finding{nil}, nil, "look", "", nil},
		{"refuted ones stay tried", all, [][]advice.Finding{{a, b, text}}, nil, "look a b", "text", nil},
		{"a kept one changes the findings", all, [][]advice.Finding{{a, b}, {b}}, map[string][]try{"a": {{kept("X"), nil}}},
			"look a look b before[X]", "", nil},
		{"the same line again", all, [][]advice.Finding{{a, b}, {a, b}}, map[string][]try{"a": {{kept("X"), nil}}},
			"look a look a b before[X]", "", nil},
		{"two kept, benchmarks once", all, [][]advice.Finding{{a}, {b}, {text}}, map[string][]try{"a": {{kept("X"), nil}}, "b": {{kept("X"), nil}}},
			"look a look b look before[X]", "text", nil},
		{"class A", Course{Classes: "A", Most: 9}, [][]advice.Finding{{b, a}}, nil, "look a", "b", nil},
		{"most", Course{Classes: "AB", Most: 1}, [][]advice.Finding{{a, b}}, nil, "look a", "b", nil},
		{"refuted before", all, [][]advice.Finding{{c}}, nil, "look", "c", nil},
		{"again", Course{Classes: "AB", Most: 9, Again: true}, [][]advice.Finding{{c}}, nil, "look c", "", nil},
		{"settings come last", Course{Classes: "AB", Most: 9, Settings: true}, [][]advice.Finding{{gc, a, text}}, nil, "look a gc", "text", nil},
		{"settings not asked for", all, [][]advice.Finding{{gc, a}}, nil, "look a", "gc", nil},
		{"uncommitted", all, [][]advice.Finding{{a, b}}, map[string][]try{"a": {{nil, fmt.Errorf("m.go %w", ErrUncommitted)}}}, "look a passed b", "", nil},
		{"outside", all, [][]advice.Finding{{a, b}}, map[string][]try{"a": {{&Result{}, fmt.Errorf("m.go %w", ErrOutside)}}}, "look a passed b", "", nil},
		{"broken", all, [][]advice.Finding{{a, b}}, map[string][]try{"a": {{nil, broken}}}, "look a", "", broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			var did []string
			looks := test.looks
			o, err := test.course.Run(t.Context(), Steps{
				Look: func(context.Context) (View, error) {
					did = append(did, "look")
					found := looks[0]
					looks = looks[min(1, len(looks)-1):]
					return View{Findings: found}, nil
				},
				Try: func(_ context.Context, f *advice.Finding, _ map[string]Benchmark) (*Result, error) {
					did = append(did, f.ID)
					if rest := test.tries[f.ID]; len(rest) > 0 {
						test.tries[f.ID] = rest[1:]
						return rest[0].r, rest[0].err
					}
					return &Result{State: advice.Refuted}, nil
				},
				PassOver: func(error) { did = append(did, "passed") },
				Before: func(_ context.Context, of []bench.ID) (*bench.Report, error) {
					var names []string
					for _, id := range of {
						names = append(names, id.Benchmark)
					}
					did = append(did, "before"+fmt.Sprint(names))
					return &bench.Report{ID: "run"}, nil
				},
			})
			if !errors.Is(err, test.err) || strings.Join(did, " ") != test.did {
				t.Errorf("did %q, error %v; want %q, %v", did, err, test.did, test.err)
			}
			var left []string
			for _, f := range o.Left {
				left = append(left, f.ID)
			}
			if strings.Join(left, " ") != test.left {
				t.Errorf("left %q, want %q", left, test.left)
			}
			if compared := slices.ContainsFunc(did, func(s string) bool { return strings.HasPrefix(s, "before") }); compared != (o.Run == "run") || compared != (o.Kept() > 0) {
				t.Errorf("compared %v, run %q, %d kept", compared, o.Run, o.Kept())
			}
		})
	}
}
