package profile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tree is a prefix tree of call stacks in columns: the data of a flame graph.
//
// Nodes are numbered level by level. Node 0 is the root, which stands for all
// samples and has no frame; a parent's number is below its children's, and the
// children of node n are the nodes First[n] to First[n+1]-1, the one with the
// highest total first.
type Tree struct {
	Types    []ValueType // one per entry of Values
	Values   []TreeValues
	Inverted bool    // the root's children are the leaves of the stacks, and children are callers
	Frames   []Frame // the frame table

	// One entry per node.
	Frame   []uint32 // index in Frames; NoFrame for the root
	Parent  []uint32 // 0 for the root
	Inlined []bool   // the function is inlined wherever this node stands for it
	First   []uint32 // see above; has one more entry than there are nodes

	// Folded counts the children of each node that are too narrow to be nodes
	// of their own; nil if there are none.
	Folded []uint32
}

// NoFrame is the frame of a tree's root.
const NoFrame = math.MaxUint32

// TreeValues holds the values of one sample type, one per node. A node's total
// is the sum of its own value, its folded value and its children's totals.
type TreeValues struct {
	Total  []int64
	Self   []int64 // of the stacks that end here
	Folded []int64 // totals of folded children; nil if there are none

	// The same for what the tree is compared with; nil if there is nothing.
	BaseTotal, BaseSelf, BaseFolded []int64

	// BaseScale is what base values are to be multiplied by before they are
	// compared: 1, or what makes both totals equal.
	BaseScale float64
	// Event is the value of one event where the profiler counts events, such as
	// the sampling period of a CPU profile; 0 if unknown.
	Event int64
}

// TreeOptions shape a tree.
type TreeOptions struct {
	Types             []int  // the sample types, as indexes; nil is the profile's default type
	Inverted          bool   // leaves at the root
	Granularity       string // what tells frames apart; see FrameTable
	NoInlines         bool   // inlined functions count as the function they are inlined into
	CollapseRecursion bool   // a function that calls itself directly is one frame
	Normalize         bool   // compare shares: scale the base to the total of the head, of all samples

	// Pivot, unless it is "", is a frame: its name, or with the line or address
	// its [Frame.Label]. The tree is of the stacks with it alone, which all begin
	// at its outermost occurrence, so that each sample counts once and the root's
	// total is what the frame has with all it calls. The root's children are
	// the pivot: one node, or where a name means several frames (the lines of a
	// function, functions of several files) one for each. Below it is what it
	// calls, or, with PivotCallers, its callers up to the root: the tree is
	// Inverted then, and not without, whatever the option says. If no stack has
	// the frame, the tree is empty.
	Pivot        string
	PivotCallers bool

	// MinShare folds nodes while the tree is built: those below this share of
	// the total in every column. Memory is then bounded by MinShare and the
	// depth of the stacks, however many different stacks there are. 0 keeps all.
	MinShare float64
}

// maxNodes bounds a tree, so that its node numbers fit.
const maxNodes = 1 << 31

var errTreeSize = errors.New("the profile has too many different stacks for one tree; fold narrow ones with a minimum share")

// NewTree returns the tree of p's stacks.
//
// Negative values are those of a base that was subtracted: the tree of a
// profile that has some is one of a comparison, as by [NewDiffTree].
func NewTree(p *Profile, o TreeOptions) (*Tree, error) {
	return newTree(nil, p, o)
}

// NewDiffTree returns the tree of both profiles' stacks, with base values
// beside the head's. The sample types of o are head's; those of base are found
// by their names.
func NewDiffTree(base, head *Profile, o TreeOptions) (*Tree, error) {
	return newTree(base, head, o)
}

