package format

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Dictionary is the dictionary of a partition. Profiles refer to its entries by number.
// Entries are only added, so a copy of the struct is a snapshot, which may be read while the
// original grows.
//
// Stacks are a tree of nodes. A node is a location and the node of its caller. A site is a
// stack, given by the node of its leaf, with a set of labels. So a sample is a site and its
// values.
type Dictionary struct {
	strings   []string           // strings[0] is ""
	mappings  []profile.Mapping  // File and BuildID are in strings too
	functions []profile.Function // as in a profile with these strings
	locations []profile.Location
	lines     []profile.Line
	parents   []uint32 // of nodes; node 0 is the root, which has no location
	nodeLocs  []uint32
	labels    []profile.Label
	sets      []profile.LabelSet // sets[0] is empty
	siteNodes []uint32
	siteSets  []uint32
	Schemas   []Schema
	Series    []Series

	// Of addSeries alone: names of labels that tell instances apart, and the first series
	// by their other labels and measures.
	instance []string
	fleets   map[string]uint32
}

// A Schema is everything in a profile except samples.
type Schema struct {
	Types       []profile.ValueType
	DefaultType string
	periodType  profile.ValueType
	period      int64
	comments    []string
	docURL      string
	drop, keep  string
	mainMapping uint32 // index plus 1 of the first mapping, the main program's; 0 for none
	// loaded are the mappings that the profile has elsewhere than the
	// dictionary, because the program was loaded elsewhere.
	loaded []loaded
	// Measures is the first schema with the same types and period type:
	// profiles of the same measures can be added up.
	Measures uint32
}

// A loaded is a mapping as a profile has it, if that differs from the dictionary's.
type loaded struct {
	mapping uint32
	as      profile.Mapping
}

// A Series is the profiles with the same labels and measures.
type Series struct {
	Labels   store.Labels
	Measures uint32 // schema
	// Fleet is the first series with the same measures and the same labels, except for
	// those that distinguish instances.
	Fleet uint32
}

// NewDictionary returns an empty dictionary. instance has the names of the labels that
// distinguish the instances of a service.
func NewDictionary(instance []string) *Dictionary {
	return &Dictionary{
		strings: []string{""}, parents: []uint32{0}, nodeLocs: []uint32{0},
		sets: make([]profile.LabelSet, 1), instance: instance, fleets: map[string]uint32{},
	}
}

// Sites returns the number of sites. They are numbered from 0.
func (d *Dictionary) Sites() int { return len(d.siteNodes) }

// Memory returns the approximate size in bytes.
func (d *Dictionary) Memory() int64 {
	n := 0
	for _, s := range d.strings {
		n += len(s)
	}
	return int64(n + 16*len(d.strings) + 88*len(d.mappings) + 24*len(d.functions) + 32*len(d.locations) + 24*len(d.lines) +
		8*len(d.parents) + 32*len(d.labels) + 8*len(d.sets) + 8*len(d.siteNodes) + 256*(len(d.Schemas)+len(d.Series)))
}

// Index returns a small dictionary with only the series and what they measure. That is enough
// for totals and labels. It shares no memory with d.
func (d *Dictionary) Index() *Dictionary {
	x := &Dictionary{Schemas: make([]Schema, len(d.Schemas)), Series: make([]Series, len(d.Series))}
	known := map[string]string{} // they have much in common
	own := func(s string) string {
		if _, ok := known[s]; !ok {
			c := strings.Clone(s)
			known[c] = c
		}
		return known[s]
	}
	for i := range d.Schemas {
		s := &d.Schemas[i]
		if s.Measures == uint32(i) {
			types := make([]profile.ValueType, len(s.Types))
			for k, t := range s.Types {
				types[k] = profile.ValueType{Type: own(t.Type), Unit: own(t.Unit)}
			}
			x.Schemas[i].Types = types
		}
		// Programs that are loaded elsewhere each time have a schema for each.
		x.Schemas[i] = Schema{Types: x.Schemas[s.Measures].Types, DefaultType: own(s.DefaultType), Measures: s.Measures}
	}
	for i, s := range d.Series {
		labels := make(store.Labels, len(s.Labels))
		for k, l := range s.Labels {
			labels[k] = store.Label{Name: own(l.Name), Value: own(l.Value)}
		}
		x.Series[i] = Series{labels, s.Measures, s.Fleet}
	}
	return x
}

