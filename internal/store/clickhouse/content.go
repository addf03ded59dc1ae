package clickhouse

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Kinds of rows in the dictionary.
const (
	ofSeries   = 1 + iota // labels of profiles
	ofHeader              // a profile without its samples
	ofMapping             // a binary
	ofLocation            // a place in a binary, with its lines
	ofLabels              // labels of samples
	ofSite                // a stack with labels of samples
)

// contentSum returns a checksum that differs for different contents of the same number. For
// mappings it is 0, because their load addresses depend on the process.
func contentSum(what uint8, content []byte) uint64 {
	if what == ofMapping {
		return 0
	}
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:])
}

// Contents. Numbers of things are 8 bytes, little-endian; other numbers are varints,
// those of int64 zigzag; a string is its length and its bytes.
//
//	series    (name string, value string)...
//	header    types uvarint, (type string, unit string)..., period type string, its unit string, default type string,
//	          url string, drop string, keep string, period int64, comments uvarint, string..., main mapping number or 0
//	mapping   flags uint8, start, limit, offset uvarint, file string, build id string
//	location  mapping number or 0, address in it uvarint, folded uint8, lines uvarint,
//	          (name string, system name string, file string, start line, line, column int64)...
//	labels    count uvarint, (flags uint8, key string, value string, unit string, number int64)...
//	site      labels number or 0, location number..., leaf first

func appendMapping(b []byte, m *profile.Mapping) []byte {
	flags := byte(0)
	for i, f := range [...]bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	for _, v := range [...]uint64{m.Start, m.Limit, m.Offset} {
		b = binary.AppendUvarint(b, v)
	}
	return appendString(appendString(b, m.File), m.BuildID)
}

func readMapping(r *reader) (m profile.Mapping) {
	flags := r.byte()
	m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	m.Start, m.Limit, m.Offset = r.uvarint(), r.uvarint(), r.uvarint()
	m.File, m.BuildID = r.string(), r.string()
	return m
}

func appendLocation(b []byte, p *profile.Profile, mapping, address uint64, folded bool, lines []profile.Line) []byte {
	b = binary.LittleEndian.AppendUint64(b, mapping)
	b = binary.AppendUvarint(b, address)
	if folded {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(lines)))
	for _, ln := range lines {
		f := &p.Functions[ln.Function]
		b = appendString(appendString(appendString(b, p.Strings[f.Name]), p.Strings[f.SystemName]), p.Strings[f.File])
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, f.StartLine), ln.Line), ln.Column)
	}
	return b
}

func labelFlags(l *profile.Label) (flags uint8) {
	if l.Numeric {
		flags = 1
	}
	if l.HasUnit {
		flags |= 2
	}
	return flags
}

func appendLabels(b []byte, strings []string, labels []profile.Label) []byte {
	b = binary.AppendUvarint(b, uint64(len(labels)))
	for i := range labels {
		l := &labels[i]
		b = append(b, labelFlags(l))
		b = appendString(appendString(appendString(b, strings[l.Key]), strings[l.Str]), strings[l.Unit])
		b = binary.AppendVarint(b, l.Num)
	}
	return b
}

func appendHeader(b []byte, p *profile.Profile, mainMapping uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.SampleTypes)))
	for _, t := range p.SampleTypes {
		b = appendString(appendString(b, t.Type), t.Unit)
	}
	for _, s := range [...]string{p.PeriodType.Type, p.PeriodType.Unit, p.DefaultSampleType, p.DocURL, p.DropFrames, p.KeepFrames} {
		b = appendString(b, s)
	}
	b = binary.AppendVarint(b, p.Period)
	b = binary.AppendUvarint(b, uint64(len(p.Comments)))
	for _, c := range p.Comments {
		b = appendString(b, c)
	}
	return binary.LittleEndian.AppendUint64(b, mainMapping)
}

// A header is a profile without its samples.
type header struct {
	profile.Profile // without samples
	number          uint64
	mainMapping     uint64 // number, 0 for none
}

// measures reports whether profiles with the headers h and o can be added up: they have the
// same sample types and period type.
func (h *header) measures(o *header) bool {
	return h.PeriodType == o.PeriodType && slices.Equal(h.SampleTypes, o.SampleTypes)
}

func readHeader(r *reader) *header {
	h := &header{}
	h.SampleTypes = make([]profile.ValueType, r.count(2))
	for i := range h.SampleTypes {
		h.SampleTypes[i] = profile.ValueType{Type: r.string(), Unit: r.string()}
	}
	h.PeriodType = profile.ValueType{Type: r.string(), Unit: r.string()}
	h.DefaultSampleType, h.DocURL, h.DropFrames, h.KeepFrames = r.string(), r.string(), r.string(), r.string()
	h.Period = r.varint()
	if n := r.count(1); n > 0 {
		h.Comments = make([]string, n)
		for i := range h.Comments {
			h.Comments[i] = r.string()
		}
	}
	h.mainMapping = r.number()
	return h
}

func readSeries(r *reader) (labels store.Labels) {
	for r.err == nil && len(r.b) > 0 {
		labels = append(labels, store.Label{Name: r.string(), Value: r.string()})
	}
	return labels
}

// A reader decodes contents. After an error, it returns zeros.
type reader struct {
	b   []byte
	err error
}

var errContent = errors.New("it ends too early or says what it can't mean")

func (r *reader) fail() {
	r.b, r.err = nil, errContent
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) number() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the number of entries that follow, each of least bytes or more. It fails if they
// can't fit in the remaining bytes.
func (r *reader) count(least int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/least) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
