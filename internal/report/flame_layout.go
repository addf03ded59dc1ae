package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// FlameWidths says whose values the frames of a comparison are as wide as. Where
// nothing is compared there is one side alone, and it says nothing.
type FlameWidths string

const (
	// WidthsBoth gives a frame the larger one of its values, so that what came and
	// what went are both seen; "" is the same.
	WidthsBoth FlameWidths = "both"
	WidthsHead FlameWidths = "head"
	WidthsBase FlameWidths = "base" // scaled, if shares are compared
)

// Check returns a [ParamError] if there are no such widths.
func (w FlameWidths) Check() error {
	switch w {
	case "", WidthsBoth, WidthsHead, WidthsBase:
		return nil
	}
	return paramErrorf("widths", "widths is %q, not both, head or base", string(w))
}

// A flameLayout is where the nodes of a tree lie along a flame graph. Positions
// are values: the root reaches from 0 to its width. A node's children stand side
// by side from where it begins, by falling width; what is its own is at the end:
//
//	┌──────────────────────────────── a ────────────────────────────────┐
//	├────────── b ──────────┼───── c ─────┼── d ──┤  folded  │    own    │
//	start[a] = start[b]     start[c]      start[d]                 start[a] + width[a]
//
// A node is as wide as its value, or as what it calls together if that is more:
// where a function calls b instead of c now, its caller has room for both.
type flameLayout struct {
	t      *profile.Tree
	v      *profile.TreeValues
	widths FlameWidths // "" of a tree that compares nothing
	start  []int64     // by node
	width  []int64     // by node; of the head's it is v.Total itself
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

// value returns what a head and a base value count for in widths.
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

// place returns where node n lies.
func (l *flameLayout) place(n uint32) (from, to int64) { return l.start[n], l.start[n] + l.width[n] }

// own returns how much of node n's width is that of no child.
func (l *flameLayout) own(n uint32) int64 {
	from, to := l.place(n)
	if first, end := l.t.Children(n); first < end {
		_, from = l.place(l.at(end - 1))
	}
	return to - from - l.folded(n)
}

// scaledBase returns a base value as it compares to the head's.
func scaledBase(v *profile.TreeValues, base int64) int64 {
	if v.BaseScale == 1 {
		return base // which may be larger than a float64 is exact
	}
	return int64(math.Round(float64(base) * v.BaseScale))
}
