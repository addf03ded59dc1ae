package profile

import (
	"cmp"
	"context"
	"errors"
	"math"
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

	// The same for the base of a comparison; nil if there is none.
	BaseTotal, BaseSelf, BaseFolded []int64

	// BaseScale is the factor for base values before they are compared: 1, or
	// the one that makes both totals equal.
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
	// BaseTotal, with Normalize, is the multiple of the head's total that the base
	// is scaled to instead, such as the ratio of what an operation cost before and
	// costs now; 0 is 1.
	BaseTotal float64
	// BaseScales, one for each of Types, are the factors for base values where the
	// samples alone don't tell them, such as after a filter. They override
	// Normalize; nil leaves the scaling to it.
	BaseScales []float64

	// Pivot, unless it is "", names a frame: by its name, or with the line or
	// address by its [Frame.Label]. The tree has only the stacks with this frame.
	// Each begins at the frame's outermost occurrence, so that a sample counts once
	// and the root's total is the frame's cumulative value. The root's child is the
	// pivot. If the name means several frames (the lines of a function, or
	// functions told apart by file), each is a child. Below it are its callees or,
	// with PivotCallers, its callers. PivotCallers then also decides whether the
	// tree is Inverted. If no stack has the frame, the tree is empty.
	Pivot        string
	PivotCallers bool

	// MinShare folds the nodes whose share of the total is lower in every column,
	// while the tree is built. Memory then depends on MinShare and the depth of the
	// stacks, not on the number of different stacks. 0 keeps all nodes.
	MinShare float64

	// Context, unless nil, ends the work early, with its error.
	Context context.Context
	// Budget, unless nil, provides the memory for the tree and for building it.
	// Nothing is given back.
	Budget Budget
}

// maxNodes bounds a tree, so that node numbers fit into 32 bits.
const maxNodes = 1 << 31

var errTreeSize = errors.New("the profile has too many different stacks for one tree: fold narrow ones with a minimum share")

// NumNodes returns the number of nodes.
func (t *Tree) NumNodes() int { return len(t.Frame) }

// Children returns the range of node n's children: the first one, and the node
// after the last one.
func (t *Tree) Children(n uint32) (first, end uint32) { return t.First[n], t.First[n+1] }

// Diff reports whether the tree compares two profiles.
func (t *Tree) Diff() bool { return len(t.Values) > 0 && t.Values[0].BaseTotal != nil }

// Bytes returns about how much memory the tree takes.
func (t *Tree) Bytes() int64 {
	n := bytesOf[uint32](len(t.Frame)+len(t.Parent)+len(t.First)+len(t.Folded)) + int64(len(t.Inlined)) + bytesOf[Frame](len(t.Frames))
	for i := range t.Values {
		v := &t.Values[i]
		n += bytesOf[int64](len(v.Total) + len(v.Self) + len(v.Folded) + len(v.BaseTotal) + len(v.BaseSelf) + len(v.BaseFolded))
	}
	return n
}

// Height returns the number of levels below the root.
func (t *Tree) Height() int {
	height, end := 0, uint32(1) // of the level's nodes
	for {
		next := t.First[end]
		if next == end {
			return height
		}
		end = next
		height++
	}
}

// add adds a value to node n's own or total value, a negative one to those of
// the base.
func (v *TreeValues) add(n uint32, value int64, own bool) {
	switch {
	case value >= 0 && own:
		v.Self[n] += value
	case value >= 0:
		v.Total[n] += value
	case own:
		v.BaseSelf[n] -= value
	default:
		v.BaseTotal[n] -= value
	}
}

// weight returns the value that decides whether node n is narrow.
func (v *TreeValues) weight(n uint32) float64 {
	w := float64(v.Total[n])
	if v.BaseTotal != nil {
		w = max(w, float64(v.BaseTotal[n])*v.BaseScale)
	}
	return w
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

// eachColumn replaces the columns of values that always have one entry per node.
// Folded values get theirs at the end.
func (t *Tree) eachColumn(f func(column []int64) []int64) {
	for c := range t.Values {
		v := &t.Values[c]
		v.Total, v.Self = f(v.Total), f(v.Self)
		if v.BaseTotal != nil {
			v.BaseTotal, v.BaseSelf = f(v.BaseTotal), f(v.BaseSelf)
		}
	}
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

// useFrames fills the frame table with the used ones of n frames.
func (t *Tree) useFrames(n int, frame func(uint32) Frame) {
	number := make([]uint32, n)
	used := 0
	for _, f := range t.Frame[1:] {
		used += int(1 - number[f])
		number[f] = 1
	}
	t.Frames = make([]Frame, 0, used)
	for f, in := range number {
		if in != 0 {
			number[f] = uint32(len(t.Frames))
			t.Frames = append(t.Frames, frame(uint32(f)))
		}
	}
	for i, f := range t.Frame[1:] {
		t.Frame[i+1] = number[f]
	}
}

// pad gives the columns of folded values one entry per node.
func (t *Tree) pad() {
	if t.Folded == nil {
		return
	}
	last := uint32(t.NumNodes() - 1)
	t.Folded = addAt(t.Folded, last, 0)
	for c := range t.Values {
		v := &t.Values[c]
		v.Folded = addAt(v.Folded, last, 0)
		if v.BaseTotal != nil {
			v.BaseFolded = addAt(v.BaseFolded, last, 0)
		}
	}
}
