package agent

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// rawProfile is a profile as runtime/pprof writes it, with its tables as the
// encoded messages they are. Profiles are subtracted here without package
// profile of this module, so that importing the agent brings in no other
// package. The format is that of
// https://github.com/google/pprof/blob/main/proto/profile.proto.
type rawProfile struct {
	strings     []string
	sampleTypes []valueType
	samples     []rawSample
	mappings    []rawEntry
	locations   []rawEntry
	functions   []rawEntry
	periodType  valueType
	period      uint64
	defaultType uint64 // string
	comments    []uint64
	dropFrames  uint64 // string
	keepFrames  uint64 // string

	timeNanos, durationNanos int64
}

type valueType struct{ typ, unit uint64 } // strings

type rawSample struct {
	locations []uint64
	values    []int64
	labels    [][]field
}

// rawEntry is a mapping, location or function.
type rawEntry struct {
	id     uint64
	fields []field // without the id
}

// field is a field of a message: a number, or a message in a location's lines.
type field struct {
	number int
	value  uint64
	line   []field
}

// Field numbers of profile.proto, and which of them are strings.
const (
	fieldSampleType, fieldSample, fieldMapping, fieldLocation = 1, 2, 3, 4
	fieldFunction, fieldString, fieldDrop, fieldKeep          = 5, 6, 7, 8
	fieldTime, fieldDuration, fieldPeriodType, fieldPeriod    = 9, 10, 11, 12
	fieldComment, fieldDefaultType                            = 13, 14

	sampleLocation, sampleValue, sampleLabel = 1, 2, 3
	entryID                                  = 1
	locationMapping, locationAddress         = 2, 3
	locationLine                             = 4
	lineFunction                             = 1
)

var (
	mappingStrings  = map[int]bool{5: true, 6: true}
	functionStrings = map[int]bool{2: true, 3: true, 4: true}
	labelStrings    = map[int]bool{1: true, 2: true, 4: true}
)

var errMalformed = errors.New("malformed profile")

// parseRaw reads a gzipped profile.
func parseRaw(r io.Reader) (*rawProfile, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	p := &rawProfile{}
	err = eachField(data, func(number int, value uint64, message []byte) error {
		switch number {
		case fieldSampleType:
			t, err := parseValueType(message)
			p.sampleTypes = append(p.sampleTypes, t)
			return err
		case fieldPeriodType:
			p.periodType, err = parseValueType(message)
			return err
		case fieldSample:
			s, err := parseSample(message)
			p.samples = append(p.samples, s)
			return err
		case fieldMapping:
			return addEntry(&p.mappings, message, 0)
		case fieldLocation:
			return addEntry(&p.locations, message, locationLine)
		case fieldFunction:
			return addEntry(&p.functions, message, 0)
		case fieldString:
			p.strings = append(p.strings, string(message))
		case fieldDrop:
			p.dropFrames = value
		case fieldKeep:
			p.keepFrames = value
		case fieldTime:
			p.timeNanos = int64(value)
		case fieldDuration:
			p.durationNanos = int64(value)
		case fieldPeriod:
			p.period = value
		case fieldDefaultType:
			p.defaultType = value
		case fieldComment:
			return eachNumber(value, message, func(v uint64) { p.comments = append(p.comments, v) })
		}
		return nil
	})
	if err == nil && len(p.strings) == 0 {
		err = errMalformed
	}
	return p, err
}

func parseValueType(data []byte) (t valueType, err error) {
	err = eachField(data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 1:
			t.typ = value
		case 2:
			t.unit = value
		}
		return nil
	})
	return t, err
}

func parseSample(data []byte) (s rawSample, err error) {
	err = eachField(data, func(number int, value uint64, message []byte) error {
		switch number {
		case sampleLocation:
			return eachNumber(value, message, func(v uint64) { s.locations = append(s.locations, v) })
		case sampleValue:
			return eachNumber(value, message, func(v uint64) { s.values = append(s.values, int64(v)) })
		case sampleLabel:
			label, err := parseFields(message, 0)
			s.labels = append(s.labels, label)
			return err
		}
		return nil
	})
	return s, err
}

func addEntry(entries *[]rawEntry, data []byte, nested int) error {
	fields, err := parseFields(data, nested)
	var e rawEntry
	for _, f := range fields {
		if f.number == entryID {
			e.id = f.value
		} else {
			e.fields = append(e.fields, f)
		}
	}
	*entries = append(*entries, e)
	return err
}

// parseFields reads a message of numbers and, in field nested, of messages.
func parseFields(data []byte, nested int) (fields []field, err error) {
	err = eachField(data, func(number int, value uint64, message []byte) (err error) {
		f := field{number: number, value: value}
		if number == nested {
			f.line, err = parseFields(message, 0)
		} else if message != nil {
			err = errMalformed
		}
		fields = append(fields, f)
		return err
	})
	return fields, err
}

