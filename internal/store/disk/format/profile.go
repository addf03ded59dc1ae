package format

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Profile returns the profile with the sums in a. schemas has the schemas of the profiles that
// were added up, with the earliest time of each in ns. The profile takes memory from the
// budget, unless that is nil; its error ends the call.
func (d *Dictionary) Profile(a *Adder, schemas map[uint32]int64, budget profile.Budget) (out *profile.Profile, err error) {
	ids := slices.SortedFunc(maps.Keys(schemas), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(schemas[a], schemas[b]), cmp.Compare(a, b))
	})
	out = d.header(ids, a.wanted)
	out.Strings = append(out.Strings, "")
	b := builder{d: d, p: out, strings: make([]uint32, len(d.strings)), sets: map[uint32]uint32{}}
	b.locations = make([]uint32, len(d.locations))
	b.functions = make([]uint32, len(d.functions))
	b.mappings = make([]uint32, len(d.mappings))
	b.nodes = make([]uint32, len(d.parents))
	b.strings[0] = 1
	n := 0
	a.each(func(uint32) { n++ })
	// Some sites can stand for any number of frames.
	frames, columns := d.frames(a, n), len(out.SampleTypes)
	held := int64(0)
	take := func(now int64) error {
		if budget == nil || now <= held {
			return nil
		}
		more := now - held
		held = now
		return budget.Take(more)
	}
	if err := take(4*int64(frames) + int64(n)*int64(8*columns+12) + 4*int64(len(b.nodes))); err != nil {
		return nil, err
	}
	for _, col := range a.values {
		if col != nil {
			out.Values = append(out.Values, make([]int64, 0, n))
		}
	}
	out.Stacks = make([]profile.Stack, 0, n)
	b.tree.Leaf = make([]uint32, 0, n)
	out.Frames = make([]uint32, 0, frames)
	b.reserve(n)
	b.newNode(0, 0, 0, 0) // the root
	if m := d.Schemas[ids[0]].mainMapping; m != 0 && n > 0 {
		b.mapping(m)
	}
	a.each(func(site uint32) {
		if err != nil {
			return
		}
		b.site(site)
		if len(out.Stacks)%256 == 0 {
			err = take(Bytes(out) + b.bytes())
		}
		i := 0
		for _, col := range a.values {
			if col != nil {
				out.Values[i] = append(out.Values[i], col[site])
				i++
			}
		}
	})
	if len(ids) == 1 {
		b.relocate(d.Schemas[ids[0]].loaded)
	}
	if err == nil {
		err = take(Bytes(out) + b.bytes())
	}
	return profile.WithStackTree(out, b.tree), err
}

// Bytes returns the approximate memory of a profile in bytes, without its strings.
func Bytes(p *profile.Profile) int64 {
	n := 4*(cap(p.Frames)+cap(p.SampleLabels)) + 8*(cap(p.Stacks)+cap(p.LabelSets)) + 16*cap(p.Strings) +
		24*(cap(p.Functions)+cap(p.Lines)) + 32*(cap(p.Locations)+cap(p.Labels)) + 88*cap(p.Mappings)
	for _, column := range p.Values {
		n += 8 * cap(column)
	}
	return int64(n)
}

// header returns a profile without samples that has the merged headers of some schemas.
func (d *Dictionary) header(schemas []uint32, wanted int) *profile.Profile {
	out := &profile.Profile{}
	var headers profile.HeaderMerger
	for i, id := range schemas {
		s := &d.Schemas[id]
		if i == 0 {
			out.SampleTypes, out.PeriodType = slices.Clone(s.Types), s.periodType
			out.DropFrames, out.KeepFrames = s.drop, s.keep
			if wanted >= 0 {
				out.SampleTypes = out.SampleTypes[wanted : wanted+1]
				out.DefaultSampleType = out.SampleTypes[0].Type
			}
		}
		headers.Add(out, &profile.Profile{Period: s.period, Comments: s.comments, DefaultSampleType: s.DefaultType, DocURL: s.docURL})
	}
	return out
}

// frames estimates the total number of frames in the stacks of the n sites in a.
func (d *Dictionary) frames(a *Adder, n int) int {
	i, looked, frames := 0, 0, 0
	a.each(func(site uint32) {
		if i++; i%16 == 0 {
			looked++
			for node := d.siteNodes[site]; node != 0; node = d.parents[node] {
				frames++
			}
		}
	})
	if looked == 0 {
		return 0
	}
	return frames * n / looked * 9 / 8
}

// A builder builds a profile. It copies entries of a dictionary when they are first needed.
type builder struct {
	d *Dictionary
	p *profile.Profile
	// Where entries of the dictionary are in the profile, plus 1.
	locations, functions, mappings, strings []uint32
	sets                                    map[uint32]uint32 // without the plus 1

	tree    profile.StackTree
	nodes   []uint32 // where nodes of the dictionary are in tree; 0 for those not there yet
	runs    []run    // by node of tree
	missing []uint32 // nodes of a stack that tree lacks, the leaf first
}

// A run is the position of a stack in the profile's Frames.
type run struct{ start, length uint32 }

// bytes returns the memory of the tree and of building it.
func (b *builder) bytes() int64 {
	return int64(4*(cap(b.tree.Parent)+cap(b.tree.Location)+cap(b.tree.Leaf)+cap(b.nodes)+cap(b.missing)) + 8*cap(b.runs))
}

