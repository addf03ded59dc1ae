package clickhouse

import "github.com/hone-go/hone/profile"

// A copier copies samples, with everything they refer to, from the lexicon's profile to another
// one.
type copier struct {
	all, out *profile.Profile
	// Indexes in out, plus 1; 0 if it is not copied yet.
	strings, functions, mappings, locations, sets []uint32
}

// newCopier returns a copier from a lexicon to out. main is the index plus 1 of the mapping in
// the lexicon that becomes the first one of out; 0 if there is none.
func newCopier(lx *lexicon, out *profile.Profile, main uint32) *copier {
	all := lx.everything()
	c := &copier{all: &all, out: out, strings: make([]uint32, len(all.Strings)), functions: make([]uint32, len(all.Functions)),
		mappings: make([]uint32, len(all.Mappings)), locations: make([]uint32, len(all.Locations)), sets: make([]uint32, len(all.LabelSets))}
	if main != 0 {
		c.mappings[main-1] = 1
	}
	return c
}

// sample copies a sample without its values.
func (c *copier) sample(s uint32) {
	out := c.out
	stack := c.all.Stacks[s]
	start := len(out.Frames)
	for _, l := range c.all.Frames[stack.Start : stack.Start+stack.Len] {
		to := c.locations[l]
		if to == 0 {
			to = c.location(l)
		}
		out.Frames = append(out.Frames, to-1)
	}
	out.Stacks = append(out.Stacks, profile.Stack{Start: uint32(start), Len: stack.Len})
	if set := c.all.SampleLabels[s]; set != 0 || out.SampleLabels != nil {
		if out.SampleLabels == nil {
			out.SampleLabels = make([]uint32, len(out.Stacks)-1)
			out.LabelSets = make([]profile.LabelSet, 1)
		}
		out.SampleLabels = append(out.SampleLabels, c.set(set))
	}
}

func (c *copier) str(id uint32) uint32 {
	if id == 0 {
		return 0
	}
	if c.strings[id] == 0 {
		c.out.Strings = append(c.out.Strings, c.all.Strings[id])
		c.strings[id] = uint32(len(c.out.Strings))
	}
	return c.strings[id] - 1
}

func (c *copier) location(l uint32) uint32 {
	all, out := c.all, c.out
	loc := all.Locations[l]
	if m := loc.Mapping; m != 0 {
		if c.mappings[m-1] == 0 {
			out.Mappings = append(out.Mappings, all.Mappings[m-1])
			c.mappings[m-1] = uint32(len(out.Mappings))
			out.Mappings[len(out.Mappings)-1].ID = uint64(len(out.Mappings))
		}
		loc.Mapping = c.mappings[m-1]
		loc.Address += out.Mappings[loc.Mapping-1].Start
	}
	first := len(out.Lines)
	for _, ln := range all.LocationLines(l) {
		ln.Function = c.function(ln.Function)
		out.Lines = append(out.Lines, ln)
	}
	loc.FirstLine = uint32(first)
	out.Locations = append(out.Locations, loc)
	n := uint32(len(out.Locations))
	out.Locations[n-1].ID = uint64(n)
	c.locations[l] = n
	return n
}

func (c *copier) function(f uint32) uint32 {
	if c.functions[f] == 0 {
		fn := c.all.Functions[f]
		fn.Name, fn.SystemName, fn.File = c.str(fn.Name), c.str(fn.SystemName), c.str(fn.File)
		c.out.Functions = append(c.out.Functions, fn)
		c.functions[f] = uint32(len(c.out.Functions))
	}
	return c.functions[f] - 1
}

func (c *copier) set(set uint32) uint32 {
	if set == 0 {
		return 0
	}
	if c.sets[set] == 0 {
		s := c.all.LabelSets[set]
		to := profile.LabelSet{Start: uint32(len(c.out.Labels)), Len: s.Len}
		for _, l := range c.all.Labels[s.Start : s.Start+s.Len] {
			l.Key, l.Str, l.Unit = c.str(l.Key), c.str(l.Str), c.str(l.Unit)
			c.out.Labels = append(c.out.Labels, l)
		}
		c.out.LabelSets = append(c.out.LabelSets, to)
		c.sets[set] = uint32(len(c.out.LabelSets))
	}
	return c.sets[set] - 1
}
