package profile

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Merge adds up profiles: samples with equal stacks and labels become one, and
// what no sample refers to is left out. Locations are equal when their mapping,
// their address relative to it, and their lines are. All profiles need the same
// sample types, in the same order.
//
// The header takes the earliest start, the sum of durations, the longest
// period, every comment once, and all else from the first profile that has it.
func Merge(ps ...*Profile) (*Profile, error) { return merge(context.Background(), ps) }

func merge(ctx context.Context, ps []*Profile) (*Profile, error) {
	if len(ps) == 0 {
		return nil, fmt.Errorf("no profiles to merge")
	}
	m := Merger{Context: ctx}
	for _, p := range ps {
		if err := m.Add(p); err != nil {
			return nil, err
		}
	}
	return m.Profile(), nil
}

// Compact returns p without the strings, functions, locations and mappings that
// no sample refers to, and with equal samples added up.
func Compact(p *Profile) *Profile {
	m, err := Merge(p)
	if err != nil {
		panic(err) // a profile is compatible with itself
	}
	return m
}

// A Merger merges profiles one by one, so that they need not be in memory
// together. Its zero value is ready to use.
type Merger struct {
	// Context, unless nil, ends Add early with its error. The Merger is then unusable.
	Context context.Context

	in      *interner
	headers HeaderMerger

	// Where things of the profile being added went, plus 1; 0 is not yet.
	strings   []uint32
	functions []uint32
	locations []uint32
	mappings  []mappedTo
	sets      []uint32
	lines     []Line
	labels    []Label

	// Scratch space of a batch; see samples.
	frames []uint32
	batch  []pending
	found  []uint32
}

// pending is a sample of the profile being added whose place is looked for.
type pending struct {
	sample     uint32 // index in the profile being added
	start, end uint32 // its stack in Merger.frames, as merged locations
	set        uint32 // merged label set
	hash       uint64 // of the stack
	guess      uint32 // index plus 1 of the merged sample it may equal
}

// mappedTo is the merged mapping of a source mapping, plus 1, and what has to be
// added to addresses in it.
type mappedTo struct {
	mapping uint32
	offset  uint64
}

// Add adds p, which must have the sample types of the profiles before it and is
// not referred to afterwards.
func (m *Merger) Add(p *Profile) error {
	if m.in == nil {
		m.in = newInterner()
		m.in.p.SampleTypes = slices.Clone(p.SampleTypes)
		m.in.p.Values = make([][]int64, len(p.SampleTypes))
		m.in.p.PeriodType = p.PeriodType
		m.in.p.DropFrames, m.in.p.KeepFrames = p.DropFrames, p.KeepFrames
	} else if err := compatible(m.in.p, p); err != nil {
		return err
	}
	m.headers.Add(m.in.p, p)

	m.strings = zeroed(m.strings, len(p.Strings))
	m.functions = zeroed(m.functions, len(p.Functions))
	m.locations = zeroed(m.locations, len(p.Locations))
	m.sets = zeroed(m.sets, len(p.LabelSets))
	if cap(m.mappings) < len(p.Mappings) {
		m.mappings = make([]mappedTo, len(p.Mappings))
	}
	m.mappings = m.mappings[:len(p.Mappings)]
	clear(m.mappings)
	if len(m.in.p.Mappings) == 0 && len(p.Mappings) > 0 {
		m.mapping(p, 1) // the first mapping is the main program's, and stays first
	}
	m.findLocations(p)
	return m.samples(p)
}

