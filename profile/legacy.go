package profile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	gp "github.com/google/pprof/profile"
)

// errNotLegacy is returned for input that has the signature of none of the
// legacy formats. Any other error of decodeLegacy is about a file that does.
var errNotLegacy = errors.New("not a profile in a known format")

// Bounds on legacy input. The parser behind decodeLegacy makes objects of some
// hundred bytes per line and some of its steps take quadratic time, so what it
// may be given is measured before. All bounds are far above real files: those
// are from before 2016 and rarely over a few megabytes.
const (
	legacyMaxRecords   = 4 << 20  // samples, or mappings
	legacyMaxAddresses = 16 << 20 // of all stacks together
	legacyMaxRemap     = 1 << 33  // addresses × mappings: each address searches all mappings
	legacyMaxExpansion = 64 << 20 // bytes of the memory map with its $attributes replaced
	legacyMaxAttrWork  = 1 << 30  // each attribute of the memory map reads all attributes before it
	legacyMaxProto     = 1 << 20  // the parser tries protobuf first; real legacy files fail within bytes
)

// decodeLegacy decodes the formats of profiles before protobuf: binary CPU
// profiles; heap, growth, contention, thread and count profiles in text with
// addresses; Java's variants of them. The caller bounds len(data).
func decodeLegacy(data []byte) (p *Profile, err error) {
	if err := checkLegacy(data); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("malformed legacy profile: %v", r)
		}
	}()
	g, err := gp.ParseData(bytes.Clone(data))
	if err != nil {
		return nil, err
	}
	return fromGoogle(g)
}

// legacyText reports whether data starts like one of the legacy text formats.
func legacyText(data []byte) bool {
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, mark := range [...]string{
			"heap profile:", " profile: total ",
			"--- threadz ", "--- Thread ",
			"--- contentionz ", "--- mutex:", "--- contention:", "--- heapz ",
		} {
			if bytes.Contains(line, []byte(mark)) {
				return true
			}
		}
		break
	}
	return false
}

// legacyBinary returns the words of data if it is a binary CPU profile. That is
// a sequence of words, all of 4 or all of 8 bytes, in the byte order of the
// machine it was taken on:
//
//	0  3  0|1 (Java)  period in µs  0          header
//	count  n  address × n                      per sample, leaf first
//	0  1  0                                    end; the memory map follows as text
func legacyBinary(data []byte) (w words, ok bool) {
	for _, size := range [...]int{4, 8} {
		for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			if w = (words{data, size, order}); w.header() {
				return w, true
			}
		}
	}
	return words{}, false
}

// words reads data as words of a fixed size.
type words struct {
	data  []byte
	size  int
	order binary.ByteOrder
}

// at returns the word at index i; ok is false behind the end of the data.
func (w words) at(i int) (v uint64, ok bool) {
	if i < 0 || (i+1)*w.size > len(w.data) {
		return 0, false
	}
	b := w.data[i*w.size:]
	if w.size == 4 {
		return uint64(w.order.Uint32(b)), true
	}
	return w.order.Uint64(b), true
}

func (w words) header() bool {
	var h [5]uint64
	for i := range h {
		var ok bool
		if h[i], ok = w.at(i); !ok {
			return false
		}
	}
	return h[0] == 0 && h[1] == 3 && h[2] <= 1 && h[3] > 0 && h[4] == 0
}

// measure counts samples and their addresses, and returns the offset behind
// the end marker, or the length of the data if there is none.
func (w words) measure() (samples, addresses, end int) {
	for i := 5; ; {
		count, ok1 := w.at(i)
		n, ok2 := w.at(i + 1)
		if !ok1 || !ok2 || n > uint64(len(w.data)) {
			return samples, addresses, len(w.data)
		}
		if a, ok := w.at(i + 2); ok && count == 0 && n == 1 && a == 0 {
			return samples, addresses, (i + 3) * w.size
		}
		samples++
		addresses += int(n)
		i += 2 + int(n)
	}
}

