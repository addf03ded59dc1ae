package report

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/profile"
)

func placedGraph(t *testing.T, p *profile.Profile, change ...func(*Options)) (*Graph, *PlacedGraph) {
	t.Helper()
	g := newReport(t, p, "dot", "", change...).Graph()
	layout, err := graphviz.Engine{}.Place(t.Context(), g.LayoutDOT())
	if err != nil {
		t.Fatal(err)
	}
	return g, g.Place(layout)
}

func TestPlacedGraph(t *testing.T) {
	lines := func(o *Options) { o.Granularity = "lines" }
	tree := func(o *Options) { o.CallTree = true }
	few := func(o *Options) { o.NodeCount = 30 }
	for _, tt := range []struct {
		file    string
		options []func(*Options)
	}{
		{"cpu.json-decode.pb.gz", nil}, {"cpu.cgo.pb.gz", nil}, {"heap.inlining.pb.gz", []func(*Options){lines, few}},
		{"cpu.recursion.pb.gz", nil}, {"cpu.diff.pb.gz", []func(*Options){few}}, {"cpu.labels.pb.gz", []func(*Options){tree, few}}, {"cpu.empty.pb.gz", nil},
	} {
		g, p := placedGraph(t, testProfile(t, tt.file), tt.options...)
		if len(p.Nodes) != len(g.Nodes) || len(p.Edges) != len(g.Edges) {
			t.Errorf("%s: %d nodes and %d edges of %d and %d", tt.file, len(p.Nodes), len(p.Edges), len(g.Nodes), len(g.Edges))
		}
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if !reflect.DeepEqual(n.GraphNode, g.Nodes[i]) {
				t.Errorf("%s: node %d is %+v", tt.file, i, n.GraphNode)
			}
			left, right, top, bottom := n.X-n.Width/2, n.X+n.Width/2, n.Y-n.Height/2, n.Y+n.Height/2
			if left < 0 || top < 0 || right > p.Width || bottom > p.Height {
				t.Errorf("%s: %s leaves the page", tt.file, n.Name)
			}
			if room := float64(len(n.Label)) * n.FontSize; n.Height < room || n.FontSize < 8 || n.FontSize > 24 {
				t.Errorf("%s: %s: %d lines of %g in %g", tt.file, n.Name, len(n.Label), n.FontSize, n.Height)
			}
			for _, line := range n.Label {
				if width := textWidth(line) * n.FontSize; width > n.Width {
					t.Errorf("%s: %q is %g wide in %g", tt.file, line, width, n.Width)
				}
			}
			for k := range p.Nodes[:i] {
				o := &p.Nodes[k]
				if math.Abs(n.X-o.X) < (n.Width+o.Width)/2-1 && math.Abs(n.Y-o.Y) < (n.Height+o.Height)/2-1 {
					t.Errorf("%s: %s lies on %s", tt.file, n.Name, o.Name)
				}
			}
		}
		near := func(n *PlacedNode, x, y float64) bool {
			return math.Abs(x-n.X) < n.Width/2+3 && math.Abs(y-n.Y) < n.Height/2+3
		}
		for _, e := range p.Edges {
			caller, callee := &p.Nodes[e.Caller], &p.Nodes[e.Callee]
			if !near(caller, e.Path[0], e.Path[1]) || !near(callee, e.Tip[0], e.Tip[1]) {
				t.Errorf("%s: the edge from %s to %s goes from %v to %v", tt.file, caller.Name, callee.Name, e.Path[:2], e.Tip)
			}
			if e.LabelAt == nil {
				t.Errorf("%s: no room for the weight of %s to %s", tt.file, caller.Name, callee.Name)
			}
		}
		roundTrip(t, p)
	}
}

func TestPlacedGraphHostile(t *testing.T) {
	g, p := placedGraph(t, named(hostile), func(o *Options) { o.Trim = false })
	if len(p.Nodes) == 0 || len(p.Edges) != len(g.Edges) {
		t.Errorf("%d nodes, %d of %d edges", len(p.Nodes), len(p.Edges), len(g.Edges))
	}
	for i := range p.Nodes {
		if p.Nodes[i].Width == 0 || p.Nodes[i].Width > 1000 {
			t.Errorf("%.50q is %g wide", p.Nodes[i].Name, p.Nodes[i].Width)
		}
	}
}