func newTree(base, head *Profile, o TreeOptions) (*Tree, error) {
	if o.Types == nil {
		i, _ := head.SampleIndex("")
		o.Types = []int{i}
	}
	table, err := NewFrameTable(o.Granularity, o.NoInlines)
	if err != nil {
		return nil, err
	}
	if o.Pivot != "" {
		o.Inverted = o.PivotCallers
	}
	t := &Tree{
		Inverted: o.Inverted,
		Frame:    []uint32{NoFrame},
		Parent:   []uint32{0},
		Inlined:  []bool{false},
		First:    []uint32{1},
	}
	b := treeBuilder{t: t, o: o}
	diff := base != nil
	var baseTypes []int
	for _, i := range o.Types {
		if i < 0 || i >= len(head.SampleTypes) {
			return nil, fmt.Errorf("there is no sample type %d: the profile has %d", i, len(head.SampleTypes))
		}
		st := head.SampleTypes[i]
		t.Types = append(t.Types, st)
		v := TreeValues{BaseScale: 1}
		switch {
		case head.PeriodType == st:
			v.Event = head.Period
		case st.Unit == "count":
			v.Event = 1
		}
		t.Values = append(t.Values, v)
		if base != nil {
			j := slices.Index(base.SampleTypes, st)
			if j < 0 {
				return nil, fmt.Errorf("the base has no sample type %s in %s", st.Type, st.Unit)
			}
			baseTypes = append(baseTypes, j)
		}
		diff = diff || slices.ContainsFunc(head.Values[i], func(v int64) bool { return v < 0 })
	}
	b.walks = append(b.walks, newWalk(head, table, o.Types, 1))
	if base != nil {
		b.walks = append(b.walks, newWalk(base, table, baseTypes, -1))
	}
	b.begin(diff, table)
	for b.active() > 0 {
		if err := b.level(); err != nil {
			return nil, err
		}
	}
	if len(t.First) == 1 {
		t.First = append(t.First, 1) // no samples
	}
	t.pad()
	t.useFrames(table.Len(), table.Frame)
	return t, nil
}

// treeBuilder grows a tree level by level: the samples whose stacks go on are
// distributed among the children of the nodes they have arrived at. That way
// totals are exact before the next level is begun, so that narrow nodes can be
// folded at once, and all children of a node end up side by side.
type treeBuilder struct {
	t     *Tree
	o     TreeOptions
	walks []*walk

	min   []float64 // per column: nodes with less are folded
	lo    uint32    // first node of the last level
	nodes index     // the nodes of the level under way, by parent and frame
	moved []uint32  // where nodes of the last level went, from lo on; dropped if they are folded
}

const dropped = math.MaxUint32

// walk is the way of one profile's samples through the tree. The slices behind
// sample have one entry per sample that goes on.
type walk struct {
	p      *Profile
	frames *FrameMap
	values [][]int64 // the selected columns
	sign   int64     // -1: positive values are those of the base

	sample []uint32
	node   []uint32
	loc    []uint32 // how many locations of the stack lie behind
	line   []uint32 // how many frames of the next location do
}

func newWalk(p *Profile, table *FrameTable, types []int, sign int64) *walk {
	w := &walk{p: p, frames: table.Add(p), sign: sign}
	for _, i := range types {
		w.values = append(w.values, p.Values[i])
	}
	n := 0
	for s := range p.Stacks {
		if w.counts(s) {
			n++
		}
	}
	w.sample = make([]uint32, 0, n)
	for s := range p.Stacks {
		if w.counts(s) {
			w.sample = append(w.sample, uint32(s))
		}
	}
	w.node, w.loc, w.line = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	return w
}

// counts reports whether sample s has a value in some column.
func (w *walk) counts(s int) bool {
	for _, column := range w.values {
		if column[s] != 0 {
			return true
		}
	}
	return false
}

// next returns the next frame of active sample i.
func (w *walk) next(i int, inverted bool) (FrameRef, bool) {
	k := w.p.Stacks[w.sample[i]]
	done := w.loc[i]
	if done == k.Len {
		return 0, false
	}
	at := k.Start + done
	if !inverted {
		at = k.Start + k.Len - 1 - done
	}
	refs := w.frames.At(w.p.Frames[at])
	j := w.line[i]
	ref := refs[j]
	if !inverted {
		ref = refs[len(refs)-1-int(j)]
	}
	if j++; int(j) == len(refs) {
		j = 0
		w.loc[i]++
	}
	w.line[i] = j
	return ref, true
}

// add adds the values of sample s to node n's columns, picked by column.
func (w *walk) add(t *Tree, s, n uint32, column func(v *TreeValues, base bool) []int64) {
	for c := range t.Values {
		v := w.values[c][s] * w.sign
		if v == 0 {
			continue
		}
		base := v < 0
		if base {
			v = -v
		}
		column(&t.Values[c], base)[n] += v
	}
}

