package graphviz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test be the process that lays out, in two ways that fail too.
func TestMain(m *testing.M) {
	switch os.Getenv("HONE_TEST_LAYOUT") {
	case "":
		os.Exit(m.Run())
	case "crash":
		var nowhere *int
		*nowhere = 1
	case "unreadable":
		fmt.Print("<svg/>")
		os.Exit(0)
	}
	if err := Layout(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child returns the engine that lays out in a process of its own, which does as
// TestMain says.
func child(t testing.TB, how string) Engine {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HONE_TEST_LAYOUT", how)
	return Child(program)
}

var here Engine

func render(t testing.TB, dot []byte, format string) []byte {
	t.Helper()
	return renderBy(t, here, dot, format)
}

func renderBy(t testing.TB, e Engine, dot []byte, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Render(t.Context(), dot, format, &b); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

func inputs(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.dot")
	if err != nil || len(paths) == 0 {
		t.Fatal("no inputs", err)
	}
	in := make(map[string][]byte)
	for _, path := range paths {
		dot, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in[strings.TrimSuffix(filepath.Base(path), ".dot")] = dot
	}
	return in
}

// callGraph returns a graph like a profile's: a tree of calls with some that go
// sideways, two edges a node.
func callGraph(nodes int) []byte {
	var b bytes.Buffer
	b.WriteString("digraph \"big\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n")
	for i := 1; i <= nodes; i++ {
		fmt.Fprintf(&b, "N%d [label=\"pkg%d\\nFunction%d\\n%d (%d%%)\" id=\"node%d\" fontsize=%d shape=box tooltip=\"f%d\"]\n", i, i%17, i, i, i%100, i, 8+i%17, i)
		if i > 1 {
			fmt.Fprintf(&b, "N%d -> N%d [label=\" %d\" weight=%d]\n", i/2, i, i, 1+i%100)
			if far := 1 + i*7919%nodes; far != i {
				fmt.Fprintf(&b, "N%d -> N%d [label=\" %d\"]\n", min(i, far), max(i, far), far)
			}
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// A picture is what an svg shows, in terms of DOT.
type picture struct {
	nodes, edges, texts []string // sorted
	elements            []string
}

type svgNode struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []svgNode  `xml:",any"`
}

func (n *svgNode) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func readSVG(t testing.TB, data []byte) (svgNode, picture) {
	t.Helper()
	var root svgNode
	dec := xml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&root); err != nil {
		t.Fatalf("svg: %v", err)
	}
	var p picture
	var walk func(n *svgNode)
	walk = func(n *svgNode) {
		p.elements = append(p.elements, n.XMLName.Local)
		title := ""
		for _, c := range n.Nodes {
			if c.XMLName.Local == "title" {
				title = c.Text
				break
			}
		}
		switch n.attr("class") {
		case "node":
			p.nodes = append(p.nodes, title)
		case "edge":
			p.edges = append(p.edges, title)
		}
		if n.XMLName.Local == "text" && strings.TrimSpace(n.Text) != "" {
			// Graphviz turns a second space into an unbreakable one.
			p.texts = append(p.texts, strings.TrimSpace(strings.ReplaceAll(n.Text, "\u00a0", " ")))
		}
		for i := range n.Nodes {
			walk(&n.Nodes[i])
		}
	}
	walk(&root)
	slices.Sort(p.nodes)
	slices.Sort(p.edges)
	slices.Sort(p.texts)
	return root, p
}

func TestSVGHasNodesAndEdges(t *testing.T) {
	for _, test := range []struct {
		name         string
		nodes, edges int // the legend is a node
	}{
		{"contention", 7, 7}, {"cpu", 6, 3}, {"hostile", 5, 5}, {"longnames", 4, 2}, {"nodelets", 19, 19},
	} {
		_, p := readSVG(t, render(t, inputs(t)[test.name], "svg"))
		if len(p.nodes) != test.nodes || len(p.edges) != test.edges {
			t.Errorf("%s: %d nodes and %d edges, want %d and %d", test.name, len(p.nodes), len(p.edges), test.nodes, test.edges)
		}
	}
}

func TestSVGFillsItsWindow(t *testing.T) {
	root, p := readSVG(t, render(t, inputs(t)["cpu"], "svg"))
	if root.attr("width") != "100%" || root.attr("height") != "100%" || !strings.HasPrefix(root.attr("viewBox"), "0 0 ") {
		t.Errorf("attributes %v", root.Attrs)
	}
	if n := strings.Count(strings.Join(p.elements, " "), "script"); n != 1 {
		t.Errorf("%d scripts, want the viewer alone", n)
	}
}

func TestSVGEscapesNames(t *testing.T) {
	svg := string(render(t, inputs(t)["hostile"], "svg"))
	_, p := readSVG(t, []byte(svg))
	for _, want := range []string{`a</script><script>alert(1)</script>`, `"q" & < 'x' ]]>`, `esc \N \l xN2…·func`, "Über … 日本 Ωж 😀", "newline"} {
		if !slices.Contains(p.texts, want) {
			t.Errorf("no text %q in %q", want, p.texts)
		}
	}
	if n := strings.Count(strings.Join(p.elements, " "), "script"); n != 1 {
		t.Errorf("%d scripts, want the viewer alone", n)
	}
	if strings.Contains(svg, "javascript:") || strings.Contains(svg, "href") {
		t.Error("a picture has a link")
	}
}

func TestSVGSurvivesControlCharacters(t *testing.T) {
	dot := []byte("digraph g { a [label=\"x\x00\x01\x1b\x7f\xff\xc3(]]>\u009c\u2028y\" tooltip=\"\x02\\\\\"]; a -> \"b\x03\\\\\" }")
	for format := range writers {
		out := render(t, dot, format)
		if format == "svg" {
			_, p := readSVG(t, out)
			if len(p.nodes) != 2 || len(p.edges) != 1 {
				t.Errorf("%q %q", p.nodes, p.edges)
			}
		}
	}
}

// TestSameGraphAsDot compares with an installed Graphviz.
func TestSameGraphAsDot(t *testing.T) {
	dotProgram, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("NOT COMPARED with Graphviz: no dot program in PATH (apt-get install graphviz)")
	}
	all := inputs(t)
	all["big"] = callGraph(150)
	for name, dot := range all {
		cmd := exec.CommandContext(t.Context(), dotProgram, "-Tsvg")
		// dot 2.43 writes links unescaped, and then its svg does not parse.
		cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(dot, []byte(`&b=\"2\"`), nil))
		theirs, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		_, want := readSVG(t, theirs)
		ours := render(t, dot, "svg")
		_, got := readSVG(t, ours)
		compare(t, name, got, want)

		_, got = readSVG(t, renderBy(t, Dot(dotProgram), dot, "svg"))
		compare(t, name+" laid out by dot", got, want)
	}
}

func compare(t *testing.T, name string, got, want picture) {
	t.Helper()
	for _, c := range []struct {
		what      string
		got, want []string
	}{{"nodes", got.nodes, want.nodes}, {"edges", got.edges, want.edges}, {"texts", got.texts, want.texts}} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %s\n got %q\nwant %q", name, c.what, c.got, c.want)
		}
	}
}