func appendMapping(b []byte, m *profile.Mapping, stringID func(string) uint32) []byte {
	flags := byte(0)
	for i, f := range [...]bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	for _, v := range [...]uint64{m.Start, m.Limit, m.Offset, uint64(stringID(m.File)), uint64(stringID(m.BuildID))} {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

func (d *Dictionary) readMapping(r *Reader) (m profile.Mapping) {
	flags := r.Byte()
	m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	m.Start, m.Limit, m.Offset = r.Uvarint(), r.Uvarint(), r.Uvarint()
	m.File, m.BuildID = d.readString(r), d.readString(r)
	return m
}

// readString reads a string, which is stored as its index.
func (d *Dictionary) readString(r *Reader) string { return d.strings[r.below(len(d.strings))] }

func appendSchema(b []byte, s *Schema, stringID func(string) uint32) []byte {
	u := func(v uint64) { b = binary.AppendUvarint(b, v) }
	strs := func(ss ...string) {
		for _, s := range ss {
			u(uint64(stringID(s)))
		}
	}
	u(uint64(len(s.Types)))
	for _, t := range s.Types {
		strs(t.Type, t.Unit)
	}
	strs(s.periodType.Type, s.periodType.Unit, s.DefaultType, s.docURL, s.drop, s.keep)
	b = appendVarint(b, s.period)
	u(uint64(len(s.comments)))
	strs(s.comments...)
	u(uint64(s.mainMapping))
	u(uint64(len(s.loaded)))
	for i := range s.loaded {
		u(uint64(s.loaded[i].mapping))
		b = appendMapping(b, &s.loaded[i].as, stringID)
	}
	return b
}

func (d *Dictionary) readSchema(r *Reader) (s Schema) {
	s.Types = make([]profile.ValueType, r.Count(2))
	for i := range s.Types {
		s.Types[i] = profile.ValueType{Type: d.readString(r), Unit: d.readString(r)}
	}
	s.periodType = profile.ValueType{Type: d.readString(r), Unit: d.readString(r)}
	s.DefaultType, s.docURL, s.drop, s.keep = d.readString(r), d.readString(r), d.readString(r), d.readString(r)
	s.period = r.varint()
	if n := r.Count(1); n > 0 {
		s.comments = make([]string, n)
		for i := range s.comments {
			s.comments[i] = d.readString(r)
		}
	}
	s.mainMapping = r.below(len(d.mappings) + 1)
	if n := r.Count(7); n > 0 {
		s.loaded = make([]loaded, n)
		for i := range s.loaded {
			s.loaded[i].mapping = r.below(len(d.mappings))
			s.loaded[i].as = d.readMapping(r)
		}
	}
	return s
}

// addSchema adds a schema and sets its Measures.
func (d *Dictionary) addSchema(s Schema) uint32 {
	id := uint32(len(d.Schemas))
	s.Measures = id
	for i := range d.Schemas {
		if o := &d.Schemas[i]; o.Measures == uint32(i) && o.periodType == s.periodType && slices.Equal(o.Types, s.Types) {
			s.Measures = uint32(i)
			break
		}
	}
	d.Schemas = append(d.Schemas, s)
	return id
}

// appendSeriesKey appends a key that identifies a series by measures and labels. It leaves out
// the labels named in without.
func appendSeriesKey(b []byte, labels store.Labels, measures uint32, without []string) []byte {
	b = binary.AppendUvarint(b, uint64(measures))
	for _, l := range labels {
		if !slices.Contains(without, l.Name) {
			b = appendString(appendString(b, l.Name), l.Value)
		}
	}
	return b
}

// addSeries adds a series and sets its Fleet.
func (d *Dictionary) addSeries(labels store.Labels, measures uint32) uint32 {
	id := uint32(len(d.Series))
	key := appendSeriesKey(nil, labels, measures, d.instance)
	fleet, ok := d.fleets[string(key)]
	if !ok {
		fleet = id
		d.fleets[string(key)] = id
	}
	d.Series = append(d.Series, Series{labels, measures, fleet})
	return id
}