// checkLegacy refuses input that is in none of the legacy formats, or would
// take the parser too much memory or time.
func checkLegacy(data []byte) error {
	w, binary := legacyBinary(data)
	if !binary && !legacyText(data) {
		return errNotLegacy
	}
	// Binary input that turns out malformed is tried as text too, so that
	// bounds on text hold for all. No part of a text without either of these
	// lines is taken as a memory map.
	cut := len(data)
	for _, mark := range [...]string{"--- Memory map: ---", "MAPPED_LIBRARIES:"} {
		if i := bytes.Index(data[:cut], []byte(mark)); i >= 0 {
			cut = i
		}
	}
	samples := bytes.Count(data[:cut], []byte("\n"))
	addresses := bytes.Count(data[:cut], []byte("0x"))
	if binary {
		s, a, end := w.measure()
		samples, addresses, cut = max(samples, s), max(addresses, a), min(cut, end)
	}
	maps := data[cut:]
	mappings := bytes.Count(maps, []byte("\n")) + 1
	switch {
	case wireLen(data) > legacyMaxProto:
		return errNotLegacy
	case samples > legacyMaxRecords || mappings > legacyMaxRecords:
		return &LimitError{"records in a legacy format", legacyMaxRecords}
	case addresses > legacyMaxAddresses:
		return &LimitError{"addresses in a legacy format", legacyMaxAddresses}
	case int64(addresses)*int64(mappings) > legacyMaxRemap:
		return &LimitError{"pairs of addresses and mappings in a legacy format", legacyMaxRemap}
	}
	return checkAttributes(maps)
}

// checkAttributes bounds the size of a memory map whose attributes are
// replaced: a line "name=value" makes every later "$name" stand for value, also
// within the values of further attributes, so that n lines may describe 2ⁿ bytes.
func checkAttributes(maps []byte) error {
	longest := 0 // upper bound on the length of any value so far
	total, attrBytes, work := 0, 0, 0
	for len(maps) > 0 {
		var line []byte
		line, maps, _ = bytes.Cut(maps, []byte("\n"))
		dollars := bytes.Count(line, []byte("$"))
		size := len(line) + dollars*longest
		total += size
		if dollars > 0 && total > legacyMaxExpansion {
			return &LimitError{"bytes in the memory map", legacyMaxExpansion}
		}
		// A replaced value may bring the "=" along.
		if dollars > 0 || bytes.IndexByte(line, '=') >= 0 {
			longest = max(longest, size)
			attrBytes += size
			work += attrBytes
			if work > legacyMaxAttrWork {
				return &LimitError{"attribute bytes in the memory map", legacyMaxAttrWork}
			}
		}
	}
	return nil
}