func TestMissingProgram(t *testing.T) {
	err := Dot("/nonexistent/dot").Render(t.Context(), []byte("digraph {}"), "svg", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/dot") {
		t.Errorf("err = %v", err)
	}
}

// TestColdCache draws every format as the first process of a user does, and then
// as the second: with the code that the first left.
func TestColdCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)         // darwin
	t.Setenv("LocalAppData", cache) // windows
	e := child(t, "well")
	dot := inputs(t)["cpu"]
	want := make(map[string][]byte)
	for _, format := range formats() {
		want[format] = render(t, dot, format)
		if err := os.RemoveAll(cache); err != nil {
			t.Fatal(err)
		}
		for _, state := range []string{"cold", "warm"} {
			// A pdf has the time in it.
			if got := renderBy(t, e, dot, format); len(got) != len(want[format]) || format != "pdf" && !bytes.Equal(got, want[format]) {
				t.Errorf("%s with a %s cache: %d bytes, other than the %d of this process", format, state, len(got), len(want[format]))
			}
		}
	}
	var entries []string
	err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			entries = append(entries, path)
		}
		return err
	})
	sum := sha256.Sum256(compressedWasm)
	key := fmt.Sprintf("wazero-%s-%x", wazeroVersion, sum[:8])
	if err != nil || len(entries) != 1 || !strings.Contains(entries[0], key) {
		t.Errorf("in the cache: %q (%v), want one entry below %s", entries, err, key)
	}
}

