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

// readString reads a string, which is stored as its index.
func (d *Dictionary) readString(r *Reader) string { return d.strings[r.below(len(d.strings))] }

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
