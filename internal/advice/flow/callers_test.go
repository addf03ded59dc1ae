package flow

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
)

func anyCaller(Caller) bool { return true }

// TestCallers: loops and constants reach into a function from where it is called.
func TestCallers(t *testing.T) {
	const text = `package flow

import ("fmt"; "strings")

type tree struct { name string }

func canonical(s string) string { return strings.ToLower(s) }

func inner(s string) string { return strings.TrimSpace(s) }
func middle(s string) int { return len(inner(s)) }
func outer(list []string) (n int) {
	for _, s := range list {
		n += middle(s)
	}
	return n
}

func reserved(s string) bool {
	s = canonical(s) // remade: 23
	return s == "x"
}

func caller(s string) bool { s = canonical(s); return reserved(s) }

func twice(s string) string {
	s = canonical(s)
	return canonical(s) // remade: 26
}

const prefix = "a"
func fixed(p string, n int) string {
	return strings.Repeat(p, 3) + fmt.Sprint(n) // constant: strings.Repeat
}
func one() string { return fixed(prefix, 1) }
func two() string { return fixed("a", 2) }

func Exported(p string) string { return strings.Repeat(p, 3) }
func three() string { return Exported("a") } // constant: example.com/flow.Exported

func value(p string) string { return strings.Repeat(p, 3) }
var values = []func(string) string{value}
func four() string { return value("a") } // constant: example.com/flow.value

var name = "x"
var changing = "y"
func variables() string {
	return strings.ToUpper(name) + strings.ToLower(changing) // constant: strings.ToUpper
}
func change() { changing = "z" }
func (t *tree) method(p string) string { return strings.Repeat(p, 2) } // constant: strings.Repeat
func five(t *tree) string { return t.method("b") }
`
	ask(t, text, "// ", each(func(f *Function, call *ast.CallExpr) string {
		if at, ok := f.Remade(call, anyCaller); ok {
			return fmt.Sprint("remade: ", f.Line(at))
		}
		if f.Constant(call) {
			return "constant: " + f.Callee(call)
		}
		return ""
	}))
	p := check(t, text)
	for name, want := range map[string]string{
		"inner": "middle 10", "middle": "outer 13 in 12", "outer": "", "reserved": "caller 23", "method": "five 51",
	} {
		for c := range p.Root().Preorder((*ast.FuncDecl)(nil)) {
			if d := c.Node().(*ast.FuncDecl); d.Name.Name == name {
				var callers []string
				for _, from := range In(p.Around(c)).Callers() {
					text := fmt.Sprint(from.Function, " ", p.Line(from.Call))
					if from.Loop.IsValid() {
						text += fmt.Sprint(" in ", p.Line(from.Loop))
					}
					callers = append(callers, text)
				}
				if got := strings.Join(callers, ", "); got != want {
					t.Errorf("callers of %s: got %s, want %s", name, got, want)
				}
			}
		}
	}
}

// TestAbove: a loop around a call counts for what the call runs, however deep, and a call for nothing is found from the
// function that it calls.
func TestAbove(t *testing.T) {
	const text = `package flow

import "strings"

func inner(s string) string { return strings.TrimSpace(s) } // above: outer 10
func middle(s string) int { return len(inner(s)) } // above: outer 10
func outer(list []string, a, b string) (n int) {
	n = depth(a) + depth(b)
	x := weight(a, b)
	for _, s := range list {
		n += middle(s)
		n += weight(a, b) + slow(b)
	}
	return n + x
}

func depth(a string) int { return strings.Count(a, "(") + strings.Count(a, "[") }
func weight(a, b string) int { return strings.Count(a, b) + strings.Count(b, a) } // above: outer 10 again
func slow(a string) int { return strings.Count(a, "x") } // above: outer 10 same
func first(list []string) int {
	for _, s := range list {
		return only(s)
	}
	return 0
}
func only(s string) int { return len(s) }
`
	ask(t, text, "// above: ", func(f *Function, p *code.Place, line int) string {
		if p.Line(p.Decl.Pos()) != line {
			return ""
		}
		c, ok := f.InLoopOf(func(Caller, bool) bool { return true })
		if !ok {
			return ""
		}
		said := fmt.Sprint(c.Function, " ", f.Line(c.Loop))
		if c, again, ok := f.CalledForNothing(anyCaller); ok && again.IsValid() {
			said += " again"
		} else if ok && c.Loop.IsValid() {
			said += " same"
		}
		return said
	})
}

