package report

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/hone-go/hone/profile"
)

// pageCase is the data of a page with what its script has to make of it.
type pageCase struct {
	Name string     `json:"name"`
	Data *flameData `json:"data"`
	// By sample type, from the root and inverted.
	Graphs []pageGraph `json:"graphs"`
}

type pageGraph struct {
	Type     int         `json:"type"`
	Inverted bool        `json:"inverted"`
	Widths   FlameWidths `json:"widths"`

	Total     Column         `json:"total"`
	BaseTotal Column         `json:"baseTotal"`
	Steps     []int          `json:"steps"`     // of changes, in a comparison
	Collapsed []pageNode     `json:"collapsed"` // the nodes with direct recursion as one
	Windows   []pageWindow   `json:"windows"`
	Searches  []pageSearches `json:"searches"`
}

type pageNode struct {
	Name  string `json:"name"`
	Depth int    `json:"depth"`
	Total int64  `json:"total"`
	Self  int64  `json:"self"`
}

type pageWindow struct {
	From   int64        `json:"from"`
	To     int64        `json:"to"`
	Width  int          `json:"width"`
	Answer *FlameWindow `json:"answer"`
}

type pageSearches struct {
	Pattern string       `json:"pattern"`
	Answer  *FlameSearch `json:"answer"`
}

// TestFlamePage writes down what the page's script has to make of its data, and
// by which rules it colours frames and prints values: what Go makes of the same.
// web/src/model/tree.test.ts reads the file and compares.
func TestFlamePage(t *testing.T) {
	var all struct {
		Cases   []pageCase     `json:"cases"`
		Hues    map[string]int `json:"hues"`
		Formats []pageFormat   `json:"formats"`
	}
	all.Cases = []pageCase{
		newPageCase(t, "nested", nil, folded(t, "a;b;a 10\na;b 20\nc;a;b 5\nc 65\n"), false),
		newPageCase(t, "comparison", folded(t, "a;a;b 100\na;b 300\nold 50\nc 1000\n"), folded(t, "a;a;b 200\na;b 290\nnew 60\nc 1003\n"), true),
		newPageCase(t, "gone and new", folded(t, "a;old;x 70\na;old;y 7\na;c 100\nb;c 13\n"), folded(t, "a;now;x 60\na;c 104\nb;c 9\nb;now 3\n"), false),
		newPageCase(t, "inlined calls", nil, testProfile(t, "cpu.inlining.pb.gz"), false),
		newPageCase(t, "sample types", nil, twoTypes(), false),
		newPageCase(t, "empty", nil, testProfile(t, "cpu.empty.pb.gz"), false),
	}
	all.Hues = map[string]int{}
	for _, pkg := range []string{"", "main", "net/http", "example.org/ünïcode/\U0001F525", "runtime", "\x00"} {
		all.Hues[pkg] = packageHue(pkg)
	}
	for _, f := range []pageFormat{{0, "nanoseconds", ""}, {1, "nanoseconds", ""}, {1500, "nanoseconds", ""}, {240_290_000_000, "nanoseconds", ""},
		{7_200_000_000_000, "nanoseconds", ""}, {1023, "bytes", ""}, {1 << 20, "bytes", ""}, {3 << 33, "bytes", ""}, {-2048, "bytes", ""}, {999, "count", ""}, {7, "", ""}, {12, "wolves", ""}} {
		f.Text = formatValue(f.Value, f.Unit, "auto")
		all.Formats = append(all.Formats, f)
	}
	text, err := json.MarshalIndent(&all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "flame_page.json", onLine(text)+"\n")
}

// twoTypes returns a profile whose sample types have different stacks, and
// siblings in another order.
func twoTypes() *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "inuse_space", Unit: "bytes"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	location := func(name string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "/src/"+name+".go", 7), Line: 9})
	}
	m, f, g, h := location("main.main"), location("main.f"), location("net/http.g"), location("runtime.h")
	b.Sample([]uint32{f, m}, nil, 100, 400)
	b.Sample([]uint32{g, m}, nil, 900, 1000)
	b.Sample([]uint32{h, g, m}, nil, 0, 300)
	b.Sample([]uint32{h, f, f, m}, nil, 0, 9000)
	b.Sample([]uint32{h}, nil, 16, 0)
	return b.Profile()
}

type pageFormat struct {
	Value int64  `json:"value"`
	Unit  string `json:"unit"`
	Text  string `json:"text"`
}

// onLine puts columns of numbers on a line each.
func onLine(text []byte) string {
	return regexp.MustCompile(`\[[\s\d,-]*\]`).ReplaceAllStringFunc(string(text), func(s string) string {
		return regexp.MustCompile(`\s+`).ReplaceAllString(s, "")
	})
}

func newPageCase(t *testing.T, name string, base, head *profile.Profile, normalize bool) pageCase {
	build := func(inverted, collapse bool, types ...int) *profile.Tree {
		o := profile.TreeOptions{Types: types, Inverted: inverted, CollapseRecursion: collapse, Normalize: normalize}
		tr, err := profile.NewTree(head, o)
		if base != nil {
			tr, err = profile.NewDiffTree(base, head, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	var types []int
	for i := range head.SampleTypes {
		types = append(types, i)
	}
	c := pageCase{Name: name, Data: newFlameData(build(false, false, types...), &FlameOptions{Title: name, Turns: []FlameTurn{{Tree: build(true, false, types...)}}, MaxNodes: htmlNodes})}
	for i := range head.SampleTypes {
		for _, inverted := range []bool{false, true} {
			tr, collapsed := build(inverted, false, i), build(inverted, true, i)
			for _, widths := range []FlameWidths{WidthsBoth, WidthsHead, WidthsBase} {
				if widths != WidthsBoth && base == nil {
					continue
				}
				g := newPageGraph(t, tr, collapsed, widths)
				g.Type, g.Inverted, g.Widths = i, inverted, widths
				c.Graphs = append(c.Graphs, g)
			}
		}
	}
	return c
}

func newPageGraph(t *testing.T, tr, collapsed *profile.Tree, widths FlameWidths) pageGraph {
	x := NewFlameIndex(tr, Options{Unit: "auto"}, widths)
	v := &tr.Values[0]
	out := pageGraph{Total: v.Total, BaseTotal: v.BaseTotal}
	if tr.Diff() {
		for n := range uint32(tr.NumNodes()) {
			out.Steps = append(out.Steps, changeStep(v, n, "", chanceOf(v)))
		}
	}
	walkTree(collapsed, func(n uint32, depth int) {
		if total := collapsed.Values[0].Total[n]; n != 0 && total > 0 {
			out.Collapsed = append(out.Collapsed, pageNode{collapsed.Frames[collapsed.Frame[n]].Label(), depth, total, collapsed.Values[0].Self[n]})
		}
	})
	all := x.width[0]
	for _, w := range []Window{{Width: 1200}, {Width: 8}, {From: all / 3, To: all / 2, Width: 100}, {From: all / 2, To: all, Width: 2}} {
		if all == 0 && w.Width != 1200 {
			continue // no part of nothing
		}
		answer, err := x.Window(w)
		if err != nil {
			t.Fatal(err)
		}
		out.Windows = append(out.Windows, pageWindow{answer.From, answer.To, w.Width, answer})
	}
	for _, pattern := range []string{"^a$", "^b$", "a|b", "c|a", "^c$", "nothing", "runtime", "main", "."} {
		out.Searches = append(out.Searches, pageSearches{pattern, x.Search(regexp.MustCompile(pattern), 500)})
	}
	return out
}