func totalOf(v *TreeValues, base bool) []int64 {
	if base {
		return v.BaseTotal
	}
	return v.Total
}

func selfOf(v *TreeValues, base bool) []int64 {
	if base {
		return v.BaseSelf
	}
	return v.Self
}

// begin makes the root.
func (b *treeBuilder) begin(diff bool, table *FrameTable) {
	b.grow(diff)
	b.addRoot()
	for c := range b.t.Values {
		v := &b.t.Values[c]
		if diff && b.o.Normalize && v.Total[0] > 0 && v.BaseTotal[0] > 0 {
			v.BaseScale = float64(v.Total[0]) / float64(v.BaseTotal[0])
		}
	}
	if b.o.Pivot != "" {
		// Shares are compared as in the whole tree: a pivot whose share has grown
		// is not to look unchanged.
		is := table.pivots(b.o.Pivot)
		for _, w := range b.walks {
			w.startAt(is, b.o.Inverted)
		}
		b.addRoot()
	}
	for c := range b.t.Values {
		b.min = append(b.min, b.o.MinShare*b.t.Values[c].weight(0))
	}
	b.moved = []uint32{0}
}

// addRoot gives the root the values of all active samples.
func (b *treeBuilder) addRoot() {
	for c := range b.t.Values {
		v := &b.t.Values[c]
		v.Total[0] = 0
		if v.BaseTotal != nil {
			v.BaseTotal[0] = 0
		}
	}
	for _, w := range b.walks {
		for _, s := range w.sample {
			w.add(b.t, s, 0, totalOf)
		}
	}
}

// grow appends a zero to each column of values.
func (b *treeBuilder) grow(diff bool) {
	for c := range b.t.Values {
		v := &b.t.Values[c]
		v.Total, v.Self = append(v.Total, 0), append(v.Self, 0)
		if diff {
			v.BaseTotal, v.BaseSelf = append(v.BaseTotal, 0), append(v.BaseSelf, 0)
		}
	}
}

// weight is what decides whether node n is narrow.
func (v *TreeValues) weight(n uint32) float64 {
	w := float64(v.Total[n])
	if v.BaseTotal != nil {
		w = max(w, float64(v.BaseTotal[n])*v.BaseScale)
	}
	return w
}

func (b *treeBuilder) active() int {
	n := 0
	for _, w := range b.walks {
		n += len(w.sample)
	}
	return n
}

// level adds the nodes below the last level.
func (b *treeBuilder) level() error {
	t := b.t
	hi := uint32(len(t.Frame))
	b.nodes = index{slots: make([]slot, tableSize(int(hi-b.lo)))}
	for _, w := range b.walks {
		kept := 0
		for i, s := range w.sample {
			n := b.moved[w.node[i]-b.lo]
			if n == dropped {
				continue
			}
			ref, more := w.next(i, b.o.Inverted)
			if b.o.CollapseRecursion {
				for more && ref.Index() == t.Frame[n] {
					ref, more = w.next(i, b.o.Inverted)
				}
			}
			if !more {
				w.add(t, s, n, selfOf)
				continue
			}
			child, err := b.child(n, ref)
			if err != nil {
				return err
			}
			w.add(t, s, child, totalOf)
			w.sample[kept], w.node[kept], w.loc[kept], w.line[kept] = s, child, w.loc[i], w.line[i]
			kept++
		}
		w.sample, w.node, w.loc, w.line = w.sample[:kept], w.node[:kept], w.loc[:kept], w.line[:kept]
	}
	b.settle(hi)
	return nil
}

// tableSize returns a table size that suits a level after one of n nodes.
func tableSize(n int) int {
	size := 64
	for size < 2*n {
		size *= 2
	}
	return size
}

