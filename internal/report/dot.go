package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// writeDot writes the call graph in Graphviz's language: a box per node with
// its values, sized by the flat and coloured by the cumulative one, boxes for
// its tags, and edges as wide as what passes through them.
func (r *Report) writeDot(w io.Writer) error {
	t := r.graph(true)
	d := dotWriter{Writer: bufio.NewWriter(w), r: r, t: t, escape: r.command != "dot"}
	d.write(r.header(t, t.droppedEdges, true))
	return d.Flush()
}

// title is the name of the program the profile is of.
func (r *Report) title() string {
	if p := r.prof; len(p.Mappings) > 0 && p.Mappings[0].File != "" {
		return filepath.Base(p.Mappings[0].File)
	}
	return ""
}

type dotWriter struct {
	*bufio.Writer
	r  *Report
	t  *trimmed
	id []int // of each node in the picture, from 1; 0 is none

	// escape is set for pictures. The original writes some texts as they are, also
	// a quote, which no reader of DOT takes: as DOT, its bytes are wanted.
	escape bool
}

func (d *dotWriter) write(legend []string) {
	t := d.t
	title := d.r.title()
	if d.escape {
		title = strings.ReplaceAll(title, `"`, `\"`)
	}
	name := title
	if name == "" {
		name = "unnamed"
	}
	fmt.Fprintf(d, "digraph \"%s\" {\n", name)
	fmt.Fprintln(d, `node [style=filled fillcolor="#f8f8f8"]`)
	escaped := make([]string, len(legend))
	for i, l := range legend {
		escaped[i] = escapeDot(l)
	}
	fmt.Fprintf(d, `subgraph cluster_L { "%s" [shape=box fontsize=16 label="%s\l"`, escaped[0], strings.Join(escaped, `\l`))
	if title != "" {
		fmt.Fprintf(d, ` tooltip="%s"`, title)
	}
	fmt.Fprintln(d, `] }`)

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
	fmt.Fprintln(d, "}")
}

// node writes a node. Font sizes go from 8 to 24 by the root of the flat value's
// share of the largest.
func (d *dotWriter) node(n *node, id int, largest float64) {
	flat, cum := n.flatValue(), n.cumValue()
	label := dotName(n)
	flatText := d.r.format(flat)
	if flat != 0 {
		label += fmt.Sprintf("%s (%s)", flatText, strings.TrimSpace(d.r.percent(flat)))
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
		label += fmt.Sprintf("of %s (%s)", cumText, strings.TrimSpace(d.r.percent(cum)))
	}
	size := 8
	if largest != 0 && flat != 0 && float64(abs(flat)) <= largest {
		size += int(math.Ceil(16 * math.Sqrt(float64(abs(flat))/largest)))
	}
	share := float64(cum) / float64(abs(d.r.total))
	fmt.Fprintf(d, `N%d [label="%s" id="node%d" fontsize=%d shape=box tooltip="%s (%s)" color="%s" fillcolor="%s"]`+"\n",
		id, label, id, size, escapeDot(n.printableName()), cumText, shareColor(share, false), shareColor(share, true))
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
		fmt.Fprintf(d, `N%d_%d [label = "%s" id="N%d_%d" fontsize=8 shape=box3d tooltip="%s"]`+"\n", id, i, d.tagLabel(t), id, i, weight)
		fmt.Fprintf(d, `N%d -> N%d_%d [label=" %s" weight=100 tooltip="%s" labeltooltip="%s"]`+"\n", id, id, i, weight, weight, weight)
		d.numericTags(n.tags.numeric[t.name], flat, fmt.Sprintf("N%d_%d", id, i))
	}
	return d.numericTags(n.tags.numeric[""], flat, fmt.Sprintf("N%d", id)) || drawn
}