func TestCacheNamesTheVersion(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mod, []byte("github.com/tetratelabs/wazero "+wazeroVersion+"\n")) {
		t.Errorf("go.mod has another wazero than %s", wazeroVersion)
	}
}

// TestFaultStaysInTheChild is why there is one.
func TestFaultStaysInTheChild(t *testing.T) {
	dot := inputs(t)["cpu"]
	for how, want := range map[string]string{
		"crash":      "graph layout: exit status 2: panic: runtime error: invalid memory address or nil pointer dereference",
		"unreadable": "graph layout: invalid character",
	} {
		err := child(t, how).Render(t.Context(), dot, "svg", io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: err = %v", how, err)
		}
	}
	err := child(t, "well").Render(t.Context(), []byte("digraph {"), "svg", io.Discard)
	if want := here.Render(t.Context(), []byte("digraph {"), "svg", io.Discard); err == nil || err.Error() != want.Error() {
		t.Errorf("from the child %v, here %v", err, want)
	}
	renderBy(t, child(t, "well"), dot, "svg")
}

func TestImages(t *testing.T) {
	for _, test := range []struct {
		format string
		decode func(io.Reader) (image.Image, error)
	}{{"png", png.Decode}, {"gif", gif.Decode}} {
		img, err := test.decode(bytes.NewReader(render(t, inputs(t)["cpu"], test.format)))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		if b.Dx() < 1000 || b.Dx() > 2000 || b.Dy() < 800 || b.Dy() > 1600 {
			t.Errorf("%s: size %v", test.format, b)
		}
		// The fill of the hottest box, and black text in it.
		found := map[string]bool{}
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				r, g, bl, _ := img.At(x, y).RGBA()
				switch fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, bl>>8) {
				case "edd6d5":
					found["fill"] = true
				case "000000":
					found["text"] = true
				case "ffffff":
					found["page"] = true
				}
			}
		}
		if len(found) != 3 {
			t.Errorf("%s: only %v", test.format, found)
		}
	}
}

func TestHugeImageIsScaledDown(t *testing.T) {
	d := &drawing{width: 200_000, height: 3000}
	d.elements = []element{{shapes: []shape{{kind: polyline, points: []point{{0, 0}, {200_000, 3000}}, pen: color{a: 255}, lineWidth: 1}}}}
	img, err := rasterize(t.Context(), d, maxSide)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() > maxSide || b.Dx()*b.Dy() > maxPixels {
		t.Errorf("size %v", b)
	}
}

func TestPDF(t *testing.T) {
	pdf := render(t, inputs(t)["hostile"], "pdf")
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Fatalf("begins with %q", pdf[:10])
	}
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("TEXT NOT CHECKED: no pdftotext in PATH (apt-get install poppler-utils)")
	}
	cmd := exec.CommandContext(t.Context(), program, "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a</script><script>alert(1)</script>", `"q" & < 'x' ]]>`, `esc \N \l xN2…·func`, "Über … 日本 Ωж", "217.16s", "(inline)"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestPS(t *testing.T) {
	ps := render(t, inputs(t)["hostile"], "ps")
	if !bytes.HasPrefix(ps, []byte("%!PS-Adobe-3.0\n")) {
		t.Fatalf("begins with %q", ps[:20])
	}
	if i := bytes.IndexFunc(ps, func(r rune) bool { return r > '~' }); i >= 0 {
		t.Errorf("not ASCII at %d", i)
	}
	program, err := exec.LookPath("gs")
	if err != nil {
		t.Skip("NOT INTERPRETED: no gs in PATH (apt-get install ghostscript)")
	}
	cmd := exec.CommandContext(t.Context(), program, "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=txtwrite", "-sOutputFile=-", "-")
	cmd.Stdin = bytes.NewReader(ps)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"alert(1)", "Über … 日本 Ωж", "217.16s"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestErrors(t *testing.T) {
	if err := here.Render(t.Context(), nil, "tiff", io.Discard); !errors.Is(err, errFormat) {
		t.Errorf("unknown format: %v", err)
	}
	for _, dot := range []string{"", "digraph {", "no graph", "digraph { a -> }", "\x00", strings.Repeat("{", 10000)} {
		var b bytes.Buffer
		if err := here.Render(t.Context(), []byte(dot), "svg", &b); err == nil {
			t.Errorf("%.20q: no error", dot)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: error of several lines: %v", dot, err)
		}
		if b.Len() > 0 {
			t.Errorf("%.20q: wrote %d bytes", dot, b.Len())
		}
	}
	// The engine is none the worse for it.
	render(t, inputs(t)["cpu"], "svg")
}

func TestEmptyGraph(t *testing.T) {
	for format := range writers {
		if len(render(t, []byte("digraph {}"), format)) == 0 {
			t.Errorf("%s: empty", format)
		}
	}
}

func TestCancel(t *testing.T) {
	e := child(t, "well")
	renderBy(t, e, inputs(t)["cpu"], "svg") // compiled by now
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := e.Render(ctx, callGraph(1500), "svg", io.Discard)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestConcurrent(t *testing.T) {
	dot := inputs(t)["nodelets"]
	want := render(t, dot, "svg")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var b bytes.Buffer
			if err := here.Render(t.Context(), dot, "svg", &b); err != nil || !bytes.Equal(b.Bytes(), want) {
				t.Errorf("differs (%v)", err)
			}
		})
	}
	wg.Wait()
}

