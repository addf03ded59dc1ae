package disk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Merge returns merged profiles; see [store.Store].
func (s *Store) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	sel, err := s.selects(ctx, &q, true)
	if err != nil {
		return nil, err
	}
	defer sel.close()
	groups, err := sel.plan(ctx)
	if err != nil {
		return nil, err
	}
	var out []store.Group
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := g.profile(ctx, &q)
		if err != nil {
			return nil, fmt.Errorf("profiles of %v: %w", sel.labels[g.labels], err)
		}
		r := store.Group{Labels: sel.labels[g.labels], Time: g.window, Profile: p, Total: g.total.total()}
		if q.Step == 0 {
			r.Time = g.total.first
		}
		p.TimeNanos, p.DurationNanos = r.Time, r.Duration
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b store.Group) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), a.Labels.Compare(b.Labels))
	})
	return out, nil
}

// mergeGroup is a group to be merged.
type mergeGroup struct {
	groupKey
	total total
	parts []*part
}

// A part is what a group has of one partition and one kind of measures: sums
// that can be added up as they are.
type part struct {
	v        *view
	measures uint32
	wanted   int // column, -1 for all
	fresh    []freshSource
	blocks   []blockSource
	rollups  []*rolledUp
	schemas  map[uint32]int64 // earliest time of the profiles with a schema
}

// freshSource is a profile that isn't packed.
type freshSource struct {
	hour hour
	head *head
}

// sees notes a schema.
func (p *part) sees(schema uint32, first int64) {
	if t, ok := p.schemas[schema]; !ok || first < t {
		p.schemas[schema] = first
	}
}

// part returns the group's part of a partition and of measures.
func (g *mergeGroup) part(v *view, measures uint32, m seriesMatch, q *store.Query) *part {
	for _, p := range g.parts {
		if p.v == v && p.measures == measures {
			return p
		}
	}
	p := &part{v: v, measures: measures, wanted: -1, schemas: map[uint32]int64{}}
	if q.SampleType != "" {
		p.wanted = int(m.column)
	}
	g.parts = append(g.parts, p)
	return p
}

// addEntry adds a profile to the group.
func (g *mergeGroup) addEntry(q *store.Query, e *entry) {
	g.total.addEntry(e)
	p := g.part(e.v, e.v.dict.schemas[e.schema].measures, e.seriesMatch, q)
	p.sees(e.schema, e.time)
	if e.block == 0 {
		p.fresh = append(p.fresh, freshSource{e.hour, e.head})
		return
	}
	p.addRow(e)
}

// profile returns the merged profile of a group.
func (g *mergeGroup) profile(ctx context.Context, q *store.Query) (*profile.Profile, error) {
	ps := make([]*profile.Profile, len(g.parts))
	first := func(p *part) int64 {
		t := int64(1<<63 - 1)
		for _, at := range p.schemas {
			t = min(t, at)
		}
		return t
	}
	slices.SortStableFunc(g.parts, func(a, b *part) int { return cmp.Compare(first(a), first(b)) })
	if len(g.parts) == 1 {
		p, err := g.parts[0].profile(ctx)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	// Two at a time: there is a lot to read, and to wait for.
	errs := make([]error, len(g.parts))
	var wg sync.WaitGroup
	running := make(chan struct{}, 2)
	for i, p := range g.parts {
		wg.Add(1)
		running <- struct{}{}
		go func() {
			defer func() { <-running; wg.Done() }()
			ps[i], errs[i] = p.profile(ctx)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return add(ps)
}

// profile returns the merged profile of a part.
func (p *part) profile(ctx context.Context) (*profile.Profile, error) {
	d := &p.v.dict
	a := newSums(len(d.schemas[p.measures].types), p.wanted, len(d.siteNodes))
	if err := p.addFresh(ctx, a); err != nil {
		return nil, err
	}
	if err := p.addPacked(ctx, a); err != nil {
		return nil, err
	}
	return p.build(a), nil
}

// addFresh adds the profiles that aren't packed to sums.
func (p *part) addFresh(ctx context.Context, a *sums) (err error) {
	if len(p.fresh) == 0 {
		return nil
	}
	// They stand in the order of their keys, so that one iterator finds each
	// near the one before.
	prefix := partitionKey(keySamples, p.v.p.id)
	it, err := p.v.snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, it.Close()) }()
	var s samples
	for _, f := range p.fresh {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := seqKey(keySamples, p.v.p.id, f.hour, f.head.seq)
		if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
			return cmp.Or(it.Error(), inKey(key, &damage{msg: "it is missing"}))
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return fmt.Errorf("%s: %w", keyName(key), err)
		}
		if err := readSamples(&s, value, a.types, p.wanted, len(p.v.dict.siteNodes)); err != nil {
			return inKey(key, err)
		}
		a.add(&s)
	}
	return nil
}