// tagLabel is the text in a tag's box, a label per line.
func (d *dotWriter) tagLabel(t *tag) string {
	if !d.escape {
		return t.name
	}
	labels := strings.Split(t.name, `\n`)
	for i, l := range labels {
		if strings.Contains(l, `"`) || strings.HasSuffix(l, `\`) {
			labels[i] = quoteEscaper.Replace(l)
		}
	}
	return strings.Join(labels, `\n`)
}

var quoteEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (d *dotWriter) numericTags(tags []*tag, flat bool, source string) bool {
	drawn := false
	for i, t := range collapse(slices.Clone(tags), maxTags, flat) {
		v, style := t.cumValue(), ` style="dotted"`
		if flat || t.flatValue() == t.cumValue() {
			v, style = t.flatValue(), ""
		}
		if v == 0 {
			continue
		}
		drawn = true
		weight := d.r.format(v)
		fmt.Fprintf(d, `N%s_%d [label = "%s" id="N%s_%d" fontsize=8 shape=box3d tooltip="%s"]`+"\n", source, i, t.name, source, i, weight)
		fmt.Fprintf(d, `%s -> N%s_%d [label=" %s" weight=100 tooltip="%s" labeltooltip="%s"%s]`+"\n", source, source, i, weight, weight, weight, style)
	}
	return drawn
}

func (d *dotWriter) edge(e *edge, minlen bool) {
	v := e.value()
	weight := d.r.format(v)
	inline := ""
	if e.inline {
		inline = `\n (inline)`
	}
	fmt.Fprintf(d, `N%d -> N%d [label=" %s%s"`, d.id[e.src], d.id[e.dst], weight, inline)
	if total := d.r.total; total != 0 {
		if n := 1 + min(abs(v*100/total), 100); n > 1 {
			fmt.Fprintf(d, ` weight=%d`, n)
		}
		if n := 1 + min(abs(v*5/total), 5); n > 1 {
			fmt.Fprintf(d, ` penwidth=%d`, n)
		}
		fmt.Fprintf(d, ` color="%s"`, shareColor(float64(v)/float64(abs(total)), false))
	}
	arrow := "->"
	if e.residual {
		arrow = "..."
	}
	tip := fmt.Sprintf("%s %s %s (%s)", escapeDot(d.t.nodes[e.src].printableName()), arrow, escapeDot(d.t.nodes[e.dst].printableName()), weight)
	fmt.Fprintf(d, ` tooltip="%s" labeltooltip="%s"`, tip, tip)
	if e.residual {
		fmt.Fprint(d, ` style="dotted"`)
	}
	if minlen {
		fmt.Fprint(d, ` minlen=2`)
	}
	fmt.Fprintln(d, "]")
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

// escapeDot escapes a string for a quoted DOT string, with lines left-aligned
// (https://graphviz.org/docs/attr-types/escString/).
func escapeDot(s string) string {
	return dotEscaper.Replace(s)
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\l`)

// dotName is the name in a node's box, a part per line.
func dotName(n *node) string {
	k := *n.nodeKey
	k.name = escapeDot(unqualified(k.name))
	k.name = strings.ReplaceAll(k.name, "::", `\n`)
	k.name = strings.ReplaceAll(k.name, "[...]", "[…]") // type parameters, not a path
	k.name = strings.ReplaceAll(k.name, ".", `\n`)
	if k.file != "" {
		k.file = filepath.Base(k.file)
	}
	return strings.Join(k.nameParts(), `\n`) + `\n`
}

var (
	anonymousNamespace = regexp.MustCompile(`^\(anonymous namespace\)::`)
	majorVersion       = regexp.MustCompile(`^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$`)
	shortNames         = []*regexp.Regexp{
		regexp.MustCompile(`^(?:[\w\-\.]+\/)+([^.]+\..+)`),                                                  // Go: package path
		regexp.MustCompile(`^(?:[a-z]\w*\.)*([A-Z][\w\$]*\.(?:<init>|[a-z][\w\$]*(?:\$\d+)?))(?:(?:\()|$)`), // Java: package, parameters
		regexp.MustCompile(`^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)`),                     // C++: namespaces
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
