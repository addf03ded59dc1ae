package flow

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/codetest"
)

// What cgo makes of package net would take a C compiler.
func init() { build.Default.CgoEnabled = false }

// shared reads packages of the standard library once for all tests.
var shared = sync.OnceValues(func() (*token.FileSet, types.Importer) {
	fset := token.NewFileSet()
	return fset, importer.ForCompiler(fset, "source", nil)
})

// check checks the types of a file.
func check(t *testing.T, text string) *code.Package {
	t.Helper()
	const name = "flow.go"
	fset, from := shared()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := codetest.Check("example.com/flow", types.Config{Importer: from}, fset, map[string][]byte{name: []byte(text)}, f)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// ask compares answers about a text with what its lines say after a mark, such as "// twice: ". about returns the
// answer about a line of a function, "" for none.
func ask(t *testing.T, text, mark string, about func(f *Function, p *code.Place, line int) string) {
	t.Helper()
	p := check(t, text)
	lines := strings.Split(text, "\n")
	for c := range p.Root().Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		place := p.Around(c)
		f := In(place)
		if f == nil {
			t.Errorf("line %d: the flow of values isn't known", p.Line(c.Node().Pos()))
			continue
		}
		for line := p.Line(c.Node().Pos()); line <= p.Line(c.Node().End()); line++ {
			if at, ok := p.Root().FindByPos(p.LineStart(p.Files[0], line), p.LineStart(p.Files[0], line)); ok {
				if inner := p.Around(at); inner.Func.Valid() && inner.Func != c && inner.Func.Node() != c.Node() {
					continue
				}
			}
			_, want, _ := strings.Cut(lines[line-1], mark)
			if got := about(f, place, line); got != want {
				t.Errorf("line %d: %s\n\tgot  %q\n\twant %q", line, strings.TrimSpace(lines[line-1]), got, want)
			}
		}
	}
}