// TestDeepChain would corrupt the engine's globals on the stack it was linked with.
func TestDeepChain(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("digraph {\n")
	const n = 3000
	for i := range n {
		fmt.Fprintf(&b, "n%d -> n%d\n", i, i+1)
	}
	b.WriteString("}\n")
	_, p := readSVG(t, render(t, b.Bytes(), "svg"))
	if len(p.nodes) != n+1 || len(p.edges) != n {
		t.Errorf("%d nodes, %d edges", len(p.nodes), len(p.edges))
	}
}

func TestBinaryIsTheNotedOne(t *testing.T) {
	notice, err := os.ReadFile("NOTICE.md")
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := wasmBinary()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(wasm)
	if !bytes.Contains(notice, []byte(hex.EncodeToString(sum[:]))) {
		t.Errorf("NOTICE.md does not give the checksum %x", sum)
	}
}

func BenchmarkRender(b *testing.B) {
	for _, nodes := range []int{80, 400} {
		dot := callGraph(nodes)
		for _, format := range formats() {
			b.Run(fmt.Sprintf("nodes=%d/format=%s", nodes, format), func(b *testing.B) {
				for b.Loop() {
					render(b, dot, format)
				}
			})
		}
	}
}

// BenchmarkWhere is what a process for each layout costs.
func BenchmarkWhere(b *testing.B) {
	for _, where := range []struct {
		name   string
		engine Engine
	}{{"here", here}, {"child", child(b, "well")}} {
		for _, nodes := range []int{5, 80, 400} {
			dot := callGraph(nodes)
			b.Run(fmt.Sprintf("%s/nodes=%d", where.name, nodes), func(b *testing.B) {
				for b.Loop() {
					if _, err := where.engine.Place(b.Context(), dot); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, dot := range inputs(f) {
		f.Add(string(dot))
	}
	f.Fuzz(func(t *testing.T, dot string) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var b bytes.Buffer
		if err := here.Render(ctx, []byte(dot), "svg", &b); err == nil {
			readSVG(t, b.Bytes())
		}
	})
}

// TestLayoutEnds cancels the layout of a graph that takes minutes.
func TestLayoutEnds(t *testing.T) {
	var dot bytes.Buffer
	dot.WriteString("digraph g {\n")
	for i := range 6000 {
		for _, step := range []int{1, 37, 911} {
			fmt.Fprintf(&dot, "n%d -> n%d\n", i, (i*step+step)%6000)
		}
	}
	dot.WriteString("}\n")
	for name, e := range map[string]Engine{"here": here, "child": child(t, "child")} {
		if err := e.Render(t.Context(), []byte("digraph g { a -> b }"), "svg", io.Discard); err != nil {
			t.Fatal(err) // the module is compiled now
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := e.Render(ctx, dot.Bytes(), "svg", io.Discard); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