// wireLen returns how many bytes at the start of data are well-formed protobuf fields.
func wireLen(data []byte) int {
	i := 0
	for i < len(data) {
		tag, n := lenientVarint(data[i:])
		if n == 0 {
			return i
		}
		next := i + n
		size := uint64(0)
		switch tag & 7 {
		case 0:
			if _, n = lenientVarint(data[next:]); n == 0 {
				return i
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			if size, n = lenientVarint(data[next:]); n == 0 {
				return i
			}
			next += n
		case 5:
			size = 4
		default:
			return i
		}
		if size > uint64(len(data)-next) {
			return i
		}
		i = next + int(size)
	}
	return i
}

// lenientVarint reads a varint of at most 10 bytes whose bits above the 64th
// are lost, and returns its length, 0 if there is none. The reader that wireLen
// predicts is as lenient.
func lenientVarint(b []byte) (v uint64, n int) {
	for n < min(10, len(b)) {
		c := b[n]
		v |= uint64(c&0x7f) << (7 * n)
		n++
		if c < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

// fromGoogle converts g exactly: ids, order and repeated samples stay. The
// result shares nothing with g.
func fromGoogle(g *gp.Profile) (*Profile, error) {
	in := newInterner() // of strings and label sets only
	p := in.p
	str := in.str

	for _, t := range g.SampleType {
		p.SampleTypes = append(p.SampleTypes, ValueType{t.Type, t.Unit})
	}
	p.DefaultSampleType = g.DefaultSampleType
	if t := g.PeriodType; t != nil {
		p.PeriodType = ValueType{t.Type, t.Unit}
	}
	p.Period = g.Period
	p.TimeNanos, p.DurationNanos = g.TimeNanos, g.DurationNanos
	p.Comments = slices.Clone(g.Comments)
	p.DocURL = g.DocURL
	p.DropFrames, p.KeepFrames = g.DropFrames, g.KeepFrames

	mappings := make(map[*gp.Mapping]uint32, len(g.Mapping))
	for i, m := range g.Mapping {
		p.Mappings = append(p.Mappings, Mapping{
			ID: m.ID, Start: m.Start, Limit: m.Limit, Offset: m.Offset,
			File: strings.Clone(m.File), BuildID: strings.Clone(m.BuildID),
			HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames,
			HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
		})
		mappings[m] = uint32(i + 1)
	}
	functions := make(map[*gp.Function]uint32, len(g.Function))
	for i, f := range g.Function {
		p.Functions = append(p.Functions, Function{str(f.Name), str(f.SystemName), str(f.Filename), f.StartLine})
		functions[f] = uint32(i)
	}
	locations := make(map[*gp.Location]uint32, len(g.Location))
	for i, l := range g.Location {
		loc := Location{
			ID: l.ID, Address: l.Address, Folded: l.IsFolded,
			FirstLine: uint32(len(p.Lines)), NumLines: uint32(len(l.Line)),
		}
		if l.Mapping != nil {
			m, ok := mappings[l.Mapping]
			if !ok {
				return nil, &SyntaxError{-1, fmt.Sprintf("location %d refers to an unknown mapping", l.ID)}
			}
			loc.Mapping = m
		}
		for _, line := range l.Line {
			f, ok := functions[line.Function]
			if !ok {
				return nil, &SyntaxError{-1, fmt.Sprintf("location %d refers to an unknown function", l.ID)}
			}
			p.Lines = append(p.Lines, Line{f, line.Line, line.Column})
		}
		p.Locations = append(p.Locations, loc)
		locations[l] = uint32(i)
	}

	frames := 0
	for _, s := range g.Sample {
		frames += len(s.Location)
	}
	if frames > math.MaxUint32 {
		return nil, &LimitError{"frames", math.MaxUint32}
	}
	p.Frames = make([]uint32, 0, frames)
	p.Stacks = make([]Stack, len(g.Sample))
	p.Values = make([][]int64, len(g.SampleType))
	for t := range p.Values {
		p.Values[t] = make([]int64, len(g.Sample))
	}
	var labels []Label
	for s, sample := range g.Sample {
		if len(sample.Value) != len(p.Values) {
			return nil, &SyntaxError{-1, fmt.Sprintf("sample %d has %d values, not %d", s, len(sample.Value), len(p.Values))}
		}
		for t, v := range sample.Value {
			p.Values[t][s] = v
		}
		p.Stacks[s] = Stack{uint32(len(p.Frames)), uint32(len(sample.Location))}
		for _, l := range sample.Location {
			i, ok := locations[l]
			if !ok {
				return nil, &SyntaxError{-1, fmt.Sprintf("sample %d refers to an unknown location", s)}
			}
			p.Frames = append(p.Frames, i)
		}
		labels = appendGoogleLabels(labels[:0], in, sample)
		if len(labels) > 0 && p.SampleLabels == nil {
			p.SampleLabels = make([]uint32, len(g.Sample))
		}
		if p.SampleLabels != nil {
			p.SampleLabels[s] = in.labelSet(labels)
		}
	}
	return p, nil
}

// appendGoogleLabels appends the labels of s in the order LabelSet tells.
func appendGoogleLabels(labels []Label, in *interner, s *gp.Sample) []Label {
	for key, values := range s.Label {
		k := in.str(key)
		for _, v := range values {
			labels = append(labels, Label{Key: k, Str: in.str(v)})
		}
	}
	for key, values := range s.NumLabel {
		k := in.str(key)
		units := s.NumUnit[key]
		for i, v := range values {
			l := Label{Key: k, Numeric: true, Num: v}
			if len(units) == len(values) {
				l.HasUnit, l.Unit = true, in.str(units[i])
			}
			labels = append(labels, l)
		}
	}
	canonicalLabels(labels, in.p.Strings)
	return labels
}
