package report

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// PlacedGraph is a call graph with the places of its parts, for a drawing made
// elsewhere: the answer of report/graph of the query API. Coordinates and sizes
// are points, y downwards.
type PlacedGraph struct {
	About
	Nodes  []PlacedNode `json:"nodes"`
	Edges  []PlacedEdge `json:"edges"`
	Width  float64      `json:"width"`
	Height float64      `json:"height"`
}

// PlacedNode is a node with its place and what is written in its box.
type PlacedNode struct {
	GraphNode
	X        float64  `json:"x"` // of the centre
	Y        float64  `json:"y"`
	Width    float64  `json:"width"`
	Height   float64  `json:"height"`
	Label    []string `json:"label"`    // lines, which the box has room for at FontSize
	FontSize float64  `json:"fontSize"` // from 12 to 24, by the flat value's share of the largest
}

// PlacedEdge is an edge with its course.
type PlacedEdge struct {
	GraphEdge
	// Path is a start, then control, control and end of each of a chain of cubic
	// Bézier curves, as x, y, x, y, …
	Path []float64 `json:"path"`
	// Tip is the point of the arrow, whose base is the end of Path.
	Tip [2]float64 `json:"tip"`
	// LabelAt is the centre of the place that is free for the weight.
	LabelAt *[2]float64 `json:"labelAt,omitempty"`
}

// GraphLayout tells where the parts of [Graph.LayoutDOT] are. Nodes are called
// N and their place in Graph.Nodes, counted from 0. Its values are as in
// [PlacedNode] and [PlacedEdge], which keep them; ok is false for what isn't
// there.
type GraphLayout interface {
	Size() (width, height float64)
	Node(name string) (x, y, width, height float64, ok bool)
	Edge(tail, head string) (path []float64, tip [2]float64, label *[2]float64, ok bool)
}

// The boxes of a drawing, in points and in parts of the font size.
const (
	nodePadX      = 8.0  // left and right of the text
	nodePadY      = 5.0  // above and below it
	lineHeight    = 1.25 // of the font size
	longestLine   = 36   // characters, where a name can be broken
	edgeFontSize  = 12
	minNodeWidth  = 36.0
	fontAllowance = 1.12 // for system fonts wider than Helvetica
)

