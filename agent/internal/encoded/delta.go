package encoded

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
)

// Totals are the values that the samples of a growing profile had the last
// time: some 32 bytes a sample, all that is kept of it until the next.
type Totals struct {
	index  map[uint64]int // of samples by a hash of the stack and its labels
	values []int64        // of each sample those of its columns
	n      int            // columns
}

// Empty reports whether nothing has been counted yet.
func (t *Totals) Empty() bool { return len(t.index) == 0 }

// of returns the values of a sample, none if it isn't there. They are the
// totals' own.
func (t *Totals) of(key uint64) []int64 {
	i, ok := t.index[key]
	if !ok {
		return nil
	}
	return t.values[i*t.n : (i+1)*t.n]
}

// keySeed makes the hashes. With n samples two of them collide, and take each
// other's values, with a probability of n*n/2^65: 1 in 10^11 for 10,000.
var keySeed = maphash.MakeSeed()

const allColumns = math.MaxInt

// Columns returns the profile raw reduced to the sample types from column first
// on, of which there are n, and the number of its samples. With last, values
// are those since last, which is updated. Samples of nothing are left out, and
// all that only they refer to; an unused string is left empty, so that others
// keep their numbers. Times are left to the caller.
func Columns(raw []byte, first, n int, last *Totals) (out []byte, samples int, err error) {
	to, err := readPart(raw, first, n)
	if err != nil {
		return nil, 0, err
	}
	var since Totals
	if last != nil {
		since, *last = *last, to.Totals
	}
	w := deltaWriter{out: make([]byte, 0, len(raw)/2), strings: to.strings, used: make([]bool, len(to.strings))}
	if err := w.write(to, &since); err != nil {
		return nil, 0, err
	}
	return w.end(), w.samples, nil
}

// Difference returns what the profile to has more than from, one of the same
// kind and process taken earlier. Unlike with Columns, values may shrink:
// samples that only from has are in it too, negative.
func Difference(from, to []byte) ([]byte, error) {
	a, err := readPart(from, 0, allColumns)
	if err != nil {
		return nil, err
	}
	b, err := readPart(to, 0, allColumns)
	if err != nil {
		return nil, err
	}
	if a.n != b.n {
		return nil, errMalformed
	}
	w := deltaWriter{out: make([]byte, 0, len(to)), strings: b.strings, used: make([]bool, len(b.strings))}
	if err := w.write(b, &a.Totals); err != nil {
		return nil, err
	}
	if err := w.writeGone(a, &b.Totals); err != nil {
		return nil, err
	}
	return w.end(), nil
}

// part is a profile reduced to some of its sample types. What is in its tables
// and samples is read again when it is written: few are.
type part struct {
	raw       []byte
	first     int
	whole     bool // it has all sample types
	strings   [][]byte
	locations map[uint64]place
	functions []uint64 // of all locations
	samples   []partSample
	Totals    // of samples, in their order
}

// place is what a location is: Two profiles of a process number locations
// differently, but their addresses are the same.
type place struct {
	address  uint64
	from, to int // in functions
}

type partSample struct {
	key     uint64
	message []byte
}

func readPart(raw []byte, first, n int) (*part, error) {
	p := &part{raw: raw, first: first, locations: make(map[uint64]place)}
	types, samples := 0, 0
	err := EachField(raw, func(number int, _ uint64, message []byte) error {
		switch number {
		case FieldSampleType:
			types++
		case FieldSample:
			samples++
		case FieldString:
			p.strings = append(p.strings, message)
		case FieldLocation:
			return p.addLocation(message)
		}
		return nil
	})
	if err == nil && (len(p.strings) == 0 || types <= first) {
		err = errMalformed
	}
	if err != nil {
		return nil, err
	}
	p.n = min(n, types-first)
	p.whole = p.n == types
	p.samples = make([]partSample, 0, samples)
	p.index = make(map[uint64]int, samples)
	p.values = make([]int64, 0, samples*p.n)
	return p, p.readSamples()
}

func (p *part) addLocation(message []byte) error {
	var id uint64
	at := place{from: len(p.functions)}
	err := EachField(message, func(number int, value uint64, line []byte) error {
		switch number {
		case EntryID:
			id = value
		case LocationAddress:
			at.address = value
		case LocationLine:
			return EachField(line, func(number int, value uint64, _ []byte) error {
				if number == LineFunction {
					p.functions = append(p.functions, value)
				}
				return nil
			})
		}
		return nil
	})
	at.to = len(p.functions)
	p.locations[id] = at
	return err
}

