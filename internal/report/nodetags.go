package report

import (
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/profile"
)

// maxTags is how many tags of a kind are drawn at a node.
const maxTags = 4

// tag is a label, or several at once, with the share of a node's value that
// samples with it have. In pictures it is a box beside the node.
type tag struct {
	name          string
	parts         []string // of a text tag's name: a label each
	unit          string   // of value, "" for text
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

// tagCollector sums values up by node and tag while a graph is built. A nil one
// collects nothing.
type tagCollector struct {
	r     *Report
	kinds []tagKind
	sets  [][]int32 // by label set: the kinds that it counts for
	sums  []tagSum
	index hashing.Index // of sums, by node and kind
}

// tagKind is what the tags that look the same at all nodes have in common.
type tagKind struct {
	tag            // without values
	joined  string // of the string labels: the text tag itself, or the one that a numeric tag is beside
	numeric bool
	weight  int64 // of all samples with it, by magnitude
}

// tagSum is the value of a kind of tag at a node.
type tagSum struct {
	node, kind int32
	tag        tag
}

// newTagCollector returns a collector of the tags that reach cutoff, nil if
// there is nothing to collect. A tag weighs no more at a node than in the whole
// profile, so most of a label with many values is left out beforehand.
func newTagCollector(r *Report, cutoff int64) *tagCollector {
	p := r.prof
	if !r.picture() || p.SampleLabels == nil {
		return nil
	}
	c := &tagCollector{r: r, sets: make([][]int32, len(p.LabelSets))}
	type key struct {
		joined, name string
		numeric      bool
	}
	known := map[key]int32{}
	kind := func(k key, t tag) int32 {
		i, ok := known[k]
		if !ok {
			i = int32(len(c.kinds))
			known[k] = i
			c.kinds = append(c.kinds, tagKind{tag: t, joined: k.joined, numeric: k.numeric})
		}
		return i
	}
	unit := r.units["bytes"]
	for i, set := range p.LabelSets {
		if r.stop().at(i) {
			break
		}
		var parts []string
		var bytes []int64
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			switch key := p.Strings[l.Key]; {
			case !l.Numeric && key != baseLabel:
				parts = append(parts, key+":"+p.Strings[l.Str])
			case l.Numeric && key == "bytes":
				bytes = append(bytes, l.Num)
			}
		}
		slices.Sort(parts)
		joined := strings.Join(parts, `\n`)
		if joined != "" {
			c.sets[i] = append(c.sets[i], kind(key{joined: joined}, tag{name: joined, parts: parts}))
		}
		for _, v := range bytes {
			name := formatValue(v, unit, r.outputUnit)
			c.sets[i] = append(c.sets[i], kind(key{joined, name, true}, tag{name: name, unit: unit, value: v}))
		}
	}
	for s, set := range p.SampleLabels {
		v, _ := r.weights.of(s)
		for _, k := range c.sets[set] {
			w := &c.kinds[k].weight
			if *w += abs(v); *w < 0 {
				*w = math.MaxInt64
			}
		}
	}
	for i, kinds := range c.sets {
		c.sets[i] = slices.DeleteFunc(kinds, func(k int32) bool { return c.kinds[k].weight < cutoff })
	}
	return c
}

// visitor returns the function that collects, nil if there is nothing to.
func (c *tagCollector) visitor() func(n int32, s int, v, div int64, leaf bool) {
	if c == nil {
		return nil
	}
	return func(n int32, s int, v, div int64, leaf bool) {
		for _, k := range c.sets[c.r.prof.SampleLabels[s]] {
			c.sum(n, k).add(v, div, leaf)
		}
	}
}

// sum returns the sum of a kind at a node, until the next call.
func (c *tagCollector) sum(node, kind int32) *tag {
	h := uint32(hashing.Mix(uint64(node), uint64(kind)))
	i, ok := c.index.Find(h, func(i uint32) bool { return c.sums[i].node == node && c.sums[i].kind == kind })
	if !ok {
		i = uint32(len(c.sums))
		c.sums = append(c.sums, tagSum{node: node, kind: kind, tag: c.kinds[kind].tag})
		c.index.Add(h, i)
	}
	return &c.sums[i].tag
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
	for i := range c.sums {
		sum := &c.sums[i]
		n, kind := &g.nodes[sum.node], &c.kinds[sum.kind]
		if n.tags == nil {
			n.tags = &nodeTags{numeric: map[string][]*tag{}}
		}
		switch t := &sum.tag; {
		case abs(t.flat) < cutoff && abs(t.cum) < cutoff:
		case kind.numeric:
			n.tags.numeric[kind.joined] = append(n.tags.numeric[kind.joined], t)
		default:
			n.tags.text = append(n.tags.text, t)
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