// eachField calls f with each field of a message: its number, and its value or
// bytes, which are nil for a number.
func eachField(data []byte, f func(number int, value uint64, message []byte) error) error {
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		if n <= 0 || key>>3 > math.MaxInt32 {
			return errMalformed
		}
		data = data[n:]
		value, n := binary.Uvarint(data)
		if n <= 0 {
			return errMalformed
		}
		data = data[n:]
		var message []byte
		switch key & 7 {
		case 0:
		case 2:
			if value > uint64(len(data)) {
				return errMalformed
			}
			message, data = data[:value:value], data[value:]
		default:
			return fmt.Errorf("%w: wire type %d", errMalformed, key&7)
		}
		if err := f(int(key>>3), value, message); err != nil {
			return err
		}
	}
	return nil
}

// eachNumber calls f with the numbers of a repeated field, packed or not.
func eachNumber(value uint64, packed []byte, f func(uint64)) error {
	if packed == nil {
		f(value)
		return nil
	}
	for len(packed) > 0 {
		v, n := binary.Uvarint(packed)
		if n <= 0 {
			return errMalformed
		}
		f(v)
		packed = packed[n:]
	}
	return nil
}

// difference returns what to has more than from, a profile of the same kind
// taken earlier. Samples without any difference are left out; values can be
// negative, as for memory freed in between. The result takes over to's header.
func difference(from, to *rawProfile) *rawProfile {
	b := deltaBuilder{
		ids:     make(map[string]uint64),
		samples: make(map[string]int),
		out:     &rawProfile{},
	}
	b.string("")
	b.add(from, -1)
	b.add(to, 1)

	out := b.out
	s := func(i uint64) uint64 { return b.string(to.string(i)) }
	for _, t := range to.sampleTypes {
		out.sampleTypes = append(out.sampleTypes, valueType{s(t.typ), s(t.unit)})
	}
	out.periodType = valueType{s(to.periodType.typ), s(to.periodType.unit)}
	out.period = to.period
	out.defaultType = s(to.defaultType)
	out.dropFrames, out.keepFrames = s(to.dropFrames), s(to.keepFrames)
	for _, c := range to.comments {
		out.comments = append(out.comments, s(c))
	}
	out.timeNanos = to.timeNanos
	out.durationNanos = to.timeNanos - from.timeNanos
	out.prune()
	return out
}

// deltaBuilder unites the tables of two profiles. Two entries are the same if
// they have the same content in terms of the united tables.
type deltaBuilder struct {
	ids     map[string]uint64 // by kind and content; a string's id is its index
	samples map[string]int    // index in out.samples by locations and labels
	out     *rawProfile
}

func (p *rawProfile) string(i uint64) string {
	if i >= uint64(len(p.strings)) {
		return ""
	}
	return p.strings[i]
}

func (b *deltaBuilder) string(s string) uint64 {
	key := "s" + s
	id, ok := b.ids[key]
	if !ok {
		id = uint64(len(b.out.strings))
		b.ids[key] = id
		b.out.strings = append(b.out.strings, s)
	}
	return id
}

// entry returns the id of an entry with the given fields in one of the tables.
func (b *deltaBuilder) entry(table *[]rawEntry, kind string, fields []field) uint64 {
	key := kind + string(appendFields(nil, fields))
	id, ok := b.ids[key]
	if !ok {
		id = uint64(len(*table)) + 1
		b.ids[key] = id
		*table = append(*table, rawEntry{id, fields})
	}
	return id
}

func (b *deltaBuilder) add(p *rawProfile, sign int64) {
	mappings := make(map[uint64]uint64)
	for _, m := range p.mappings { // in order: the first is the program itself
		mappings[m.id] = b.entry(&b.out.mappings, "m", b.unite(p, m.fields, mappingStrings))
	}
	functions := make(map[uint64]uint64)
	for _, f := range p.functions {
		functions[f.id] = b.entry(&b.out.functions, "f", b.unite(p, f.fields, functionStrings))
	}
	locations := make(map[uint64]uint64)
	for _, l := range p.locations {
		fields := b.unite(p, l.fields, nil)
		for i, f := range fields {
			switch f.number {
			case locationMapping:
				fields[i].value = mappings[f.value]
			case locationLine:
				line := b.unite(p, f.line, nil)
				for j, lf := range line {
					if lf.number == lineFunction {
						line[j].value = functions[lf.value]
					}
				}
				// The length that introduces it is computed when written.
				fields[i] = field{number: locationLine, line: line}
			}
		}
		locations[l.id] = b.entry(&b.out.locations, "l", fields)
	}
	for _, s := range p.samples {
		united := rawSample{values: make([]int64, len(s.values))}
		var key []byte
		for _, l := range s.locations {
			united.locations = append(united.locations, locations[l])
			key = binary.AppendUvarint(key, locations[l])
		}
		key = append(key, 0) // no location has this id
		for _, label := range s.labels {
			l := b.unite(p, label, labelStrings)
			united.labels = append(united.labels, l)
			key = append(appendFields(key, l), 0)
		}
		i, ok := b.samples[string(key)]
		if !ok {
			i = len(b.out.samples)
			b.samples[string(key)] = i
			b.out.samples = append(b.out.samples, united)
		}
		sum := b.out.samples[i].values
		for j, v := range s.values[:min(len(sum), len(s.values))] {
			sum[j] += sign * v
		}
	}
}