// readSamples reads the samples, those with the same stack and labels as one.
func (p *part) readSamples() error {
	var key []byte
	values := make([]int64, p.n)
	return EachField(p.raw, func(number int, _ uint64, message []byte) error {
		if number != FieldSample {
			return nil
		}
		key = key[:0]
		clear(values)
		column := -p.first
		err := EachField(message, func(number int, value uint64, message []byte) error {
			switch number {
			case SampleLocation:
				return EachNumber(value, message, func(id uint64) {
					key = binary.LittleEndian.AppendUint64(key, p.locations[id].address)
				})
			case SampleValue:
				return EachNumber(value, message, func(v uint64) {
					if column >= 0 && column < p.n {
						values[column] = int64(v)
					}
					column++
				})
			case SampleLabel:
				return EachField(message, func(number int, value uint64, _ []byte) error {
					key = binary.AppendUvarint(key, uint64(number))
					if labelStrings.has(number) && value < uint64(len(p.strings)) {
						key = binary.AppendUvarint(key, uint64(len(p.strings[value])))
						key = append(key, p.strings[value]...)
						return nil
					}
					key = binary.AppendUvarint(key, value)
					return nil
				})
			}
			return nil
		})
		s := partSample{maphash.Bytes(keySeed, key), message}
		if sum := p.of(s.key); sum != nil {
			for c, v := range values {
				sum[c] += v
			}
			return err
		}
		p.index[s.key] = len(p.samples)
		p.samples = append(p.samples, s)
		p.values = append(p.values, values...)
		return err
	})
}

// deltaWriter writes a profile, its strings at the end.
type deltaWriter struct {
	out     []byte
	samples int
	strings [][]byte
	used    []bool // of strings
}

func (w *deltaWriter) use(s uint64) {
	if s < uint64(len(w.used)) {
		w.used[s] = true
	}
}

func (w *deltaWriter) end() []byte {
	for i, s := range w.strings {
		if !w.used[i] {
			s = nil
		}
		w.out = AppendMessage(w.out, FieldString, s)
	}
	return w.out
}

// write writes p with the values since. Its samples and tables stay as they are
// but for those that are left out. The default sample type goes unless all are
// there.
func (w *deltaWriter) write(p *part, since *Totals) error {
	usedLocations, usedFunctions := make(map[uint64]bool), make(map[uint64]bool)
	useLocation := func(id uint64) {
		if !usedLocations[id] {
			usedLocations[id] = true
			at := p.locations[id]
			for _, f := range p.functions[at.from:at.to] {
				usedFunctions[f] = true
			}
		}
	}
	delta := make([]int64, p.n)
	var sample []byte
	for _, s := range p.samples {
		copy(delta, p.of(s.key))
		for c, v := range since.of(s.key) {
			delta[c] -= v
		}
		if isZero(delta) {
			continue
		}
		w.samples++
		sample = appendValues(sample[:0], delta)
		if err := EachField(s.message, func(number int, value uint64, message []byte) error {
			switch number {
			case SampleValue:
				return nil
			case SampleLocation:
				if err := EachNumber(value, message, useLocation); err != nil {
					return err
				}
			case SampleLabel:
				if err := w.useStrings(message, labelStrings); err != nil {
					return err
				}
			}
			sample = appendField(sample, number, value, message)
			return nil
		}); err != nil {
			return err
		}
		w.out = AppendMessage(w.out, FieldSample, sample)
	}

	column := -p.first
	return EachField(p.raw, func(number int, value uint64, message []byte) error {
		switch number {
		case FieldSample, FieldString, FieldTime, FieldDuration:
			return nil
		case FieldSampleType:
			column++
			if column <= 0 || column > p.n {
				return nil
			}
		case FieldLocation:
			if !usedLocations[idOf(message)] {
				return nil
			}
		case FieldFunction:
			if !usedFunctions[idOf(message)] {
				return nil
			}
		case FieldDefaultType:
			if !p.whole {
				return nil
			}
			w.use(value)
		case FieldDrop, FieldKeep:
			w.use(value)
		case FieldComment:
			if err := EachNumber(value, message, w.use); err != nil {
				return err
			}
		}
		w.out = appendField(w.out, number, value, message)
		if number < len(stringFields) {
			return w.useStrings(message, stringFields[number])
		}
		return nil
	})
}

func (w *deltaWriter) useStrings(message []byte, strings fields) error {
	if strings == 0 {
		return nil
	}
	return EachField(message, func(number int, value uint64, _ []byte) error {
		if strings.has(number) {
			w.use(value)
		}
		return nil
	})
}

func isZero(values []int64) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

func appendValues(sample []byte, values []int64) []byte {
	var packed [8 * binary.MaxVarintLen64]byte
	b := packed[:0]
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return AppendMessage(sample, SampleValue, b)
}

// idOf returns the number of a mapping, location or function.
func idOf(message []byte) (id uint64) {
	_ = EachField(message, func(number int, value uint64, _ []byte) error {
		if number == EntryID {
			id = value
		}
		return nil
	})
	return id
}

