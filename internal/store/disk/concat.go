package disk

import (
	"context"
	"slices"

	"github.com/hone-go/hone/profile"
)

// add adds up profiles from different partitions.
//
// Different services are usually different programs, which share no code. Then their profiles
// share no stacks, and are just concatenated.
func add(ctx context.Context, ps []*profile.Profile) (*profile.Profile, error) {
	if !apart(ps) {
		return profile.Sum(ctx, ps...)
	}
	heads := make([]*profile.Profile, len(ps))
	for i, p := range ps {
		h := *p
		h.Strings, h.Mappings, h.Functions, h.Locations, h.Lines, h.Frames = nil, nil, nil, nil, nil, nil
		h.Stacks, h.SampleLabels, h.LabelSets, h.Labels = nil, nil, nil, nil
		h.Values = make([][]int64, len(p.Values))
		heads[i] = &h
	}
	head, err := profile.Sum(ctx, heads...)
	if err != nil {
		return nil, err
	}
	c := concat{out: head, strings: map[string]uint32{}, functions: map[profile.Function]uint32{}}
	c.str("")
	samples, frames, labels := 0, 0, false
	for _, p := range ps {
		samples += len(p.Stacks)
		frames += len(p.Frames)
		labels = labels || p.SampleLabels != nil
	}
	out := head
	out.Stacks, out.Frames = make([]profile.Stack, 0, samples), make([]uint32, 0, frames)
	for t := range out.Values {
		out.Values[t] = make([]int64, 0, samples)
	}
	if labels {
		out.SampleLabels = make([]uint32, 0, samples)
		out.LabelSets = append(out.LabelSets, profile.LabelSet{})
	}
	tree := profile.StackTree{Parent: []uint32{0}, Location: []uint32{0}}
	for _, p := range ps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tree = appendStackTree(tree, p.StackTree(), uint32(len(out.Locations)))
		c.add(p, labels)
	}
	return profile.WithStackTree(out, tree), nil
}

// appendStackTree appends a profile's tree of stacks to another one. location is the index of
// the profile's first location in the sum. If one of the profiles has no tree, the sum has
// none.
func appendStackTree(to profile.StackTree, t *profile.StackTree, location uint32) profile.StackTree {
	if t == nil || to.Parent == nil {
		return profile.StackTree{}
	}
	first := uint32(len(to.Parent)) - 1 // the root is that of all
	moved := func(node uint32) uint32 {
		if node == 0 {
			return 0
		}
		return node + first
	}
	for i, parent := range t.Parent[1:] {
		to.Parent = append(to.Parent, moved(parent))
		to.Location = append(to.Location, t.Location[i+1]+location)
	}
	for _, leaf := range t.Leaf {
		to.Leaf = append(to.Leaf, moved(leaf))
	}
	return to
}

// apart reports whether the profiles measure the same and can't share a location.
func apart(ps []*profile.Profile) bool {
	owner := map[profile.MappingKey]int{}
	for i, p := range ps {
		if p.PeriodType != ps[0].PeriodType || !slices.Equal(p.SampleTypes, ps[0].SampleTypes) {
			return false
		}
		for k := range p.Mappings {
			key := p.Mappings[k].Key()
			if o, ok := owner[key]; ok && o != i {
				return false
			}
			owner[key] = i
		}
		for k := range p.Locations {
			if p.Locations[k].Mapping == 0 {
				return false
			}
		}
		for _, stack := range p.Stacks {
			if stack.Len == 0 {
				return false
			}
		}
	}
	return true
}

// A concat concatenates profiles. It adds each distinct string and function once.
type concat struct {
	out       *profile.Profile
	strings   map[string]uint32
	functions map[profile.Function]uint32
}

func (c *concat) str(s string) uint32 {
	id, ok := c.strings[s]
	if !ok {
		id = uint32(len(c.out.Strings))
		c.strings[s] = id
		c.out.Strings = append(c.out.Strings, s)
	}
	return id
}

func (c *concat) add(p *profile.Profile, labels bool) {
	out := c.out
	strs := make([]uint32, len(p.Strings))
	for i, s := range p.Strings {
		strs[i] = c.str(s)
	}
	firstMapping := uint32(len(out.Mappings))
	for _, m := range p.Mappings {
		m.ID += uint64(firstMapping)
		out.Mappings = append(out.Mappings, m)
	}
	functions := make([]uint32, len(p.Functions))
	for i, f := range p.Functions {
		f.Name, f.SystemName, f.File = strs[f.Name], strs[f.SystemName], strs[f.File]
		id, ok := c.functions[f]
		if !ok {
			id = uint32(len(out.Functions))
			c.functions[f] = id
			out.Functions = append(out.Functions, f)
		}
		functions[i] = id
	}
	firstLine, firstLocation := uint32(len(out.Lines)), uint32(len(out.Locations))
	out.Lines = slices.Grow(out.Lines, len(p.Lines))
	for _, ln := range p.Lines {
		ln.Function = functions[ln.Function]
		out.Lines = append(out.Lines, ln)
	}
	out.Locations = slices.Grow(out.Locations, len(p.Locations))
	for _, l := range p.Locations {
		l.ID += uint64(firstLocation)
		l.Mapping += firstMapping
		l.FirstLine += firstLine
		out.Locations = append(out.Locations, l)
	}
	firstFrame := uint32(len(out.Frames))
	for _, f := range p.Frames {
		out.Frames = append(out.Frames, f+firstLocation)
	}
	for _, s := range p.Stacks {
		s.Start += firstFrame
		out.Stacks = append(out.Stacks, s)
	}
	for t, col := range p.Values {
		out.Values[t] = append(out.Values[t], col...)
	}
	if !labels {
		return
	}
	// Set 0 is the empty one of all of them.
	firstSet, firstLabel := uint32(max(len(out.LabelSets), 1)-1), uint32(len(out.Labels))
	for _, l := range p.Labels {
		l.Key, l.Str, l.Unit = strs[l.Key], strs[l.Str], strs[l.Unit]
		out.Labels = append(out.Labels, l)
	}
	for _, set := range p.LabelSets[min(1, len(p.LabelSets)):] {
		set.Start += firstLabel
		out.LabelSets = append(out.LabelSets, set)
	}
	for s := range p.Stacks {
		set := uint32(0)
		if p.SampleLabels != nil {
			if set = p.SampleLabels[s]; set != 0 {
				set += firstSet
			}
		}
		out.SampleLabels = append(out.SampleLabels, set)
	}
}