// unite returns a copy of fields of p whose strings are the united ones.
func (b *deltaBuilder) unite(p *rawProfile, fields []field, isString map[int]bool) []field {
	out := make([]field, len(fields))
	for i, f := range fields {
		if isString[f.number] {
			f.value = b.string(p.string(f.value))
		}
		out[i] = f
	}
	return out
}

// prune removes samples of nothing, and what only they refer to. Strings stay.
func (p *rawProfile) prune() {
	usedLocations := make(map[uint64]bool)
	kept := p.samples[:0]
	for _, s := range p.samples {
		zero := true
		for _, v := range s.values {
			zero = zero && v == 0
		}
		if zero {
			continue
		}
		kept = append(kept, s)
		for _, l := range s.locations {
			usedLocations[l] = true
		}
	}
	p.samples = kept
	usedFunctions := make(map[uint64]bool)
	p.locations = keep(p.locations, usedLocations)
	for _, l := range p.locations {
		for _, f := range l.fields {
			for _, lf := range f.line {
				if lf.number == lineFunction {
					usedFunctions[lf.value] = true
				}
			}
		}
	}
	p.functions = keep(p.functions, usedFunctions)
}

func keep(entries []rawEntry, used map[uint64]bool) []rawEntry {
	kept := entries[:0]
	for _, e := range entries {
		if used[e.id] {
			kept = append(kept, e)
		}
	}
	return kept
}

// write writes the profile gzipped.
func (p *rawProfile) write(w io.Writer) error {
	var b []byte
	number := func(n int, v uint64) {
		if v != 0 {
			b = appendNumber(b, n, v)
		}
	}
	valueMessage := func(n int, t valueType) {
		b = appendMessage(b, n, appendNumber(appendNumber(nil, 1, t.typ), 2, t.unit))
	}
	for _, t := range p.sampleTypes {
		valueMessage(fieldSampleType, t)
	}
	for _, s := range p.samples {
		var locations, values []byte
		for _, l := range s.locations {
			locations = binary.AppendUvarint(locations, l)
		}
		for _, v := range s.values {
			values = binary.AppendUvarint(values, uint64(v))
		}
		m := appendMessage(appendMessage(nil, sampleLocation, locations), sampleValue, values)
		for _, label := range s.labels {
			m = appendMessage(m, sampleLabel, appendFields(nil, label))
		}
		b = appendMessage(b, fieldSample, m)
	}
	for _, table := range []struct {
		number  int
		entries []rawEntry
	}{{fieldMapping, p.mappings}, {fieldLocation, p.locations}, {fieldFunction, p.functions}} {
		for _, e := range table.entries {
			b = appendMessage(b, table.number, appendFields(appendNumber(nil, entryID, e.id), e.fields))
		}
	}
	for _, s := range p.strings {
		b = appendMessage(b, fieldString, []byte(s))
	}
	number(fieldDrop, p.dropFrames)
	number(fieldKeep, p.keepFrames)
	number(fieldTime, uint64(p.timeNanos))
	number(fieldDuration, uint64(p.durationNanos))
	valueMessage(fieldPeriodType, p.periodType)
	number(fieldPeriod, p.period)
	for _, c := range p.comments {
		b = appendNumber(b, fieldComment, c)
	}
	number(fieldDefaultType, p.defaultType)

	z := gzip.NewWriter(w)
	if _, err := z.Write(b); err != nil {
		return err
	}
	return z.Close()
}

func appendFields(b []byte, fields []field) []byte {
	for _, f := range fields {
		if f.line != nil {
			b = appendMessage(b, f.number, appendFields(nil, f.line))
		} else {
			b = appendNumber(b, f.number, f.value)
		}
	}
	return b
}

func appendNumber(b []byte, number int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(number)<<3), v)
}

func appendMessage(b []byte, number int, message []byte) []byte {
	b = binary.AppendUvarint(b, uint64(number)<<3|2)
	b = binary.AppendUvarint(b, uint64(len(message)))
	return append(b, message...)
}
