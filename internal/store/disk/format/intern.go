package format

import (
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// An Interner finds entries of a dictionary, and adds those that are missing. It translates one
// profile after another; see Intern.
type Interner struct {
	d *Dictionary
	hasher

	strings, functions, nodes, sets rows[struct{}]
	locations, sites                rows[uint64]
	mappings                        map[profile.MappingKey]uint32 // index plus 1
	schemas                         map[string]uint32
	series                          map[string]uint32
	scratch                         []byte
	translation                     translation
}

// Memory returns the approximate size in bytes, without the dictionary.
func (in *Interner) Memory() int64 {
	slots := len(in.strings.slots) + len(in.functions.slots) + len(in.nodes.slots) + len(in.sets.slots)
	return int64(8*slots + 16*(len(in.sites.slots)+len(in.locations.slots)) + 4*(cap(in.translation.toString)+cap(in.translation.toLocation)+cap(in.translation.toFunction)))
}

// Intern appends the sites of some of p's samples to dst, and returns the number of p's
// schema. It adds to the dictionary what it lacks, and keeps no reference to p.
func (in *Interner) Intern(p *profile.Profile, samples, dst []uint32) (sites []uint32, schema uint32) {
	t := in.begin(p)
	sites = t.internSites(samples, dst)
	schema = t.internSchema()
	t.end()
	return sites, schema
}

// A translation finds the entries of one profile in the dictionary, and adds those that are
// missing.
type translation struct {
	in *Interner
	p  *profile.Profile

	// Where the profile's entries are in the dictionary, plus 1; 0 is not looked up yet.
	toString     []uint32
	toFunction   []uint32
	toLocation   []uint32
	toSet        []uint32
	toMapping    []mappedTo
	hashes       locationHasher
	fingerprints []fingerprint // of the samples' sites
	frames       []uint32
	setLabels    []profile.Label
}

// A mappedTo is the dictionary's mapping for one of the profile, plus 1, and the offset to add
// to its addresses.
type mappedTo struct {
	mapping uint32
	offset  uint64
}

// begin starts the translation of p. The caller must call end before the next begin.
func (in *Interner) begin(p *profile.Profile) *translation {
	t := &in.translation
	t.in, t.p = in, p
	t.toString = zeroed(t.toString, len(p.Strings))
	t.toFunction = zeroed(t.toFunction, len(p.Functions))
	t.toLocation = zeroed(t.toLocation, len(p.Locations))
	t.toSet = zeroed(t.toSet, len(p.LabelSets))
	t.toMapping = zeroed(t.toMapping, len(p.Mappings))
	t.hashes = in.locationsOf(p, t.hashes)
	return t
}

// end ends the translation. It keeps no reference to the profile.
func (t *translation) end() { t.p, t.hashes.p = nil, nil }

// internSites appends the sites of some of the profile's samples to dst.
//
// Finding a site means waiting for memory. All fingerprints are made first, so that the
// processor can wait for several sites in parallel.
func (t *translation) internSites(samples, dst []uint32) []uint32 {
	t.fingerprints = t.fingerprints[:0]
	for _, s := range samples {
		t.fingerprints = append(t.fingerprints, t.in.siteFingerprint(t.stack(int(s))))
	}
	start := len(dst)
	for _, p := range t.fingerprints {
		dst = append(dst, t.in.sites.known(p.hash, p.check))
	}
	for i, site := range dst[start:] {
		if site == 0 {
			site = t.site(int(samples[i]), t.fingerprints[i])
		}
		dst[start+i] = site - 1
	}
	return dst
}

// stack returns the locations of sample s in the dictionary, which are valid until the next
// call, and its label set.
func (t *translation) stack(s int) (frames []uint32, set uint32) {
	stack := t.p.Stack(s)
	if cap(t.frames) < len(stack) {
		t.frames = make([]uint32, 0, 2*len(stack))
	}
	frames = t.frames[:len(stack)]
	for i, l := range stack {
		to := t.toLocation[l]
		if to == 0 {
			to = t.location(l)
		}
		frames[i] = to - 1
	}
	if t.p.SampleLabels != nil {
		if id := t.p.SampleLabels[s]; id != 0 {
			set = t.labelSet(id)
		}
	}
	return frames, set
}

// location interns location l of the profile and returns its index plus 1.
func (t *translation) location(l uint32) uint32 {
	p, d := t.p, t.in.d
	loc := p.Locations[l]
	mapped := t.mapping(loc.Mapping)
	loc.Mapping = mapped.mapping
	loc.Address += mapped.offset
	lines := p.LocationLines(l)
	key := t.hashes.locationFingerprint(&loc, lines)
	row := t.in.locations.known(key.hash, key.check)
	if row == 0 {
		slot := t.in.locations.find(key.hash, key.check, nil)
		t.in.locations.add(slot, key.hash, key.check, uint32(len(d.locations)))
		row = slot.row
		loc.ID = uint64(row)
		loc.FirstLine, loc.NumLines = uint32(len(d.lines)), uint32(len(lines))
		for _, ln := range lines {
			ln.Function = t.function(ln.Function)
			d.lines = append(d.lines, ln)
		}
		d.locations = append(d.locations, loc)
	}
	t.toLocation[l] = row
	return row
}

// mapping interns a mapping of the profile, given as its index plus 1.
func (t *translation) mapping(id uint32) mappedTo {
	if id == 0 {
		return mappedTo{}
	}
	if to := t.toMapping[id-1]; to.mapping != 0 {
		return to
	}
	m := t.p.Mappings[id-1]
	k := m.Key()
	i, ok := t.in.mappings[k]
	if !ok {
		i = uint32(len(t.in.d.mappings)) + 1
		m.ID = uint64(i)
		m.File, m.BuildID = t.in.own(m.File), t.in.own(m.BuildID)
		t.in.d.mappings = append(t.in.d.mappings, m)
		t.in.mappings[m.Key()] = i
	}
	to := mappedTo{i, t.in.d.mappings[i-1].Start - m.Start}
	t.toMapping[id-1] = to
	return to
}

// function interns a function of the profile and returns its index.
func (t *translation) function(id uint32) uint32 {
	if to := t.toFunction[id]; to != 0 {
		return to - 1
	}
	f := t.p.Functions[id]
	f.Name, f.SystemName, f.File = t.str(f.Name), t.str(f.SystemName), t.str(f.File)
	h := functionHash(&f)
	slot := t.in.functions.find(h, none, func(row uint32) bool { return t.in.d.functions[row] == f })
	if slot.row == 0 {
		t.in.functions.add(slot, h, none, uint32(len(t.in.d.functions)))
		t.in.d.functions = append(t.in.d.functions, f)
	}
	t.toFunction[id] = slot.row
	return slot.row - 1
}

// labelSet interns label set id of the profile and returns its index.
func (t *translation) labelSet(id uint32) uint32 {
	if to := t.toSet[id]; to != 0 {
		return to - 1
	}
	set := t.p.LabelSets[id]
	own := t.setLabels[:0]
	for _, l := range t.p.Labels[set.Start : set.Start+set.Len] {
		l.Key, l.Str, l.Unit = t.str(l.Key), t.str(l.Str), t.str(l.Unit)
		own = append(own, l)
	}
	t.setLabels = own
	to := uint32(0)
	if len(own) > 0 {
		to = t.in.ownSet(own)
	}
	t.toSet[id] = to + 1
	return to
}

// site returns the site of a sample, plus 1. It adds the site, unless an earlier sample did.
func (t *translation) site(s int, p fingerprint) uint32 {
	slot := t.in.sites.find(p.hash, p.check, nil)
	if slot.row != 0 {
		return slot.row
	}
	frames, set := t.stack(s)
	node := uint32(0)
	for _, l := range slices.Backward(frames) {
		node = t.in.node(node, l)
	}
	t.in.sites.add(slot, p.hash, p.check, uint32(len(t.in.d.siteNodes)))
	t.in.d.siteNodes = append(t.in.d.siteNodes, node)
	t.in.d.siteSets = append(t.in.d.siteSets, set)
	return slot.row
}

// Series returns the number of the series with some labels and the measures of a schema. It
// copies the labels.
func (in *Interner) Series(labels store.Labels, schema uint32) uint32 {
	measures := in.d.Schemas[schema].Measures
	in.scratch = appendSeriesKey(in.scratch[:0], labels, measures, nil)
	if id, ok := in.series[string(in.scratch)]; ok {
		return id
	}
	key := string(in.scratch)
	own := make(store.Labels, len(labels))
	for i, l := range labels {
		own[i] = store.Label{Name: in.own(l.Name), Value: in.own(l.Value)}
	}
	id := in.d.addSeries(own, measures)
	in.series[key] = id
	return id
}

// str interns a string of the profile.
func (t *translation) str(id profile.StringID) uint32 {
	if t.toString[id] == 0 {
		t.toString[id] = t.in.StringID(t.p.Strings[id]) + 1
	}
	return t.toString[id] - 1
}

// own returns the dictionary's copy of s.
func (in *Interner) own(s string) string { return in.d.strings[in.StringID(s)] }

// StringID returns the number of s.
func (in *Interner) StringID(s string) uint32 {
	if s == "" {
		return 0
	}
	h := in.stringHash(s)
	slot := in.strings.find(h, none, func(row uint32) bool { return in.d.strings[row] == s })
	if slot.row == 0 {
		in.strings.add(slot, h, none, uint32(len(in.d.strings)))
		in.d.strings = append(in.d.strings, string([]byte(s))) // a copy that keeps nothing else alive
	}
	return slot.row - 1
}

// node returns the node of a location below a parent.
func (in *Interner) node(parent, loc uint32) uint32 {
	h := nodeHash(parent, loc)
	d := in.d
	slot := in.nodes.find(h, none, func(row uint32) bool { return d.parents[row] == parent && d.nodeLocs[row] == loc })
	if slot.row == 0 {
		in.nodes.add(slot, h, none, uint32(len(d.parents)))
		d.parents = append(d.parents, parent)
		d.nodeLocs = append(d.nodeLocs, loc)
	}
	return slot.row - 1
}

func (in *Interner) ownSet(own []profile.Label) uint32 {
	d := in.d
	h := setHash(own)
	slot := in.sets.find(h, none, func(row uint32) bool {
		o := d.sets[row]
		return slices.Equal(d.labels[o.Start:o.Start+o.Len], own)
	})
	if slot.row == 0 {
		in.sets.add(slot, h, none, uint32(len(d.sets)))
		d.sets = append(d.sets, profile.LabelSet{Start: uint32(len(d.labels)), Len: uint32(len(own))})
		d.labels = append(d.labels, own...)
	}
	return slot.row - 1
}

// internSchema returns the number of the profile's schema. It has only mappings that the samples
// use: those that internSites looked up.
func (t *translation) internSchema() uint32 {
	p := t.p
	s := Schema{Types: p.SampleTypes, DefaultType: p.DefaultSampleType, periodType: p.PeriodType, period: p.Period,
		comments: p.Comments, docURL: p.DocURL, drop: p.DropFrames, keep: p.KeepFrames}
	// The first mapping is the main program's.
	if len(p.Mappings) > 0 {
		s.mainMapping = t.mapping(1).mapping
	}
	for i := range p.Mappings {
		to := t.toMapping[i].mapping
		if to == 0 {
			continue // no sample is in it
		}
		as := p.Mappings[i]
		as.ID = uint64(to)
		if as != t.in.d.mappings[to-1] {
			s.loaded = append(s.loaded, loaded{to - 1, as})
		}
	}
	t.in.scratch = appendSchema(t.in.scratch[:0], &s, t.in.StringID)
	if id, ok := t.in.schemas[string(t.in.scratch)]; ok {
		return id
	}
	id := t.in.d.addSchema(t.in.ownSchema(s))
	t.in.schemas[string(t.in.scratch)] = id
	return id
}

// ownSchema returns a copy of s that shares no memory with a profile: its strings are the
// dictionary's.
func (in *Interner) ownSchema(s Schema) Schema {
	types := make([]profile.ValueType, len(s.Types))
	for i, t := range s.Types {
		types[i] = in.ownType(t)
	}
	var comments []string
	for _, c := range s.comments {
		comments = append(comments, in.own(c))
	}
	s.Types, s.periodType, s.comments = types, in.ownType(s.periodType), comments
	s.DefaultType, s.docURL, s.drop, s.keep = in.own(s.DefaultType), in.own(s.docURL), in.own(s.drop), in.own(s.keep)
	for i := range s.loaded {
		as := &s.loaded[i].as
		as.ID, as.File, as.BuildID = 0, in.own(as.File), in.own(as.BuildID) // mapping has the number
	}
	return s
}

func (in *Interner) ownType(t profile.ValueType) profile.ValueType {
	return profile.ValueType{Type: in.own(t.Type), Unit: in.own(t.Unit)}
}