// child returns the child of node n for a frame, which it adds if need be.
func (b *treeBuilder) child(n uint32, ref FrameRef) (uint32, error) {
	t := b.t
	frame := ref.Index()
	h := uint32(mix(uint64(n), uint64(frame)))
	b.nodes.reserve()
	mask := uint32(len(b.nodes.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := &b.nodes.slots[i]
		if sl.row == 0 {
			id := len(t.Frame)
			if id >= maxNodes {
				return 0, errTreeSize
			}
			t.Frame = append(t.Frame, frame)
			t.Parent = append(t.Parent, n)
			t.Inlined = append(t.Inlined, ref.Inlined())
			b.grow(t.Values[0].BaseTotal != nil)
			*sl = slot{h, uint32(id) + 1}
			b.nodes.n++
			return uint32(id), nil
		}
		if id := sl.row - 1; sl.hash == h && t.Parent[id] == n && t.Frame[id] == frame {
			if !ref.Inlined() {
				t.Inlined[id] = false
			}
			return id, nil
		}
	}
}

// settle folds the narrow ones of the nodes from lo on, which are all of one
// level, and puts the others in order.
func (b *treeBuilder) settle(lo uint32) {
	t := b.t
	parents := lo - b.lo // nodes of the level above
	// Siblings together, by counting.
	n := uint32(len(t.Frame)) - lo
	start := make([]uint32, parents+1)
	for _, p := range t.Parent[lo:] {
		start[p-b.lo+1]++
	}
	for i := range parents {
		start[i+1] += start[i]
	}
	order := make([]uint32, n)
	at := slices.Clone(start)
	for id := lo; id < lo+n; id++ {
		p := t.Parent[id] - b.lo
		order[at[p]] = id
		at[p]++
	}
	b.moved = slices.Grow(b.moved[:0], int(n))[:n]
	kept := order[:0]
	for p := range parents {
		siblings := order[start[p]:start[p+1]]
		wide := siblings[:0]
		for _, id := range siblings {
			if b.narrow(id) {
				t.fold(id, t.Parent[id])
				b.moved[id-lo] = dropped
			} else {
				wide = append(wide, id)
			}
		}
		slices.SortFunc(wide, t.compare)
		for _, id := range wide {
			b.moved[id-lo] = lo + uint32(len(kept))
			kept = append(kept, id)
		}
		t.First = append(t.First, lo+uint32(len(kept)))
	}
	t.permute(lo, kept)
	b.lo = lo
}

// compare orders siblings.
func (t *Tree) compare(a, b uint32) int {
	for c := range t.Values {
		v := &t.Values[c]
		if d := cmp.Compare(v.Total[b], v.Total[a]); d != 0 {
			return d
		}
		if v.BaseTotal != nil {
			if d := cmp.Compare(v.BaseTotal[b], v.BaseTotal[a]); d != 0 {
				return d
			}
		}
	}
	return cmp.Compare(t.Frame[a], t.Frame[b])
}

func (b *treeBuilder) narrow(n uint32) bool {
	if b.o.MinShare <= 0 {
		return false
	}
	for c := range b.t.Values {
		if w := b.t.Values[c].weight(n); w > 0 && w >= b.min[c] {
			return false
		}
	}
	return true
}

// fold adds node n to the folded value of its parent.
func (t *Tree) fold(n, parent uint32) {
	t.Folded = addAt(t.Folded, parent, 1)
	for c := range t.Values {
		v := &t.Values[c]
		v.Folded = addAt(v.Folded, parent, v.Total[n])
		if v.BaseTotal != nil {
			v.BaseFolded = addAt(v.BaseFolded, parent, v.BaseTotal[n])
		}
	}
}

// addAt adds v at i to a column that may be too short.
func addAt[T uint32 | int64](column []T, i uint32, v T) []T {
	if n := int(i) + 1; n > len(column) {
		column = append(column, make([]T, n-len(column))...)
	}
	column[i] += v
	return column
}

// permute keeps of the nodes from lo on those in kept, in that order.
func (t *Tree) permute(lo uint32, kept []uint32) {
	t.Frame = permute(t.Frame, lo, kept)
	t.Parent = permute(t.Parent, lo, kept)
	t.Inlined = permute(t.Inlined, lo, kept)
	for c := range t.Values {
		v := &t.Values[c]
		v.Total, v.Self = permute(v.Total, lo, kept), permute(v.Self, lo, kept)
		if v.BaseTotal != nil {
			v.BaseTotal, v.BaseSelf = permute(v.BaseTotal, lo, kept), permute(v.BaseSelf, lo, kept)
		}
	}
}

func permute[T any](column []T, lo uint32, kept []uint32) []T {
	tmp := make([]T, len(kept))
	for i, id := range kept {
		tmp[i] = column[id]
	}
	return append(column[:lo], tmp...)
}
