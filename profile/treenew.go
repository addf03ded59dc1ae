package profile

import (
	"fmt"
	"slices"
)

// NewTree returns the tree of p's stacks.
//
// Negative values are those of a subtracted base: if p has some, the tree is a
// comparison, as that of [NewDiffTree].
func NewTree(p *Profile, o TreeOptions) (*Tree, error) {
	return NewDiffTree(nil, p, o)
}

// NewDiffTree returns the tree of both profiles' stacks, with base values
// next to the head's. The sample types of o are head's; those of base are found
// by their names. Function literals have one name on both sides: see [AlignLiterals]. If
// base is nil, NewDiffTree does what [NewTree] does.
func NewDiffTree(base, head *Profile, o TreeOptions) (*Tree, error) {
	if base != nil {
		bases, heads := AlignLiterals([]*Profile{base}, []*Profile{head})
		base, head = bases[0], heads[0]
	}
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
		return nil, fmt.Errorf("%d scales of the base for %d sample types", len(o.BaseScales), len(o.Types))
	}
	diff := base != nil
	var baseTypes []int
	for _, i := range o.Types {
		if i < 0 || i >= len(head.SampleTypes) {
			return nil, fmt.Errorf("unknown sample type %d: the profile has %d", i, len(head.SampleTypes))
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
	headFrames := table.Add(head)
	var baseFrames *FrameMap
	if base != nil {
		baseFrames = table.Add(base)
	}
	b := treeBuilder{t: t, o: o, diff: diff, mem: nodeMemory{budget: o.Budget, columns: len(o.Types), diff: diff}}
	b.add(head, headFrames, o.Types, 1)
	if base != nil {
		b.add(base, baseFrames, baseTypes, -1)
	}
	b.grow() // for the root
	done, err := b.byStackTrees(table)
	if err == nil && !done {
		err = b.build(table)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range b.walks {
		table.Settle([]*FrameMap{w.frames}, w.values[:1])
	}
	t.useFrames(table.Len(), table.Frame)
	return t, nil
}
