package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// writeDot writes the call graph in Graphviz's language: a box per node with
// its values, sized by the flat and coloured by the cumulative one, boxes for
// its tags, and edges as wide as what passes through them.
func writeDot(r *Report, w io.Writer) error {
	t := graphOf(r, true)
	d := dotWriter{out: bufio.NewWriter(w), r: r, t: t}
	d.write(tableHeader(r, t, t.droppedEdges, true))
	return d.out.Flush()
}

// titleOf is the name of the program the profile is of.
func titleOf(r *Report) string {
	if p := r.prof; len(p.Mappings) > 0 && p.Mappings[0].File != "" {
		return filepath.Base(p.Mappings[0].File)
	}
	return ""
}

type dotWriter struct {
	out *bufio.Writer
	r   *Report
	t   *trimmed
	id  []int // of each node in the picture, from 1; 0 is none
}

// dotText is text for a quoted DOT string: whatever a profile says is escaped in it
// (https://graphviz.org/docs/attr-types/escString/).
type dotText string

// escapeDot escapes text, whose lines are left-aligned then.
func escapeDot(s string) dotText {
	s = dotEscaper.Replace(s)
	if strings.IndexByte(s, '&') >= 0 {
		s = dotEntity.ReplaceAllString(s, "&amp;$1")
	}
	return dotText(s)
}

var (
	dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\l`)
	// dotEntity is what Graphviz takes for a character, as in HTML.
	dotEntity = lazyregexp.New(`&(#?[0-9A-Za-z]+;)`)
)

// joinDot joins texts with a line break of DOT, which is \n or \l.
func joinDot(texts []string, lineBreak dotText) dotText {
	escaped := make([]string, len(texts))
	for i, s := range texts {
		escaped[i] = string(escapeDot(s))
	}
	return dotText(strings.Join(escaped, string(lineBreak)))
}

// printf writes a statement. A string among the arguments is text of the
// profile, and is escaped.
func (d *dotWriter) printf(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = escapeDot(s)
		}
	}
	fmt.Fprintf(d.out, format, args...)
}

func (d *dotWriter) write(legend []string) {
	t := d.t
	title := titleOf(d.r)
	name := title
	if name == "" {
		name = "unnamed"
	}
	d.printf("digraph \"%s\" {\n", name)
	d.printf("node [style=filled fillcolor=\"#f8f8f8\"]\n")
	d.printf(`subgraph cluster_L { "%s" [shape=box fontsize=16 label="%s\l"`, legend[0], joinDot(legend, `\l`))
	if title != "" {
		d.printf(` tooltip="%s"`, title)
	}
	d.printf("] }\n")

	if len(t.order) > 0 {
		d.id = make([]int, len(t.nodes))
		largest := 0.0
		for i, n := range t.order {
			d.id[n] = i + 1
			largest = max(largest, float64(abs(t.nodes[n].flatValue())))
		}
		tagged := make([]bool, len(t.nodes))
		var edges []int32
		for _, n := range t.order {
			d.node(&t.nodes[n], d.id[n], largest)
			tagged[n] = d.tags(&t.nodes[n], d.id[n])
			edges = append(edges, t.alive(t.nodes[n].out)...)
		}
		for _, e := range t.sortedEdges(edges) {
			d.edge(&t.edges[e], tagged[t.edges[e].src])
		}
	}
	d.printf("}\n")
}

// node writes a node. Font sizes go from 8 to 24 by the root of the flat value's
// share of the largest.
func (d *dotWriter) node(n *node, id int, largest float64) {
	flat, cum := n.flatValue(), n.cumValue()
	label := dotName(n)
	flatText := d.r.format(flat)
	if flat != 0 {
		label += escapeDot(fmt.Sprintf("%s (%s)", flatText, strings.TrimSpace(d.r.percent(flat))))
	} else {
		label += "0"
	}
	cumText := flatText
	if cum != flat {
		if flat != 0 {
			label += `\n`
		} else {
			label += " "
		}
		cumText = d.r.format(cum)
		label += escapeDot(fmt.Sprintf("of %s (%s)", cumText, strings.TrimSpace(d.r.percent(cum))))
	}
	size := 8
	if largest != 0 && flat != 0 && float64(abs(flat)) <= largest {
		size += int(math.Ceil(16 * math.Sqrt(float64(abs(flat))/largest)))
	}
	share := float64(cum) / float64(abs(d.r.total))
	d.printf(`N%d [label="%s" id="node%d" fontsize=%d shape=box tooltip="%s (%s)" color="%s" fillcolor="%s"]`+"\n",
		id, label, id, size, n.printableName(), cumText, shareColor(share, false), shareColor(share, true))
}

// tags writes boxes for the tags of a node and reports whether there are any.
// Leaves show cumulative values, which include callees that were left out.
func (d *dotWriter) tags(n *node, id int) bool {
	if n.tags == nil {
		return false
	}
	flat := len(d.t.alive(n.out)) > 0
	drawn := false
	text := slices.Clone(n.tags.text)
	sortTags(text, flat)
	for i, t := range text[:min(len(text), maxTags)] {
		v := t.cumValue()
		if flat {
			v = t.flatValue()
		}
		if v == 0 {
			continue
		}
		drawn = true
		weight := d.r.format(v)
		d.printf(`N%d_%d [label = "%s" id="N%d_%d" fontsize=8 shape=box3d tooltip="%s"]`+"\n", id, i, joinDot(t.parts, `\n`), id, i, weight)
		d.printf(`N%d -> N%d_%d [label=" %s" weight=100 tooltip="%s" labeltooltip="%s"]`+"\n", id, id, i, weight, weight, weight)
		d.numericTags(n.tags.numeric[t.name], flat, dotText(fmt.Sprintf("N%d_%d", id, i)))
	}
	return d.numericTags(n.tags.numeric[""], flat, dotText(fmt.Sprintf("N%d", id))) || drawn
}