// TestSearchedAgain: a search in a slice that stays the same is repeated by a loop of the function, or of a caller,
// or else by each call.
func TestSearchedAgain(t *testing.T) {
	const text = `package flow

import ("bytes"; "slices")

type stmt struct { id, action string }
type set struct { all []stmt }

func union(a, b []string) (all []string) {
	all = append(all, a...)
	for _, s := range b {
		if !slices.Contains(a, s) { // search: a 10
			all = append(all, s)
		}
	}
	return all
}

func grows(b []string) (all []string) {
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func common(a, b []stmt) (n int) {
	for _, x := range a {
		for _, y := range b { // search: b 28
			if x.id == y.id { // search: b 28
				n++
				break
			}
		}
	}
	return n
}

func (s *set) find(id string) *stmt {
	for i := range s.all { // search: s.all 49 merge
		if s.all[i].id == id { // search: s.all 49 merge
			return &s.all[i]
		}
	}
	return nil
}

func (s *set) merge(ids []string) (n int) {
	for _, id := range ids {
		if s.find(id) != nil {
			n++
		}
	}
	return n
}

func alone(s *set, id string) bool {
	for _, x := range s.all { // search: s.all call
		if x.id == id { return true } // search: s.all call
	}
	return false
}

func counts(a, b []stmt) (n int) {
	for _, x := range a {
		for _, y := range b {
			if x.id == y.id { n++ }
		}
	}
	return n
}

func equal(a, b [][]byte) (both [][]byte) {
	for _, x := range a {
		for _, y := range b { // search: b 74
			if bytes.Equal(x, y) { // search: b 74
				both = append(both, x)
				break
			}
		}
	}
	return both
}

func (s *set) duplicates() (n int) {
	for i := range s.all {
		for _, y := range s.all[i+1:] { // search: s.all 86 itself
			if s.all[i].id == y.id { n++ } // search: s.all 86 itself
		}
	}
	return n
}

func ofEach(lists [][]string, s string) (n int) {
	for _, list := range lists {
		if slices.Contains(list, s) { n++ }
	}
	return n
}

func given(list []string, s string) bool {
	return slices.Contains(list, s) // search: list call
}

func made(n int, s string) bool {
	list := make([]string, n)
	fill(list)
	return slices.Contains(list, s)
}

func fill([]string) {}

func probed(list []string, s string, at int) bool {
	for i := at; ; i = (i + 1) % len(list) {
		if list[i] == s { return true }
	}
}

func ofBytes(list []byte, b byte) bool {
	for _, x := range list {
		if x == b { return true }
	}
	return false
}
`
	ask(t, text, "// search: ", func(f *Function, p *code.Place, line int) string {
		s, ok := f.SearchedAgain(line, anyCaller)
		if !ok {
			return ""
		}
		said := fmt.Sprint(s.In, " ", f.Line(s.Loop), " ", s.By)
		if s.Itself {
			said += "itself"
		}
		if s.Call {
			return s.In + " call"
		}
		return strings.TrimSpace(said)
	})
}

// TestCommonFactors: products share two factors that none multiplies alone.
func TestCommonFactors(t *testing.T) {
	const text = `package flow

func weighted(r, g, b []float64, w, v []float64) (x, y, z float64) {
	for i := range r {
		x += r[i] * w[i] * v[0] // factors: w[i] v[0] 3
		y += g[i] * w[i] * v[0] // factors: w[i] v[0] 3
		z += b[i] * w[i] * v[0] // factors: w[i] v[0] 3
	}
	return x, y, z
}

func changing(r, w, v []float64) (x, y float64) {
	x = r[0] * w[0] * v[0]
	v[0] = 2
	y = r[1] * w[0] * v[0]
	return x, y
}

func different(a, b, c, d float64) float64 { return a*b*c + a*c*d }
`
	ask(t, text, "// factors: ", func(f *Function, p *code.Place, line int) string {
		c, ok := f.CommonFactors(line)
		if !ok {
			return ""
		}
		return fmt.Sprint(p.Source(c.A), " ", p.Source(c.B), " ", c.Products)
	})
}
