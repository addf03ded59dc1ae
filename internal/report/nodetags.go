package report

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// maxTags is how many tags of a kind are drawn at a node.
const maxTags = 4

// tag is a label, or several at once, with the share of a node's value that
// samples with it have. In pictures it is a box beside the node.
type tag struct {
	name          string
	unit          string // of value, "" for text
	value         int64
	flat, flatDiv int64
	cum, cumDiv   int64
}

func (t *tag) flatValue() int64 { return mean(t.flat, t.flatDiv) }
func (t *tag) cumValue() int64  { return mean(t.cum, t.cumDiv) }

// nodeTags are the tags of a node: text tags, and numeric ones by the name of
// the text tag they stand beside, "" for none.
type nodeTags struct {
	text    []*tag
	numeric map[string][]*tag
}

// flatCount counts the tags with a flat value.
func (t *nodeTags) flatCount() int {
	if t == nil {
		return 0
	}
	n := 0
	count := func(tags []*tag) {
		for _, t := range tags {
			if t.flat != 0 {
				n++
			}
		}
	}
	count(t.text)
	for _, tags := range t.numeric {
		count(tags)
	}
	return n
}

// sortTags orders tags by weight, then by name.
func sortTags(tags []*tag, flat bool) {
	slices.SortFunc(tags, func(a, b *tag) int {
		if !flat && a.cum != b.cum {
			return compareAbs(a.cum, b.cum)
		}
		if a.flat != b.flat {
			return compareAbs(a.flat, b.flat)
		}
		return strings.Compare(a.name, b.name)
	})
}

// compareAbs orders larger magnitudes first.
func compareAbs(a, b int64) int {
	switch a, b = abs(a), abs(b); {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// tagCollector sums values up by node and label set while a graph is built. A
// nil one collects nothing.
type tagCollector struct {
	r     *Report
	sums  map[nodeLabels]*tag
	order []nodeLabels
	texts []tagText // by label set
}

// nodeLabels is a node with one of the label sets of the samples at it.
type nodeLabels struct {
	node int32
	set  uint32 // index in the profile's LabelSets
}

// tagText is how the labels of a set are shown.
type tagText struct {
	joined string // of string labels
	bytes  []int64
}

// newTagCollector returns nil if there is nothing to collect.
func newTagCollector(r *Report) *tagCollector {
	p := r.prof
	if !r.picture() || p.SampleLabels == nil {
		return nil
	}
	c := &tagCollector{r: r, sums: map[nodeLabels]*tag{}, texts: make([]tagText, len(p.LabelSets))}
	for i, set := range p.LabelSets {
		var parts []string
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			switch key := p.Strings[l.Key]; {
			case !l.Numeric && key != baseLabel:
				parts = append(parts, key+":"+p.Strings[l.Str])
			case l.Numeric && key == "bytes":
				c.texts[i].bytes = append(c.texts[i].bytes, l.Num)
			}
		}
		slices.Sort(parts)
		c.texts[i].joined = strings.Join(parts, `\n`)
	}
	return c
}

// visitor returns the function that collects, nil if there is nothing to.
func (c *tagCollector) visitor() func(n int32, s int, v, div int64, leaf bool) {
	if c == nil {
		return nil
	}
	return func(n int32, s int, v, div int64, leaf bool) {
		set := c.r.prof.SampleLabels[s]
		if set == 0 {
			return
		}
		at := nodeLabels{n, set}
		t := c.sums[at]
		if t == nil {
			t = new(tag)
			c.sums[at] = t
			c.order = append(c.order, at)
		}
		t.add(v, div, leaf)
	}
}

func (t *tag) add(v, div int64, leaf bool) {
	if leaf {
		t.flat += v
		t.flatDiv += div
	} else {
		t.cum += v
		t.cumDiv += div
	}
}

// attach gives the nodes of g their tags, without those below cutoff.
func (c *tagCollector) attach(g *graph, cutoff int64) {
	if c == nil {
		return
	}
	find := func(tags []*tag, name, unit string, value int64) ([]*tag, *tag) {
		for _, t := range tags {
			if t.name == name {
				return tags, t
			}
		}
		t := &tag{name: name, unit: unit, value: value}
		return append(tags, t), t
	}
	unit := c.r.units["bytes"]
	for _, at := range c.order {
		n := &g.nodes[at.node]
		if n.tags == nil {
			n.tags = &nodeTags{numeric: map[string][]*tag{}}
		}
		sum, text := c.sums[at], c.texts[at.set]
		addTo := func(t *tag) {
			t.add(sum.flat, sum.flatDiv, true)
			t.add(sum.cum, sum.cumDiv, false)
		}
		if text.joined != "" {
			var t *tag
			n.tags.text, t = find(n.tags.text, text.joined, "", 0)
			addTo(t)
		}
		for _, v := range text.bytes {
			var t *tag
			n.tags.numeric[text.joined], t = find(n.tags.numeric[text.joined], formatValue(v, unit, c.r.outputUnit), unit, v)
			addTo(t)
		}
	}
	light := func(t *tag) bool { return abs(t.flat) < cutoff && abs(t.cum) < cutoff }
	for i := range g.nodes {
		t := g.nodes[i].tags
		if t == nil {
			continue
		}
		t.text = slices.DeleteFunc(t.text, light)
		for k, tags := range t.numeric {
			t.numeric[k] = slices.DeleteFunc(tags, light)
		}
	}
}

// collapse reduces numeric tags to at most n by grouping near values into ranges.
func collapse(tags []*tag, n int, flat bool) []*tag {
	sortTags(tags, flat)
	if len(tags) <= n {
		return tags
	}
	groups := make([][]*tag, n)
	for i, t := range tags[:n] {
		groups[i] = []*tag{t}
	}
	distance := func(t, u *tag) float64 {
		v, _ := profile.Convert(u.value, u.unit, t.unit)
		if d := v - float64(t.value); d > 0 {
			return d
		}
		return float64(t.value) - v
	}
	for _, t := range tags[n:] {
		nearest, least := 0, distance(t, groups[0][0])
		for i := 1; i < n; i++ {
			if d := distance(t, groups[i][0]); d < least {
				nearest, least = i, d
			}
		}
		groups[nearest] = append(groups[nearest], t)
	}
	out := make([]*tag, n)
	for i, g := range groups {
		out[i] = merged(g)
	}
	sortTags(out, flat)
	return out
}

// merged makes one tag of a group: its value or the range of its values.
func merged(group []*tag) *tag {
	lo, hi := group[0], group[0]
	if len(group) == 1 {
		return &tag{name: formatValue(lo.value, lo.unit, "auto"), flat: lo.flatValue(), cum: lo.cumValue()}
	}
	var sum tag
	for _, t := range group {
		if v, _ := profile.Convert(t.value, t.unit, lo.unit); int64(v) < lo.value {
			lo = t
		}
		if v, _ := profile.Convert(t.value, t.unit, hi.unit); int64(v) > hi.value {
			hi = t
		}
		sum.add(t.flat, t.flatDiv, true)
		sum.add(t.cum, t.cumDiv, false)
	}
	return &tag{
		name: formatValue(lo.value, lo.unit, "auto") + ".." + formatValue(hi.value, hi.unit, "auto"),
		flat: sum.flatValue(), cum: sum.cumValue(),
	}
}