func (d *dotWriter) numericTags(tags []*tag, flat bool, source dotText) bool {
	drawn := false
	for i, t := range collapse(slices.Clone(tags), maxTags, flat) {
		v, style := t.cumValue(), dotText(` style="dotted"`)
		if flat || t.flatValue() == t.cumValue() {
			v, style = t.flatValue(), ""
		}
		if v == 0 {
			continue
		}
		drawn = true
		weight := d.r.format(v)
		d.printf(`N%s_%d [label = "%s" id="N%s_%d" fontsize=8 shape=box3d tooltip="%s"]`+"\n", source, i, t.name, source, i, weight)
		d.printf(`%s -> N%s_%d [label=" %s" weight=100 tooltip="%s" labeltooltip="%s"%s]`+"\n", source, source, i, weight, weight, weight, style)
	}
	return drawn
}

func (d *dotWriter) edge(e *edge, minlen bool) {
	v := e.value()
	weight := d.r.format(v)
	inline := dotText("")
	if e.inline {
		inline = `\n (inline)`
	}
	d.printf(`N%d -> N%d [label=" %s%s"`, d.id[e.src], d.id[e.dst], weight, inline)
	if total := d.r.total; total != 0 {
		if n := 1 + min(abs(v*100/total), 100); n > 1 {
			d.printf(` weight=%d`, n)
		}
		if n := 1 + min(abs(v*5/total), 5); n > 1 {
			d.printf(` penwidth=%d`, n)
		}
		d.printf(` color="%s"`, shareColor(float64(v)/float64(abs(total)), false))
	}
	arrow := "->"
	if e.residual {
		arrow = "..."
	}
	tip := fmt.Sprintf("%s %s %s (%s)", d.t.nodes[e.src].printableName(), arrow, d.t.nodes[e.dst].printableName(), weight)
	d.printf(` tooltip="%s" labeltooltip="%s"`, tip, tip)
	if e.residual {
		d.printf(` style="dotted"`)
	}
	if minlen {
		d.printf(` minlen=2`)
	}
	d.printf("]\n")
}

// shareColor maps a share of the total in [-1, 1] to a colour: green below 0,
// grey around it, red above; pale for backgrounds.
func shareColor(share float64, background bool) string {
	saturation, value := 1.0, 0.7
	if background {
		saturation, value = 0.1, 0.93
	}
	share = max(-1, min(1, share))
	if math.Abs(share) < 0.2 {
		saturation *= math.Abs(share) / 0.2
	}
	// Small shares move away from grey faster than large ones.
	const exponent = 1 - 0.7
	switch {
	case share > 0:
		share = math.Pow(share, exponent)
	case share < 0:
		share = -math.Pow(-share, exponent)
	}
	red, green, blue := value, value, value*(1-saturation)
	if share < 0 {
		red = value * (1 + saturation*share)
	} else {
		green = value * (1 - saturation*share)
	}
	return fmt.Sprintf("#%02x%02x%02x", uint8(red*255), uint8(green*255), uint8(blue*255))
}

// dotName is the name in a node's box, a part per line.
func dotName(n *node) dotText {
	k := *n.nodeKey
	k.name = string(escapeDot(unqualified(k.name)))
	k.name = strings.ReplaceAll(k.name, "::", `\n`)
	k.name = strings.ReplaceAll(k.name, "[...]", "[…]") // type parameters, not a path
	k.name = strings.ReplaceAll(k.name, ".", `\n`)
	if k.file != "" {
		k.file = string(escapeDot(filepath.Base(k.file)))
	}
	if k.obj != "" {
		k.obj = string(escapeDot(filepath.Base(k.obj)))
	}
	return dotText(strings.Join(k.nameParts(), `\n`) + `\n`)
}

var (
	anonymousNamespace = lazyregexp.New(`^\(anonymous namespace\)::`)
	majorVersion       = lazyregexp.New(`^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$`)
	shortNames         = []*lazyregexp.Regexp{
		lazyregexp.New(`^(?:[\w\-\.]+\/)+([^.]+\..+)`),                                                  // Go: package path
		lazyregexp.New(`^(?:[a-z]\w*\.)*([A-Z][\w\$]*\.(?:<init>|[a-z][\w\$]*(?:\$\d+)?))(?:(?:\()|$)`), // Java: package, parameters
		lazyregexp.New(`^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)`),                     // C++: namespaces
	}
)

// unqualified returns a function's name without the path of its package or its
// namespaces, by the rules of `go tool pprof` for its boxes.
func unqualified(name string) string {
	name = anonymousNamespace.ReplaceAllString(name, "")
	name = majorVersion.ReplaceAllString(name, "${1}${2}")
	for _, re := range shortNames {
		if m := re.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return name
}
