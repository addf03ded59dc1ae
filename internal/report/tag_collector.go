package report

import (
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/hashing"
)

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
