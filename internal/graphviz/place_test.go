package graphviz

import (
	"context"
	"errors"
	"fmt"
	"math"

	"testing"
)

func TestPlace(t *testing.T) {
	const dot = `digraph "" {
node [shape=box fixedsize=true label=""]
N0 [width=1.5 height=0.5]
N1 [width=2 height=1]
"a \\ b" [width=1 height=1]
N0 -> N1 [label=" 10ms"]
N0 -> "a \\ b" [penwidth=3]
N1 -> N1
}`
	p, err := here.Place(t.Context(), []byte(dot))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []struct {
		name          string
		width, height float64
	}{{"N0", 108, 36}, {"N1", 144, 72}, {`a \\ b`, 72, 72}} {
		x, y, w, h, ok := p.Node(n.name)
		if !ok || w != n.width || h != n.height {
			t.Errorf("node %s: %g × %g, %v; want %g × %g", n.name, w, h, ok, n.width, n.height)
		}
		if x-w/2 < margin-0.01 || y-h/2 < margin-0.01 || x+w/2 > p.Width-margin+0.01 || y+h/2 > p.Height-margin+0.01 {
			t.Errorf("node %s at %g, %g is not on the page of %g × %g", n.name, x, y, p.Width, p.Height)
		}
	}
	if _, _, _, _, ok := p.Node("N2"); ok {
		t.Error("there is a node N2")
	}
	_, y0, _, h0, _ := p.Node("N0")
	x1, y1, w1, h1, _ := p.Node("N1")
	if y0 >= y1 {
		t.Errorf("the caller is at %g, the callee above it at %g", y0, y1)
	}
	path, tip, label, ok := p.Edge("N0", "N1")
	if !ok || len(path) < 8 || (len(path)/2-1)%3 != 0 || label == nil {
		t.Fatalf("edge %v, label %v, %v", path, label, ok)
	}
	if math.Abs(path[1]-(y0+h0/2)) > 1 {
		t.Errorf("the edge begins at %v, not at the lower edge of its tail, %g", path[:2], y0+h0/2)
	}
	if math.Abs(tip[1]-(y1-h1/2)) > 1.5 || math.Abs(tip[0]-x1) > w1/2+1 {
		t.Errorf("the arrow points at %v, not at the upper edge of its head, %g", tip, y1-h1/2)
	}
	if math.Abs(path[len(path)-1]-tip[1]) < 5 {
		t.Errorf("the curve ends at %v, which leaves no room for the arrow to %v", path[len(path)-2:], tip)
	}
	if _, _, label, ok := p.Edge("N0", `a \\ b`); !ok || label != nil {
		t.Errorf("edge without a label: %v, %v", label, ok)
	}
	if path, _, _, ok := p.Edge("N1", "N1"); !ok || len(path) < 8 {
		t.Errorf("loop: %v %v", path, ok)
	}
	if _, _, _, ok := p.Edge("N1", "N0"); ok {
		t.Error("there is an edge against the arrow")
	}
}

func TestPlaceErrors(t *testing.T) {
	if _, err := here.Place(t.Context(), []byte("digraph {")); err == nil {
		t.Error("no error for half a graph")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := here.Place(ctx, []byte("digraph { a -> b }")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if p, err := here.Place(t.Context(), []byte("digraph {}")); err != nil || p.Width < 0 {
		t.Errorf("empty graph: %+v, %v", p, err)
	}
	for _, data := range []string{
		``, `{}`, `{"bb":"0,0,1,1","objects":[{"name":"a","pos":"x","width":"1","height":"1"}]}`,
		`{"bb":"0,0,1,1","edges":[{"pos":"1,1 2,2"}]}`, `{"bb":"0,0,NaN,1"}`,
		`{"bb":"0,0,1,1","objects":[{"name":"a","pos":"1,NaN","width":"1","height":"1"}]}`,
	} {
		if p, err := parsePlacement([]byte(data)); err == nil {
			t.Errorf("%s: no error but %+v", data, p)
		}
	}
}

func TestPlaceCurves(t *testing.T) {
	o := pageOrigin{0, 100}
	for s, want := range map[string]string{
		"e,5,0 0,10 1,11 2,12 3,13":                "[0 90 1 89 2 88 3 87] [5 100]",
		"0,10 1,11 2,12 3,13":                      "[0 90 1 89 2 88 3 87] [3 87]",
		"s,9,9 e,5,0 0,10 1,11 2,12 3,13; 0,0 1,1": "[0 90 1 89 2 88 3 87] [5 100]",
		"0,10 1,11 2,12 3,13 4,14 5,15 6,16":       "[0 90 1 89 2 88 3 87 4 86 5 85 6 84] [6 84]",
		"":                                         "", "0,10 1,11": "", "0,10 1,11 2,12 3,13 4,14": "", "a,b c,d e,f g,h": "",
	} {
		c, ok := o.curve(s)
		got := ""
		if ok {
			got = fmt.Sprint(c.Path, c.Tip)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func BenchmarkPlace(b *testing.B) {
	dot := callGraph(80)
	for b.Loop() {
		if _, err := here.Place(b.Context(), dot); err != nil {
			b.Fatal(err)
		}
	}
}
