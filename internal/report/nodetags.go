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
	parts         []string // of a text tag's name: a label each
	unit          string   // of value, "" for text
	value         int64
	flat, flatDiv int64
	cum, cumDiv   int64
}

func (t *tag) flatValue() int64 { return mean(t.flat, t.flatDiv) }

func (t *tag) cumValue() int64 { return mean(t.cum, t.cumDiv) }

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

func (t *tag) add(v, div int64, leaf bool) {
	if leaf {
		t.flat += v
		t.flatDiv += div
	} else {
		t.cum += v
		t.cumDiv += div
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
