package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/profile"
)

// graphProfile returns a profile of two functions whose texts, of every kind
// that a call graph shows, are made by text from what they are.
func graphProfile(text func(what string) string) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: text("type"), Unit: text("unit")})
	str := b.String
	mapping := b.Mapping(profile.Mapping{Limit: 1 << 20, File: "/bin/" + text("program"), BuildID: text("build")})
	caller, callee := b.Function(text("caller"), "", text("file"), 1), b.Function(text("callee"), "", text("file2"), 1)
	stack := []uint32{
		b.Location(100, mapping, profile.Line{Function: callee, Line: 7}),
		b.Location(200, mapping, profile.Line{Function: caller, Line: 8}),
	}
	nameless := b.Location(300, mapping)
	labels := []profile.Label{
		{Key: str(text("key")), Str: str(text("value"))},
		{Key: str(text("key2")), Str: str(text("value2"))},
		{Key: str("bytes"), Num: 4096, Numeric: true, Unit: str(text("bytes"))},
	}
	b.Sample(stack, labels, 100)
	b.Sample(stack[1:], labels[2:], 50)
	b.Sample([]uint32{nameless}, nil, 10)
	p := b.Profile()
	p.Comments = []string{text("comment")}
	p.DocURL = text("doc")
	return p
}

func dotOf(t *testing.T, p *profile.Profile, command string, change func(*Options)) string {
	t.Helper()
	o := DefaultOptions()
	change(&o)
	r, err := New(p, command, "", o, Env{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	dotString    = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)
	dotStatement = regexp.MustCompile(`^(?:digraph Q \{|node \[style=filled fillcolor=Q\]|subgraph cluster_L \{ Q \[shape=box fontsize=16 label=Q(?: tooltip=Q)?\] \}|` +
		`(N+[0-9_]+(?: -> N+[0-9_]+)?) \[(?:(?:label|id|tooltip|labeltooltip|shape|fontsize|color|fillcolor|style|weight|penwidth|minlen) ?= ?(?:\w+|Q) ?)+\]|\})$`)
)

// skeleton returns the nodes and edges of a graph, and fails if anything in it is
// no statement or attribute that hone writes.
func skeleton(t *testing.T, dot string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(dotString.ReplaceAllString(dot, "Q")) {
		m := dotStatement.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("not a statement: %.200q\nin\n%s", line, dot)
		}
		if m[1] != "" {
			out = append(out, m[1])
		}
	}
	return out
}

// TestDotEscapes draws profiles whose texts would be syntax if they were written
// as they are: the graph has to have the nodes and edges of one with plain texts.
func TestDotEscapes(t *testing.T) {
	hostile := []string{
		`"`, `\`, `\\`, `"]`, `x" URL="javascript:alert(1)`, "a\n}\nN9 [label=\"forged\"]\n", `\N\G\L`, `a\`, `&quot;`, `<b>`, `{a|b}`,
		`"; N1 -> N2; "`, "\x00", "\x1b[31m", "\u202e", "\xff", `C:\new\table`, "//", "/*", "*/", "#",
	}
	variants := map[string]func(*Options){
		"functions": func(*Options) {},
		"lines":     func(o *Options) { o.Granularity = "lines" },
		"files":     func(o *Options) { o.Granularity = "files" },
		"addresses": func(o *Options) { o.Granularity = "addresses" },
		"tree":      func(o *Options) { o.CallTree = true },
		"roots":     func(o *Options) { o.TagRoot = "bytes" },
		"unit":      func(o *Options) { o.Unit = "auto" },
	}
	for name, change := range variants {
		want := skeleton(t, dotOf(t, graphProfile(func(what string) string { return what }), "dot", change))
		if len(want) < 4 {
			t.Fatalf("%s: the plain graph has only %q", name, want)
		}
		for _, bad := range hostile {
			p := graphProfile(func(what string) string { return what + bad })
			dot := dotOf(t, p, "dot", change)
			if got := skeleton(t, dot); !slices.Equal(got, want) {
				t.Errorf("%s of %q: got %q, want %q", name, bad, got, want)
			}
			if svg := dotOf(t, p, "svg", change); svg != dot {
				t.Errorf("%s of %q: pictures are not made of the same text as dot's", name, bad)
			}
		}
	}
	// The engine agrees.
	all := graphProfile(func(what string) string { return what + strings.Join(hostile, what) })
	placed, err := graphviz.Engine{}.Place(t.Context(), []byte(dotOf(t, all, "dot", variants["lines"])))
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"N1", "N2", "N3"} {
		if _, _, _, _, ok := placed.Node(node); !ok {
			t.Errorf("no node %s", node)
		}
	}
}

func TestDotEscapesKeepText(t *testing.T) {
	for text, want := range map[string]string{
		`main.(*T).f`:      `main.(*T).f`,
		`f(int&, char&&)`:  `f(int&, char&&)`,
		`say:"hi"`:         `say:\"hi\"`,
		`C:\new`:           `C:\\new`,
		"two\nlines":       `two\llines`,
		`a &lt; b &amp; c`: `a &amp;lt; b &amp;amp; c`,
	} {
		if got := string(escapeDot(text)); got != want {
			t.Errorf("%q is escaped as %s, want %s", text, got, want)
		}
	}
}

// TestTagsOfManyValues checks that the values of a label which are too light for
// any node cost nothing there.
func TestTagsOfManyValues(t *testing.T) {
	const values = 20_000
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	var stack []uint32
	for i := range 10 {
		f := b.Function(fmt.Sprintf("main.f%d", i), "", "f.go", 1)
		stack = append(stack, b.Location(uint64(i+1), 0, profile.Line{Function: f, Line: 1}))
	}
	str := b.String
	key, bytes := str("id"), str("bytes")
	for i := range values {
		b.Sample(stack, []profile.Label{{Key: key, Str: str(fmt.Sprint("v", i))}, {Key: bytes, Num: int64(i), Numeric: true}}, 10)
	}
	heavy := []profile.Label{{Key: key, Str: str("heavy")}}
	b.Sample(stack, heavy, values)
	b.Sample(stack[5:], heavy, values)
	p := b.Profile()

	for _, tree := range []bool{false, true} {
		o := DefaultOptions()
		o.CallTree = tree
		r, err := New(p, "dot", "", o, Env{})
		if err != nil {
			t.Fatal(err)
		}
		c := newTagCollector(r, 1000)
		y := r.newLayout()
		if tree {
			y.buildTree(r.prof, r.weights, r.stop(), c.visitor())
		} else {
			y.build(r.prof, r.weights, buildOptions{edges: true, visit: c.visitor()})
		}
		if len(c.sums) != len(stack) {
			t.Errorf("tree %v: %d sums are kept for %d nodes with one heavy tag", tree, len(c.sums), len(stack))
		}
		for _, n := range r.Graph().Nodes {
			if len(n.Tags) != 1 || n.Tags[0].Name != "id:heavy" {
				t.Errorf("tree %v: %s has the tags %+v", tree, n.Name, n.Tags)
			}
		}
	}
}
