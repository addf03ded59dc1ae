package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// FlameWidths says which side's values set the width of frames in a comparison. It is
// unused if nothing is compared.
type FlameWidths string

const (
	// WidthsBoth uses the larger value, so that both new and gone frames are visible.
	// "" means the same.
	WidthsBoth FlameWidths = "both"
	WidthsHead FlameWidths = "head"
	WidthsBase FlameWidths = "base" // scaled, if shares are compared
)

// Check returns a [ParamError] if w is unknown.
func (w FlameWidths) Check() error {
	switch w {
	case "", WidthsBoth, WidthsHead, WidthsBase:
		return nil
	}
	return paramErrorf("widths", "invalid widths %q: use both, head or base", string(w))
}

// A flameLayout has the positions of a tree's nodes along a flame graph, in units of
// the sample type: the root reaches from 0 to its width. A node's children are side by
// side from where it begins, by falling width. Its own value is at the end:
//
//	┌──────────────────────────────── a ────────────────────────────────┐
//	├────────── b ──────────┼───── c ─────┼── d ──┤  folded  │    own    │
//	start[a] = start[b]     start[c]      start[d]                 start[a] + width[a]
//
// A node is as wide as its value, or as its children together if that is more: if a
// function now calls b instead of c, it has room for both.
type flameLayout struct {
	t      *profile.Tree
	v      *profile.TreeValues
	widths FlameWidths // "" if nothing is compared
	start  []int64     // by node
	width  []int64     // by node; v.Total itself for the head's widths
	order  []uint32    // nodes, those of a parent by falling width; nil: as they are numbered
}

func newFlameLayout(t *profile.Tree, column int, widths FlameWidths) *flameLayout {
	l := &flameLayout{t: t, v: &t.Values[column], start: make([]int64, t.NumNodes())}
	l.width = l.v.Total
	if t.Diff() {
		l.widths = cmp.Or(widths, WidthsBoth)
	}
	if l.widths == WidthsBoth || l.widths == WidthsBase {
		l.widen()
		l.sort()
	}
	for n := range uint32(t.NumNodes()) {
		at := l.start[n]
		for i, end := t.Children(n); i < end; i++ {
			c := l.at(i)
			l.start[c] = at
			at += l.width[c]
		}
	}
	return l
}

// value returns the width for a head and a base value.
func (l *flameLayout) value(head, base int64) int64 {
	switch l.widths {
	case WidthsBoth:
		return max(head, scaledBase(l.v, base))
	case WidthsBase:
		return scaledBase(l.v, base)
	}
	return head
}

// folded returns the width of node n's folded children.
func (l *flameLayout) folded(n uint32) int64 {
	switch {
	case l.v.Folded == nil:
		return 0
	case l.v.BaseFolded == nil:
		return l.v.Folded[n]
	}
	return l.value(l.v.Folded[n], l.v.BaseFolded[n])
}

// widen sets the widths of a comparison, the leaves' first.
func (l *flameLayout) widen() {
	l.width = make([]int64, l.t.NumNodes())
	for n := uint32(len(l.width)); n > 0; {
		n--
		l.width[n] = max(l.value(l.v.Total[n], l.v.BaseTotal[n]), l.width[n]+l.folded(n))
		if n > 0 {
			l.width[l.t.Parent[n]] += l.width[n]
		}
	}
}

// sort finds the order of siblings, which are numbered by the head's values.
func (l *flameLayout) sort() {
	l.order = make([]uint32, l.t.NumNodes())
	for i := range l.order {
		l.order[i] = uint32(i)
	}
	wider := func(a, b uint32) int { return cmp.Or(cmp.Compare(l.width[b], l.width[a]), cmp.Compare(a, b)) }
	for n := range uint32(len(l.order)) {
		first, end := l.t.Children(n)
		if siblings := l.order[first:end]; !slices.IsSortedFunc(siblings, wider) {
			slices.SortFunc(siblings, wider)
		}
	}
}

// at returns the node at a place in the order: those of a parent's children are
// from First[parent] on.
func (l *flameLayout) at(place uint32) uint32 {
	if l.order == nil {
		return place
	}
	return l.order[place]
}

// place returns the range of node n.
func (l *flameLayout) place(n uint32) (from, to int64) { return l.start[n], l.start[n] + l.width[n] }

// own returns the part of node n's width outside of its children.
func (l *flameLayout) own(n uint32) int64 {
	from, to := l.place(n)
	if first, end := l.t.Children(n); first < end {
		_, from = l.place(l.at(end - 1))
	}
	return to - from - l.folded(n)
}

// scaledBase returns a base value scaled to compare with the head's.
func scaledBase(v *profile.TreeValues, base int64) int64 {
	if v.BaseScale == 1 {
		return base // which may be larger than a float64 is exact
	}
	return int64(math.Round(float64(base) * v.BaseScale))
}
