package format

import (
	"encoding/binary"
	"slices"

	"github.com/hone-go/hone/profile"
)

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

func (d *Dictionary) readMapping(r *Reader) (m profile.Mapping) {
	flags := r.Byte()
	m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	m.Start, m.Limit, m.Offset = r.Uvarint(), r.Uvarint(), r.Uvarint()
	m.File, m.BuildID = d.readString(r), d.readString(r)
	return m
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
