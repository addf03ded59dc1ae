package facts

import (
	"go/ast"
	"strings"
	"testing"
)

// TestPanicsAtStart: the comment behind an expression in a loop says how it may panic if it is evaluated before the loop.
func TestPanicsAtStart(t *testing.T) {
	const text = `package facts

type point struct {
	x    int
	in   *point
	xs   []int
	list [4]int
}

func (p *point) change() int { p.x++; return 1 }

func never(p *point, n int) {
	for range n {
		_ = p.x // nil
	}
}

func inside(p *point, n int) {
	for range n {
		p.x = 1
		_ = p.x // nil
	}
}

func before(p *point, n int) {
	p.x = 1
	for range n {
		_ = p.x //
	}
}

func condition(p *point) {
	for i := 0; i < len(p.xs); i++ {
		_ = p.x //
	}
}

func second(p *point, n int) {
	for i := 0; i < n && i < len(p.xs); i++ {
		_ = p.x // nil
	}
}

func ranged(p *point) {
	for range p.in.xs {
		_ = p.x //
		_ = p.in.x //
		_ = p.in.in.x // nil
	}
}

func array(p *point) {
	for range p.list {
		_ = p.x // nil
	}
}

func elements(p *point) {
	for _, x := range p.list {
		_ = p.x //
		_ = x
	}
}

func called(p *point) {
	for i := 0; i < p.change()+len(p.xs); i++ {
		_ = p.x // nil
	}
}

func index(p *point, xs []int, n int) {
	for i := 0; i < xs[n]+p.x; i++ {
		_ = p.x // nil
		_ = xs[n] // other
	}
}
`
	_, p := check(t, text)
	lines := strings.Split(text, "\n")
	checked := 0
	for c := range p.Root().Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		source, want, marked := strings.Cut(lines[p.Line(assign.Pos())-1], "//")
		if !marked {
			continue
		}
		loop, ok := LoopAround(c)
		if !ok {
			t.Fatalf("%s: in no loop", source)
		}
		if got := panicNames(PanicsAtStart(p.Around(c), loop, assign.Rhs[0])); got != strings.TrimSpace(want) {
			t.Errorf("line %d: %s: panics with %q, want %q", p.Line(assign.Pos()), strings.TrimSpace(source), got, strings.TrimSpace(want))
		}
		checked++
	}
	if checked != strings.Count(text, " //") {
		t.Errorf("%d expressions checked", checked)
	}
}
