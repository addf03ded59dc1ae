package profile

import (
	"context"
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
	// BaseTotal, with Normalize, is the multiple of the head's total that the base
	// is scaled to instead, such as the ratio of what an operation cost before and
	// costs now; 0 is 1.
	BaseTotal float64
	// BaseScales, one for each of Types, are what base values are multiplied by to
	// compare, where that follows from more than the samples given, as when filters
	// have dropped some. They go before Normalize, which nil leaves it to.
	BaseScales []float64

	// Pivot, unless it is "", is a frame: its name, or with the line or address
	// its [Frame.Label]. The tree is of the stacks with it alone, which all begin
	// at its outermost occurrence, so that each sample counts once and the root's
	// total is what the frame has with all it calls. The root's children are
	// the pivot: one node, or where a name means several frames (the lines of a
	// function, or functions told apart by file) one for each. Below it is what it
	// calls, or, with PivotCallers, its callers up to the root: the tree is
	// Inverted then, and not without, whatever the option says. If no stack has
	// the frame, the tree is empty.
	Pivot        string
	PivotCallers bool

	// MinShare folds nodes while the tree is built: those below this share of
	// the total in every column. Memory is then bounded by MinShare and the
	// depth of the stacks, however many different stacks there are. 0 keeps all.
	MinShare float64

	// Context, unless it is nil, ends the work early, with its error.
	Context context.Context
	// Budget, unless it is nil, is where the memory of the tree and of making it comes
	// from, as it grows. Nothing is given back.
	Budget Budget
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
	}
	if o.BaseScales != nil && len(o.BaseScales) != len(o.Types) {
		return nil, fmt.Errorf("there are %d scales of the base for %d sample types", len(o.BaseScales), len(o.Types))
	}
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
	b := treeBuilder{t: t, o: o, diff: diff}
	if err := b.add(head, table, o.Types, 1); err != nil {
		return nil, err
	}
	if base != nil {
		if err := b.add(base, table, baseTypes, -1); err != nil {
			return nil, err
		}
	}
	if err := b.build(table); err != nil {
		return nil, err
	}
	for _, w := range b.walks {
		table.Settle([]*FrameMap{w.frames}, w.values[:1])
	}
	t.useFrames(table.Len(), table.Frame)
	return t, nil
}