// LayoutDOT returns the graph in Graphviz' language, only for its layout: boxes
// of the size that their labels need, and edges with the room for theirs.
func (g *Graph) LayoutDOT() []byte {
	var b bytes.Buffer
	b.WriteString("digraph \"\" {\nnode [shape=box fixedsize=true label=\"\"]\n")
	fmt.Fprintf(&b, "edge [fontsize=%d]\n", edgeFontSize)
	largest := g.largestFlat()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label, size := n.label(g.Total.Value), n.fontSize(largest)
		width := minNodeWidth
		for _, line := range label {
			width = max(width, textWidth(line)*size*fontAllowance+2*nodePadX)
		}
		height := float64(len(label))*size*lineHeight + 2*nodePadY
		fmt.Fprintf(&b, "N%d [width=%.4f height=%.4f]\n", i, width/72, height/72)
	}
	// The heaviest first, as in the picture formats: the layout begins with them.
	order := make([]int, len(g.Edges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return compareAbs(g.Edges[x].Weight.Value, g.Edges[y].Weight.Value)
	})
	for _, i := range order {
		e := &g.Edges[i]
		inline := ""
		if e.Inline {
			inline = `\n(inline)`
		}
		weight, width := 1, 1
		if total := g.Total.Value; total != 0 {
			share := math.Abs(float64(e.Weight.Value) / float64(total))
			weight, width = 1+int(min(share*100, 100)), 1+int(min(share*5, 5))
		}
		fmt.Fprintf(&b, `N%d -> N%d [label=" %s%s" weight=%d penwidth=%d]`+"\n",
			e.Caller, e.Callee, escapeDot(cutLine(e.Weight.Text)), inline, weight, width)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// Place puts the graph's parts where a layout of its LayoutDOT has them. What
// that lacks is left out of the edges, and has no size among the nodes.
func (g *Graph) Place(l GraphLayout) *PlacedGraph {
	out := &PlacedGraph{About: g.About, Nodes: make([]PlacedNode, len(g.Nodes)), Edges: make([]PlacedEdge, 0, len(g.Edges))}
	out.Width, out.Height = l.Size()
	largest := g.largestFlat()
	name := func(i int) string { return fmt.Sprintf("N%d", i) }
	for i := range g.Nodes {
		n := &out.Nodes[i]
		n.GraphNode = g.Nodes[i]
		n.X, n.Y, n.Width, n.Height, _ = l.Node(name(i))
		n.Label, n.FontSize = n.GraphNode.label(g.Total.Value), n.GraphNode.fontSize(largest)
	}
	for _, e := range g.Edges {
		if path, tip, label, ok := l.Edge(name(e.Caller), name(e.Callee)); ok {
			out.Edges = append(out.Edges, PlacedEdge{e, path, tip, label})
		}
	}
	return out
}

func (g *Graph) largestFlat() float64 {
	largest := 0.0
	for i := range g.Nodes {
		largest = max(largest, math.Abs(float64(g.Nodes[i].Flat.Value)))
	}
	return largest
}

// fontSize goes from 12 to 24 by the root of the flat value's share of the largest. The
// picture formats go down to 8, which can't be read on a screen: roots, which have no value
// of their own, are the first that a page shows.
func (n *GraphNode) fontSize(largest float64) float64 {
	const least, most = 12, 24
	flat := math.Abs(float64(n.Flat.Value))
	if largest == 0 || flat == 0 {
		return least
	}
	return least + math.Ceil((most-least)*math.Sqrt(flat/largest))
}

// label returns the lines in the node's box: the name, where it is if that tells
// nodes apart, and the values.
func (n *GraphNode) label(total int64) []string {
	var lines []string
	if n.Address != 0 {
		lines = append(lines, fmt.Sprintf("%#x", n.Address))
	}
	if n.whole && n.Func != "" {
		lines = appendBroken(lines, printable(n.Func))
	} else {
		lines = append(lines, nameLines(n.Func)...)
	}
	switch file := printable(filepath.Base(n.File)); {
	case n.File == "":
	case n.Line != 0:
		lines = appendBroken(lines, fmt.Sprintf("%s:%d", file, n.Line))
	default:
		lines = appendBroken(lines, file)
	}
	if len(lines) == 0 {
		lines = appendBroken(lines, printable(n.Name))
	}
	share := func(q Quantity) string {
		sign := ""
		if q.Value < 0 && total > 0 {
			sign = "-" // of a comparison: percentage has none, as in pprof
		}
		return fmt.Sprintf("%s (%s%s)", cutLine(q.Text), sign, strings.TrimSpace(percentage(q.Value, total)))
	}
	switch {
	case n.Flat.Value == 0:
		lines = append(lines, "0 of "+share(n.Cum))
	case n.Flat.Value == n.Cum.Value:
		lines = append(lines, share(n.Flat))
	default:
		lines = append(lines, share(n.Flat), "of "+share(n.Cum))
	}
	return lines
}

// nameLines splits a function's name, without the path of its package, into
// lines: package, receiver and name, each broken again if it is long.
//
//	encoding/json.(*decodeState).object    json | (*decodeState) | object
//	main.main.func1                        main | main.func1
//	main.f via encoding/json.Marshal       main | f | via json.Marshal
//	runtime: garbage collection            runtime: garbage collection
//
// No import path has a blank, or begins with a slash.
func nameLines(name string) []string {
	if caller, callee, ok := cutOutside(name, " via "); ok {
		return appendBroken(nameLines(caller), "via "+printable(shortName(callee)))
	}
	if _, _, ok := cutOutside(name, " "); (ok || strings.HasPrefix(name, "/")) && !strings.Contains(name, "::") {
		return appendBroken(nil, printable(name))
	}
	short := majorVersion.ReplaceAllString(name, "${1}${2}")
	if strings.Contains(name, "::") {
		short = unqualified(name)
	} else {
		short = shortName(short)
	}
	if short = printable(short); short == "" {
		return nil
	}
	var parts []string
	if pkg, rest, ok := cutOutside(short, "::"); ok {
		for ok {
			parts = append(parts, pkg)
			short = rest
			pkg, rest, ok = cutOutside(short, "::")
		}
		parts = append(parts, short)
	} else if pkg, rest, ok := cutOutside(short, "."); ok {
		parts = append(parts, pkg)
		// The type of a method begins with a capital or a parenthesis.
		if recv, method, ok := cutOutside(rest, "."); ok && (rest[0] == '(' || !isClosure(method)) {
			parts = append(parts, recv, method)
		} else {
			parts = append(parts, rest)
		}
	} else {
		parts = append(parts, short)
	}
	var lines []string
	for _, p := range parts {
		lines = appendBroken(lines, p)
	}
	return lines
}

// isClosure reports whether the last part of a name is that of a function
// literal, which belongs to the line of its function.
func isClosure(s string) bool {
	return strings.HasPrefix(s, "func") || strings.HasPrefix(s, "gowrap") || s != "" && s[0] >= '0' && s[0] <= '9'
}

// cutOutside cuts s at the first separator that isn't in brackets of any kind,
// begins s or ends it.
func cutOutside(s, sep string) (before, after string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '<', '{':
			depth++
		case ')', ']', '>', '}':
			depth--
		}
		if depth <= 0 && i > 0 && strings.HasPrefix(s[i:], sep) && i+len(sep) < len(s) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// appendBroken appends the lines of a long text, broken behind a character that
// ends a word or, if there is none, anywhere. What would be more than three
// lines, such as the type arguments of templates, is cut.
func appendBroken(lines []string, s string) []string {
	for n := 0; utf8.RuneCountInString(s) > longestLine; n++ {
		runes := []rune(s)
		if n == 2 {
			return append(lines, string(runes[:longestLine-1])+"…")
		}
		at := longestLine
		for i := longestLine; i > longestLine/2; i-- {
			if strings.ContainsRune(" ,./[]()<>:_-", runes[i-1]) {
				at = i
				break
			}
		}
		lines = append(lines, string(runes[:at]))
		s = string(runes[at:])
	}
	return append(lines, s)
}

// cutLine returns a value's text, whose unit is whatever the profile says, as
// long as a line can be.
func cutLine(s string) string {
	s = printable(s)
	if utf8.RuneCountInString(s) <= longestLine {
		return s
	}
	return string([]rune(s)[:longestLine-1]) + "…"
}

// textWidth returns the width of a line in parts of its font size.
func textWidth(s string) float64 {
	width := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			width += int(helveticaWidths[r-' '])
		case r < 0x1100:
			width += 611
		default:
			width += 1000 // wide scripts and pictures
		}
	}
	return float64(width) / 1000
}

// helveticaWidths are the widths of the characters from blank to tilde in
// thousandths of the font size, of Adobe's font metrics. Arial and the system
// fonts of browsers have the same or narrower ones.
var helveticaWidths = [95]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, //  !"#$%&'()*+,-./
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0-9:;<=>?
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @A-O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P-Z[\]^_
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // `a-o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p-z{|}~
}