// callsOn are the calls on a line of a function, without those in function literals.
func callsOn(p *code.Place, line int) (calls []*ast.CallExpr) {
	ast.Inspect(p.Body(), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.Line(call.Pos()) == line {
			calls = append(calls, call)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return calls
}

// each joins the answers about the calls on a line.
func each(about func(f *Function, call *ast.CallExpr) string) func(*Function, *code.Place, int) string {
	return func(f *Function, p *code.Place, line int) string {
		var all []string
		for _, call := range callsOn(p, line) {
			if text := about(f, call); text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		return strings.Join(all, ", ")
	}
}

// TestTwice: a call is repeated if it only computes, its arguments are the same, and nothing that it reads may have
// changed.
func TestTwice(t *testing.T) {
	const text = `package flow

import ("fmt"; "strings"; "strconv"; "time")

type node struct { name string; next *node; tags []string }

func (n *node) key() string { return n.name + "/" }
func (n *node) rename(s string) { n.name = s }

var state int

func counted(s string) string { state++; return s }
func pick(m map[string]int) string { for k := range m { return k }; return "" }
func depth(n *node) int { if n == nil { return 0 }; return len(n.name) }

func plain(a, b string) bool {
	x := strings.ToLower(a) // twice: 18
	return x == b || strings.ToLower(a) != b // twice: 17
}

func branches(a string, yes bool) string {
	if yes {
		return strings.ToUpper(a)
	}
	return strings.ToUpper(a)
}

func reassigned(a string) string {
	x := strings.ToLower(a)
	a = x + a
	return x + strings.ToLower(a)
}

func joined(a string, yes bool) string {
	x := strings.ToLower(a)
	if yes { a = "b" }
	return x + strings.ToLower(a)
}

func formatted(n int, s string) string {
	x := fmt.Sprintf("%d %s", n, s) // twice: 43
	if n > 3 {
		return x + fmt.Sprintf("%d %s", n, s) // twice: 41
	}
	return x + fmt.Sprintf("%d %s", n+1, s)
}

func loaded(n *node) string {
	x := strings.ToLower(n.name) // twice: 50
	return x + strings.ToLower(n.name) // twice: 49
}

func stored(n *node) string {
	x := strings.ToLower(n.name)
	n.name = "x"
	return x + strings.ToLower(n.name)
}

func storedElsewhere(n, m *node) string {
	x := strings.ToLower(n.name)
	m.name = "x"
	return x + strings.ToLower(n.name)
}

func calledBetween(n *node) string {
	x := strings.ToLower(n.name)
	n.rename(x)
	return x + strings.ToLower(n.name)
}

func effects(a string) string { return counted(a) + counted(a) }
func anyOrder(m map[string]int) string { return pick(m) + pick(m) }
func clock() time.Duration { return time.Since(time.Now()) + time.Since(time.Now()) }

func own(n *node) string {
	x := n.key() // twice: 78
	s := state
	return x + n.key() + strconv.Itoa(s) // twice: 76
}

func ownStored(n *node) string {
	x := n.key()
	n.next.name = "y"
	return x + n.key()
}

func inLoop(list []string, n *node) (all []string) {
	for _, s := range list {
		if strings.TrimSpace(s) != "" { // twice: 90
			all = append(all, strings.TrimSpace(s)) // twice: 89
		}
	}
	return all
}

func nextIteration(list []string) (n int) {
	last := ""
	for _, s := range list {
		n += strings.Count(last, "a")
		last = s
		n += strings.Count(last, "a")
	}
	return n
}

func deep(n *node) int {
	x := depth(n)
	n.tags = nil
	return x + depth(n)
}

func captured(a string) string {
	change := func() { a = "changed" }
	x := strings.ToLower(a)
	change()
	return x + strings.ToLower(a)
}

func local() string {
	var n node
	n.name = "A"
	x := strings.ToLower(n.name)
	n.name = "B"
	return x + strings.ToLower(n.name)
}

func received(n *node, c chan int) string {
	x := strings.ToLower(n.name)
	<-c
	return x + strings.ToLower(n.name)
}

func waiting(c chan int) int { return fill(c) + fill(c) }
func fill(c chan int) int { return len(c) }
func errs(s string) (int, error) {
	n, _ := strconv.Atoi(s) // twice: 137
	_, err := strconv.Atoi(s) // twice: 136
	return n, err
}

func deferred(n *node) (s string) {
	defer n.rename("x")
	x := n.key() // twice: 144
	return x + n.key() // twice: 143
}

func jumps(s string) (n int) {
again:
	n += strings.Count(s, "a")
	s = s[1:]
	if n < 3 { goto again }
	return n + strings.Count(s, "a")
}

func slicesOf(b []byte) int {
	x := strings.Count(string(b), "a")
	b[0] = 'a'
	return x + strings.Count(string(b), "a")
}

func ranged(n *node, list []int) (sum int) {
	x := strings.ToLower(n.name) // twice: 164
	for range list { sum++ }
	y := strings.ToLower(n.name) // twice: 162
	return sum + len(x) + len(y)
}
`
	ask(t, text, "// twice: ", each(func(f *Function, call *ast.CallExpr) string {
		var lines []string
		for _, p := range f.Twice(call) {
			for _, c := range []ast.Node{p.First.Node(), p.Second.Node()} {
				if c != ast.Node(call) {
					lines = append(lines, fmt.Sprint(f.Line(c.Pos())))
				}
			}
		}
		return strings.Join(lines, " ")
	}))
}

// TestInvariant: a call in a loop computes the same each time if nothing that it depends on changes in the loop.
func TestInvariant(t *testing.T) {
	const text = `package flow

import ("fmt"; "strings")

type node struct { name string; hits int }

func (n *node) key() string { return strings.ToLower(n.name) }
func square(n int) int { return n * n }

func args(list []string, a string, n *node) (sum int) {
	for i, s := range list {
		sum += square(len(a)) // same: 11
		sum += square(i)
		if s == strings.ToLower(a) { // same: 11
			sum += len(fmt.Sprint(n.name, a)) // same: 11
		}
		if strings.ToUpper(s) == n.key() { // same: 11
			return sum + len(n.key())
		}
	}
	return sum + square(3)
}

func written(list []*node, n *node) (sum int) {
	for _, other := range list {
		other.hits++
		sum += len(n.key())
	}
	return sum
}

func inner(grid [][]string, a string) (sum int) {
	for _, row := range grid {
		for _, s := range row {
			sum += strings.Count(row[0], a) + len(s) // same: 34
		}
		sum += strings.Count(row[0], a)
	}
	return sum
}

func variable(list []string) (sum int) {
	limit := 1
	for range list {
		sum += square(limit)
		limit++
	}
	for i := 0; i < square(limit); i++ { // same: 48
		sum++
	}
	return sum
}

func address(list []int) (sum int) {
	n := 1
	p := &n
	for _, x := range list {
		*p = x
		sum += square(n)
	}
	return sum
}
`
	ask(t, text, "// same: ", each(func(f *Function, call *ast.CallExpr) string {
		if at, ok := f.Invariant(call); ok {
			return fmt.Sprint(f.Line(at))
		}
		return ""
	}))
}