func zeroed(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// A HeaderMerger merges what profiles say of themselves beside their samples: the
// earliest time, the sum of durations, the longest period, each comment once, and
// the first default sample type and document that any of them names. The zero
// value is ready.
type HeaderMerger struct{ comments map[string]bool } // those of the merged profile

// Add merges what p says into the header of q, the same profile in every call.
func (m *HeaderMerger) Add(q, p *Profile) {
	if q.TimeNanos == 0 || p.TimeNanos < q.TimeNanos {
		q.TimeNanos = p.TimeNanos // google/pprof, too, takes 0 for early here
	}
	q.DurationNanos += p.DurationNanos
	q.Period = max(q.Period, p.Period)
	for _, c := range p.Comments {
		if m.comments == nil {
			m.comments = make(map[string]bool)
		}
		if !m.comments[c] {
			m.comments[c] = true
			q.Comments = append(q.Comments, c)
		}
	}
	q.DefaultSampleType = cmp.Or(q.DefaultSampleType, p.DefaultSampleType)
	q.DocURL = cmp.Or(q.DocURL, p.DocURL)
}

// Merging is a matter of finding things in tables that are larger than the
// processor's caches. The loops below therefore work in steps, each over many
// independent elements: the processor then waits for several of them at a time.

// findLocations sets the merged index of all locations of p that are known
// already. Nothing is added: that happens in the order of the samples.
func (m *Merger) findLocations(p *Profile) {
	q := m.in.p
	if len(q.Locations) == 0 {
		return
	}
	m.found = zeroed(m.found, len(p.Locations))
	for i := range p.Mappings {
		if to, ok := m.in.mappings[p.Mappings[i].Key()]; ok {
			m.mappings[i] = mappedTo{to, q.Mappings[to-1].Start - p.Mappings[i].Start}
		}
	}
	for i := range p.Locations {
		l := &p.Locations[i]
		key, mapping := l.Address, uint32(0)
		if l.Mapping != 0 {
			mt := m.mappings[l.Mapping-1]
			if mt.mapping == 0 {
				continue
			}
			key -= p.Mappings[l.Mapping-1].Start
			mapping = mt.mapping
		}
		m.found[i] = locationHash(key, mapping, l.Folded, p.Lines[l.FirstLine:l.FirstLine+l.NumLines])
	}
	for i, h := range m.found {
		m.found[i] = 0
		if row, ok := m.in.locations.First(h); ok {
			m.found[i] = row + 1
		}
	}
	for i, row := range m.found {
		if row != 0 && m.isLocation(p, uint32(i), row-1) {
			m.locations[i] = row
		}
	}
}

// isLocation reports whether location l of p equals the merged location at. Of
// functions that it finds equal on the way it notes the merged index.
func (m *Merger) isLocation(p *Profile, l, at uint32) bool {
	q := m.in.p
	a, b := &p.Locations[l], &q.Locations[at]
	address := a.Address
	mapping := uint32(0)
	if a.Mapping != 0 {
		mt := m.mappings[a.Mapping-1]
		if mt.mapping == 0 {
			return false // not known yet, so nothing can be in it
		}
		mapping = mt.mapping
		address += mt.offset
	}
	if address == 0 || b.Address != address || b.Mapping != mapping || b.Folded != a.Folded || b.NumLines != a.NumLines {
		return false
	}
	for i := range a.NumLines {
		x, y := &p.Lines[a.FirstLine+i], &q.Lines[b.FirstLine+i]
		if x.Line != y.Line || x.Column != y.Column {
			return false
		}
		if f := m.functions[x.Function]; f != 0 {
			if f != y.Function+1 {
				return false
			}
			continue
		}
		f, g := &p.Functions[x.Function], &q.Functions[y.Function]
		if f.StartLine != g.StartLine || p.Strings[f.Name] != q.Strings[g.Name] || p.Strings[f.File] != q.Strings[g.File] ||
			(f.SystemName != f.Name || g.SystemName != g.Name) && p.Strings[f.SystemName] != q.Strings[g.SystemName] {
			return false
		}
		m.functions[x.Function] = y.Function + 1
	}
	return true
}

// batchSize is how many samples are looked for at a time.
const batchSize = 256

// samples adds the samples of p that have a value.
func (m *Merger) samples(p *Profile) error {
	q := m.in.p
	for next := 0; next < len(p.Stacks); {
		if err := stopped(m.Context, next); err != nil {
			return err
		}
		m.batch, m.frames = m.batch[:0], m.frames[:0]
		for ; next < len(p.Stacks) && len(m.batch) < batchSize; next++ {
			if !zeroSample(p, next) {
				m.batch = append(m.batch, m.pending(p, next))
			}
		}
		for i := range m.batch {
			b := &m.batch[i]
			if row, ok := m.in.samples.First(sampleHash(b.hash, b.set)); ok {
				b.guess = row + 1
			}
		}
		for i := range m.batch {
			b := &m.batch[i]
			stack := m.frames[b.start:b.end]
			to, fresh := b.guess-1, false
			if b.guess == 0 || !m.in.isSample(to, stack, b.set) {
				to, fresh = m.in.sample(stack, b.hash, b.set)
			}
			if fresh {
				for t, col := range p.Values {
					q.Values[t] = append(q.Values[t], col[b.sample])
				}
				continue
			}
			for t, col := range p.Values {
				q.Values[t][to] += col[b.sample]
			}
		}
	}
	return nil
}

// pending translates the stack and labels of sample s of p.
func (m *Merger) pending(p *Profile, s int) pending {
	stack := p.Stack(s)
	start := len(m.frames)
	m.frames = slices.Grow(m.frames, len(stack))[:start+len(stack)]
	dst := m.frames[start:]
	h := uint64(len(stack))
	for i, l := range stack {
		to := m.locations[l]
		if to == 0 {
			to = m.location(p, l)
		}
		to--
		dst[i] = to
		h = nextStackHash(h, to)
	}
	b := pending{sample: uint32(s), start: uint32(start), end: uint32(start + len(stack)), hash: h}
	if p.SampleLabels != nil {
		if l := p.SampleLabels[s]; l != 0 {
			if m.sets[l] == 0 {
				m.sets[l] = m.labelSet(p, l) + 1
			}
			b.set = m.sets[l] - 1
		}
	}
	return b
}

// str returns the merged id of p's string id.
func (m *Merger) str(p *Profile, id StringID) StringID {
	if m.strings[id] == 0 {
		m.strings[id] = m.in.str(p.Strings[id]) + 1
	}
	return m.strings[id] - 1
}

// location merges location l of p and returns its merged index plus 1.
func (m *Merger) location(p *Profile, l uint32) uint32 {
	src := p.Locations[l]
	to := Location{Address: src.Address, Folded: src.Folded}
	if src.Mapping != 0 {
		mt := m.mappings[src.Mapping-1]
		if mt.mapping == 0 {
			mt = m.mapping(p, src.Mapping)
		}
		to.Mapping = mt.mapping
		to.Address += mt.offset
	}
	m.lines = m.lines[:0]
	for _, ln := range p.LocationLines(l) {
		f := m.functions[ln.Function]
		if f == 0 {
			fn := &p.Functions[ln.Function]
			f = m.in.function(Function{m.str(p, fn.Name), m.str(p, fn.SystemName), m.str(p, fn.File), fn.StartLine}) + 1
			m.functions[ln.Function] = f
		}
		m.lines = append(m.lines, Line{f - 1, ln.Line, ln.Column})
	}
	i := m.in.location(to, m.lines) + 1
	m.locations[l] = i
	return i
}

// mapping merges a mapping of p, given by its index plus 1.
func (m *Merger) mapping(p *Profile, i uint32) mappedTo {
	src := &p.Mappings[i-1]
	to := m.in.mapping(*src)
	mt := mappedTo{to, m.in.p.Mappings[to-1].Start - src.Start}
	m.mappings[i-1] = mt
	return mt
}

func (m *Merger) labelSet(p *Profile, set uint32) uint32 {
	s := p.LabelSets[set]
	m.labels = m.labels[:0]
	for _, l := range p.Labels[s.Start : s.Start+s.Len] {
		l.Key, l.Str, l.Unit = m.str(p, l.Key), m.str(p, l.Str), m.str(p, l.Unit)
		m.labels = append(m.labels, l)
	}
	return m.in.labelSet(m.labels)
}

// Profile returns the merged profile. The Merger is empty afterwards.
func (m *Merger) Profile() *Profile {
	p := m.in.p
	m.in, m.headers = nil, HeaderMerger{}
	for s := range p.Stacks {
		if zeroSample(p, s) {
			// Values cancelled out; what only such samples refer to goes, too.
			return Compact(p)
		}
	}
	return p
}

func zeroSample(p *Profile, s int) bool {
	for _, col := range p.Values {
		if col[s] != 0 {
			return false
		}
	}
	return true
}

// compatible tells why q can't be merged into p.
func compatible(p, q *Profile) error {
	if p.PeriodType != q.PeriodType {
		return fmt.Errorf("incompatible period types %v and %v", p.PeriodType, q.PeriodType)
	}
	if !slices.Equal(p.SampleTypes, q.SampleTypes) {
		return fmt.Errorf("incompatible sample types %v and %v", p.SampleTypes, q.SampleTypes)
	}
	return nil
}

// Scale multiplies the values of each sample type by its ratio, or all values by one
// ratio, rounding to the nearest integer. It drops samples that have only zeros afterwards.
func Scale(p *Profile, ratios ...float64) *Profile {
	if len(p.Values) == 0 || !slices.ContainsFunc(ratios, func(r float64) bool { return r != 1 }) {
		return p
	}
	q := *p
	q.Values = make([][]int64, len(p.Values))
	for t, col := range p.Values {
		q.Values[t] = col
		r := ratios[0]
		if len(ratios) > 1 {
			r = ratios[t]
		}
		if r != 1 {
			scaled := make([]int64, len(col))
			for s, v := range col {
				scaled[s] = int64(math.Round(float64(v) * r))
			}
			q.Values[t] = scaled
		}
	}
	return keepSamples(&q, func(s int) bool { return !zeroSample(&q, s) })
}

// Normalize scales each sample type of p so that its sum becomes that of base.
func Normalize(p, base *Profile) (*Profile, error) {
	if err := compatible(p, base); err != nil {
		return nil, err
	}
	ratios := make([]float64, len(p.Values))
	for t := range p.Values {
		if sum := sumOf(p.Values[t]); sum != 0 {
			ratios[t] = float64(sumOf(base.Values[t])) / float64(sum)
		}
	}
	return Scale(p, ratios...), nil
}

func sumOf(col []int64) int64 {
	var sum int64
	for _, v := range col {
		sum += v
	}
	return sum
}