// writeGone adds the samples of p that are not in now, negative. What they refer
// to is written again where it isn't there yet.
func (w *deltaWriter) writeGone(p *part, now *Totals) error {
	var j *joiner
	delta := make([]int64, p.n)
	for _, s := range p.samples {
		if now.of(s.key) != nil {
			continue
		}
		for c, v := range p.of(s.key) {
			delta[c] = -v
		}
		if isZero(delta) {
			continue
		}
		if j == nil { // most profiles lose no samples
			var err error
			if j, err = newJoiner(w, p); err != nil {
				return err
			}
		}
		w.samples++
		sample := j.translate(appendValues(nil, delta), messageSample, s.message)
		w.out = AppendMessage(w.out, FieldSample, sample)
	}
	return nil
}

// joiner writes messages of one profile into another, in terms of its tables.
type joiner struct {
	w       *deltaWriter
	from    *part
	entries map[entry][]byte  // of from
	ids     map[entry]uint64  // in w, of those entries that are there
	same    map[string]uint64 // ids in w by kind and content; a string's id is its index
	last    uint64            // id in w
}

// entry is one of a table: a mapping, location or function.
type entry struct {
	kind int // number of the table's field
	id   uint64
}

// Kinds of messages inside others. The rest go by the number of their field in a profile.
const messageSample, messageLabel, messageLine = 100, 101, 102

func newJoiner(w *deltaWriter, from *part) (*joiner, error) {
	j := &joiner{w: w, from: from, entries: make(map[entry][]byte), ids: make(map[entry]uint64), same: make(map[string]uint64)}
	for i, s := range w.strings {
		j.same[sameKey(FieldString, s)] = uint64(i)
	}
	err := EachField(w.out, func(number int, _ uint64, message []byte) error {
		if number == FieldMapping || number == FieldLocation || number == FieldFunction {
			id := idOf(message)
			j.last = max(j.last, id)
			// As the runtime writes it, and translate does, the id comes first.
			if content, ok := bytes.CutPrefix(message, AppendNumber(nil, EntryID, id)); ok {
				j.same[sameKey(number, content)] = id
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = EachField(from.raw, func(number int, _ uint64, message []byte) error {
		if number == FieldMapping || number == FieldLocation || number == FieldFunction {
			j.entries[entry{number, idOf(message)}] = message
		}
		return nil
	})
	return j, err
}

func sameKey(kind int, content []byte) string { return string(rune(kind)) + string(content) }

// translate appends a message of from, without its id if it is an entry, and
// without values if it is a sample.
func (j *joiner) translate(b []byte, kind int, message []byte) []byte {
	_ = EachField(message, func(number int, v uint64, m []byte) error {
		switch {
		case kind == messageSample && number == SampleLocation:
			var locations []byte
			err := EachNumber(v, m, func(id uint64) { locations = binary.AppendUvarint(locations, j.entry(FieldLocation, id)) })
			b = AppendMessage(b, number, locations)
			return err
		case kind == messageSample && number == SampleLabel:
			b = AppendMessage(b, number, j.translate(nil, messageLabel, m))
		case kind == messageSample:
		case kind == messageLabel && labelStrings.has(number), kind < len(stringFields) && stringFields[kind].has(number):
			b = AppendNumber(b, number, j.string(v))
		case kind == FieldLocation && number == LocationMapping:
			b = AppendNumber(b, number, j.entry(FieldMapping, v))
		case kind == FieldLocation && number == LocationLine:
			b = AppendMessage(b, number, j.translate(nil, messageLine, m))
		case kind == messageLine && number == LineFunction:
			b = AppendNumber(b, number, j.entry(FieldFunction, v))
		case kind < messageSample && number == EntryID:
		default:
			b = appendField(b, number, v, m)
		}
		return nil
	})
	return b
}

func (j *joiner) string(i uint64) uint64 {
	var s []byte
	if i < uint64(len(j.from.strings)) {
		s = j.from.strings[i]
	}
	key := sameKey(FieldString, s)
	id, ok := j.same[key]
	if !ok {
		id = uint64(len(j.w.strings))
		j.same[key] = id
		j.w.strings = append(j.w.strings, s)
		j.w.used = append(j.w.used, true)
	}
	j.w.use(id)
	return id
}

// entry returns the id of an entry in w, and writes it where it isn't there yet.
func (j *joiner) entry(kind int, id uint64) uint64 {
	e := entry{kind, id}
	message, ok := j.entries[e]
	if !ok {
		return 0
	}
	there, ok := j.ids[e]
	if ok {
		return there
	}
	content := j.translate(nil, kind, message)
	key := sameKey(kind, content)
	if there, ok = j.same[key]; !ok {
		j.last++
		there = j.last
		j.same[key] = there
		j.w.out = AppendMessage(j.w.out, kind, append(AppendNumber(nil, EntryID, there), content...))
	}
	j.ids[e] = there
	return there
}