// build makes a profile of sums.
func (p *part) build(a *sums) *profile.Profile {
	d := &p.v.dict
	out := p.header()
	b := builder{d: d, p: out, strings: make([]uint32, len(d.strings))}
	b.locations = make([]uint32, len(d.locations))
	b.functions = make([]uint32, len(d.functions))
	b.mappings = make([]uint32, len(d.mappings))
	b.sets = map[uint32]uint32{}
	b.strings[0] = 1
	out.Strings = append(out.Strings, "")
	n := 0
	a.each(func(uint32) { n++ })
	for t := range d.schemas[p.measures].types {
		if a.values[t] != nil {
			out.Values = append(out.Values, make([]int64, 0, n))
		}
	}
	out.Stacks = make([]profile.Stack, 0, n)
	out.Frames = make([]uint32, 0, p.frames(a, n))
	if m := d.schemas[p.firstSchema()].mainMapping; m != 0 && n > 0 {
		b.mapping(m)
	}
	a.each(func(site uint32) {
		b.site(site)
		i := 0
		for _, col := range a.values {
			if col != nil {
				out.Values[i] = append(out.Values[i], col[site])
				i++
			}
		}
	})
	p.relocate(&b)
	return out
}

// frames returns about how many frames the stacks of the n sites in a have.
func (p *part) frames(a *sums, n int) int {
	d := &p.v.dict
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

// firstSchema returns the schema of the first profile.
func (p *part) firstSchema() uint32 {
	return p.schemasByTime()[0]
}

func (p *part) schemasByTime() []uint32 {
	ids := make([]uint32, 0, len(p.schemas))
	for id := range p.schemas {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(p.schemas[a], p.schemas[b]), cmp.Compare(a, b))
	})
	return ids
}

// header returns a profile without samples, with what merging makes of the
// profiles' headers.
func (p *part) header() *profile.Profile {
	d := &p.v.dict
	out := &profile.Profile{}
	for i, id := range p.schemasByTime() {
		s := &d.schemas[id]
		if i == 0 {
			out.SampleTypes, out.PeriodType, out.Period = slices.Clone(s.types), s.periodType, s.period
			out.DropFrames, out.KeepFrames = s.drop, s.keep
			if p.wanted >= 0 {
				out.SampleTypes = out.SampleTypes[p.wanted : p.wanted+1]
				out.DefaultSampleType = out.SampleTypes[0].Type
			}
		}
		out.Period = max(out.Period, s.period)
		for _, c := range s.comments {
			if !slices.Contains(out.Comments, c) {
				out.Comments = append(out.Comments, c)
			}
		}
		out.DefaultSampleType = cmp.Or(out.DefaultSampleType, s.defaultType)
		out.DocURL = cmp.Or(out.DocURL, s.docURL)
	}
	return out
}

// relocate puts the mappings where all the profiles had them, if they agree.
func (p *part) relocate(b *builder) {
	if len(p.schemas) != 1 {
		return
	}
	for _, l := range b.d.schemas[p.firstSchema()].loaded {
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

// A builder copies entries of a dictionary into a profile as they are needed.
type builder struct {
	d *dict
	p *profile.Profile
	// Where entries of the dictionary are in the profile, plus 1.
	locations, functions, mappings, strings []uint32
	sets                                    map[uint32]uint32 // without the plus 1
}

func (b *builder) str(id uint32) uint32 {
	if b.strings[id] == 0 {
		b.p.Strings = append(b.p.Strings, b.d.strings[id])
		b.strings[id] = uint32(len(b.p.Strings))
	}
	return b.strings[id] - 1
}

// mapping copies a mapping, given and returned as its index plus 1.
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

// site adds a sample of a site, without values.
func (b *builder) site(site uint32) {
	d, p := b.d, b.p
	start := len(p.Frames)
	for node := d.siteNodes[site]; node != 0; node = d.parents[node] {
		l := b.locations[d.nodeLocs[node]]
		if l == 0 {
			l = b.location(d.nodeLocs[node])
		}
		p.Frames = append(p.Frames, l-1)
	}
	if set := d.siteSets[site]; set != 0 || p.SampleLabels != nil {
		if p.SampleLabels == nil {
			p.SampleLabels = make([]uint32, len(p.Stacks), cap(p.Stacks))
			p.LabelSets = append(p.LabelSets, profile.LabelSet{})
			b.sets[0] = 0
		}
		p.SampleLabels = append(p.SampleLabels, b.set(set))
	}
	p.Stacks = append(p.Stacks, profile.Stack{Start: uint32(start), Len: uint32(len(p.Frames) - start)})
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