func TestNameLines(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                                     "main|main",
		"main.main.func1":                               "main|main.func1",
		"main.(*T).run.func2.1":                         "main|(*T)|run.func2.1",
		"encoding/json.(*decodeState).object":           "json|(*decodeState)|object",
		"encoding/json.Number.String":                   "json|Number|String",
		"github.com/a/b/v2.F":                           "b|F",
		"reflect.Value.grow":                            "reflect|Value|grow",
		"runtime.mallocgc":                              "runtime|mallocgc",
		"slices.SortFunc[...]":                          "slices|SortFunc[...]",
		"main.(*List[go.shape.int]).Push":               "main|(*List[go.shape.int])|Push",
		"std::vector<int, std::allocator<int> >::begin": "std|vector<int, std::allocator<int> >|begin",
		"main.f via encoding/json.Marshal":              "main|f|via json.Marshal",
		"GET /api/v1.users":                             "GET /api/v1.users",
		"/api/v1.users":                                 "/api/v1.users",
		"runtime: garbage collection":                   "runtime: garbage collection",
		"memcpy":                                        "memcpy",
		"[libc.so.6]":                                   "[libc.so.6]",
		"":                                              "",
		".":                                             ".",
		"a.":                                            "a.",
		"pkg." + strings.Repeat("Word", 12):             "pkg|WordWordWordWordWordWordWordWordWord|WordWordWord",
		"pkg." + strings.Repeat("x", 200):               "pkg|" + strings.Repeat("x", 36) + "|" + strings.Repeat("x", 36) + "|" + strings.Repeat("x", 35) + "…",
	} {
		if got := strings.Join(nameLines(name), "|"); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestGraphLabelFrames: a label that became a frame is no function of a package.
func TestGraphLabelFrames(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "count"})
	f := b.Location(0, 0, profile.Line{Function: b.Function("example.org/users/v1.Get", "", "/src/users/v1/get.go", 7), Line: 9})
	b.Sample([]uint32{f}, []profile.Label{{Key: b.String("route"), Str: b.String("example.org/users/v1.Put")}}, 100)
	_, p := placedGraph(t, b.Profile(), func(o *Options) { o.TagRoot = "route" })
	got := map[string]bool{}
	for i := range p.Nodes {
		got[strings.Join(p.Nodes[i].Label[:1], "|")] = true
	}
	if !got["example.org/users/v1.Put"] || !got["v1"] || len(got) != 2 {
		t.Errorf("boxes begin with %v", got)
	}
}

func TestGraphLabel(t *testing.T) {
	q := func(v int64) Quantity { return Quantity{Value: v, Text: formatValue(v, "count", "")} }
	for _, tt := range []struct {
		n    GraphNode
		want []string
	}{
		{GraphNode{Place: Place{Func: "main.f"}, Flat: q(5), Cum: q(50)}, []string{"main", "f", "5 (5.00%)", "of 50 (50.00%)"}},
		{GraphNode{Place: Place{Func: "main.f"}, Cum: q(100)}, []string{"main", "f", "0 of 100 (100%)"}},
		{GraphNode{Place: Place{Func: "main.f", File: "/a/f.go", Line: 7}, Flat: q(5), Cum: q(5)}, []string{"main", "f", "f.go:7", "5 (5.00%)"}},
		{GraphNode{Place: Place{File: "/a/f.go"}, Flat: q(-5), Cum: q(-5)}, []string{"f.go", "-5 (-5.00%)"}},
		{GraphNode{Place: Place{Name: "[libc.so]"}, Flat: q(5), Cum: q(5)}, []string{"[libc.so]", "5 (5.00%)"}},
	} {
		if got := tt.n.label(100); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: got %q, want %q", tt.n.Place, got, tt.want)
		}
	}
}