// reserve allocates room for the entries that n sites probably need.
func (b *builder) reserve(n int) {
	d, p := b.d, b.p
	likely := func(all int) int { return min(all, 2*all*n/max(1, d.Sites())+16) }
	p.Locations = make([]profile.Location, 0, likely(len(d.locations)))
	p.Lines = make([]profile.Line, 0, likely(len(d.lines)))
	p.Functions = make([]profile.Function, 0, likely(len(d.functions)))
	p.Strings = slices.Grow(p.Strings, likely(len(d.strings)))
	nodes := likely(len(d.parents))
	b.tree.Parent, b.tree.Location, b.runs = make([]uint32, 0, nodes), make([]uint32, 0, nodes), make([]run, 0, nodes)
}

// newNode adds a node to the tree.
func (b *builder) newNode(parent, location, start, length uint32) (id uint32) {
	id = uint32(len(b.runs))
	b.tree.Parent = append(b.tree.Parent, parent)
	b.tree.Location = append(b.tree.Location, location)
	b.runs = append(b.runs, run{start, length})
	return id
}

func (b *builder) str(id uint32) uint32 {
	if b.strings[id] == 0 {
		b.p.Strings = append(b.p.Strings, b.d.strings[id])
		b.strings[id] = uint32(len(b.p.Strings))
	}
	return b.strings[id] - 1
}

// mapping copies a mapping, which is given and returned as its index plus 1.
func (b *builder) mapping(id uint32) uint32 {
	if id == 0 {
		return 0
	}
	if b.mappings[id-1] == 0 {
		m := b.d.mappings[id-1]
		m.ID = uint64(len(b.p.Mappings)) + 1
		b.p.Mappings = append(b.p.Mappings, m)
		b.mappings[id-1] = uint32(m.ID)
	}
	return b.mappings[id-1]
}

// location copies a location and returns its index plus 1.
func (b *builder) location(id uint32) uint32 {
	l := b.d.locations[id]
	lines := b.d.lines[l.FirstLine : l.FirstLine+l.NumLines]
	l.FirstLine = uint32(len(b.p.Lines))
	l.Mapping = b.mapping(l.Mapping)
	for _, ln := range lines {
		f := b.functions[ln.Function]
		if f == 0 {
			fn := b.d.functions[ln.Function]
			fn.Name, fn.SystemName, fn.File = b.str(fn.Name), b.str(fn.SystemName), b.str(fn.File)
			b.p.Functions = append(b.p.Functions, fn)
			f = uint32(len(b.p.Functions))
			b.functions[ln.Function] = f
		}
		ln.Function = f - 1
		b.p.Lines = append(b.p.Lines, ln)
	}
	l.ID = uint64(len(b.p.Locations)) + 1
	b.p.Locations = append(b.p.Locations, l)
	b.locations[id] = uint32(l.ID)
	return uint32(l.ID)
}

// site adds a sample for a site, without values.
func (b *builder) site(site uint32) {
	d, p := b.d, b.p
	leaf := d.siteNodes[site]
	stack := b.stack(leaf)
	if set := d.siteSets[site]; set != 0 || p.SampleLabels != nil {
		if p.SampleLabels == nil {
			p.SampleLabels = make([]uint32, len(p.Stacks), cap(p.Stacks))
			p.LabelSets = append(p.LabelSets, profile.LabelSet{})
			b.sets[0] = 0
		}
		p.SampleLabels = append(p.SampleLabels, b.set(set))
	}
	p.Stacks = append(p.Stacks, profile.Stack{Start: stack.start, Len: stack.length})
	b.tree.Leaf = append(b.tree.Leaf, b.nodes[leaf])
}

// stack adds the stack of a node, unless it is there. Frames that it shares with an earlier
// stack are copied from that one.
func (b *builder) stack(leaf uint32) run {
	d, p := b.d, b.p
	start := uint32(len(p.Frames))
	b.missing = b.missing[:0]
	node := leaf
	for ; node != 0 && b.nodes[node] == 0; node = d.parents[node] {
		l := b.locations[d.nodeLocs[node]]
		if l == 0 {
			l = b.location(d.nodeLocs[node])
		}
		b.missing = append(b.missing, node)
		p.Frames = append(p.Frames, l-1)
	}
	parent := b.nodes[node]
	rest := b.runs[parent]
	if len(b.missing) == 0 {
		return rest
	}
	p.Frames = append(p.Frames, p.Frames[rest.start:rest.start+rest.length]...)
	end := uint32(len(p.Frames))
	for i := len(b.missing) - 1; i >= 0; i-- {
		at := start + uint32(i)
		parent = b.newNode(parent, p.Frames[at], at, end-at)
		b.nodes[b.missing[i]] = parent
	}
	return b.runs[parent]
}

func (b *builder) set(id uint32) uint32 {
	to, ok := b.sets[id]
	if !ok {
		to = uint32(len(b.p.LabelSets))
		b.sets[id] = to
		set := b.d.sets[id]
		b.p.LabelSets = append(b.p.LabelSets, profile.LabelSet{Start: uint32(len(b.p.Labels)), Len: set.Len})
		for _, l := range b.d.labels[set.Start : set.Start+set.Len] {
			l.Key, l.Str, l.Unit = b.str(l.Key), b.str(l.Str), b.str(l.Unit)
			b.p.Labels = append(b.p.Labels, l)
		}
	}
	return to
}

// relocate moves mappings to where the profiles had them. All profiles must have had them
// there.
func (b *builder) relocate(all []loaded) {
	for _, l := range all {
		i := b.mappings[l.mapping]
		if i == 0 {
			continue
		}
		m := &b.p.Mappings[i-1]
		offset := l.as.Start - m.Start
		*m = l.as
		m.ID = uint64(i)
		if offset != 0 {
			for k := range b.p.Locations {
				if b.p.Locations[k].Mapping == i {
					b.p.Locations[k].Address += offset
				}
			}
		}
	}
}
