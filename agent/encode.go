package agent

import (
	"encoding/binary"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// A profileEncoder writes a profile: each thing when it first occurs, and the strings at the end.
type profileEncoder struct {
	out       []byte
	strings   map[string]uint64
	table     []string
	functions map[[2]uint64]uint64 // by name and file
	locations map[location]uint64
}

// location is a line of a function.
type location struct{ function, line uint64 }

// newProfileEncoder begins a profile with sample types, each a type and a unit.
func newProfileEncoder(sampleTypes ...[2]string) *profileEncoder {
	w := &profileEncoder{strings: map[string]uint64{"": 0}, table: []string{""}, functions: make(map[[2]uint64]uint64), locations: make(map[location]uint64)}
	for _, t := range sampleTypes {
		w.valueType(encoded.FieldSampleType, t[0], t[1])
	}
	return w
}

func (w *profileEncoder) valueType(field int, typ, unit string) {
	w.out = encoded.AppendMessage(w.out, field, encoded.AppendNumber(encoded.AppendNumber(nil, 1, w.string(typ)), 2, w.string(unit)))
}

// finish ends the profile and returns it.
func (w *profileEncoder) finish() []byte {
	for _, s := range w.table {
		w.out = encoded.AppendMessage(w.out, encoded.FieldString, []byte(s))
	}
	return w.out
}

// add adds a sample with a label. locations are their numbers as they are written.
func (w *profileEncoder) add(locations []byte, label, text string, values ...uint64) {
	var numbers []byte
	for _, v := range values {
		numbers = binary.AppendUvarint(numbers, v)
	}
	m := encoded.AppendMessage(encoded.AppendMessage(nil, encoded.SampleLocation, locations), encoded.SampleValue, numbers)
	of := encoded.AppendNumber(encoded.AppendNumber(nil, 1, w.string(label)), 2, w.string(text))
	w.out = encoded.AppendMessage(w.out, encoded.FieldSample, encoded.AppendMessage(m, encoded.SampleLabel, of))
}

func (w *profileEncoder) string(s string) uint64 {
	i, ok := w.strings[s]
	if !ok {
		i = uint64(len(w.table))
		w.strings[s] = i
		w.table = append(w.table, s)
	}
	return i
}

func (w *profileEncoder) location(function, file string, line int) uint64 {
	key := [2]uint64{w.string(function), w.string(file)}
	f, ok := w.functions[key]
	if !ok {
		f = uint64(len(w.functions)) + 1
		w.functions[key] = f
		m := encoded.AppendNumber(encoded.AppendNumber(nil, encoded.EntryID, f), 2, key[0])
		m = encoded.AppendNumber(encoded.AppendNumber(m, 3, key[0]), 4, key[1])
		w.out = encoded.AppendMessage(w.out, encoded.FieldFunction, m)
	}
	at := location{f, uint64(max(0, line))}
	l, ok := w.locations[at]
	if !ok {
		l = uint64(len(w.locations)) + 1
		w.locations[at] = l
		m := encoded.AppendMessage(encoded.AppendNumber(nil, encoded.EntryID, l), encoded.LocationLine, encoded.AppendNumber(encoded.AppendNumber(nil, encoded.LineFunction, f), 2, at.line))
		w.out = encoded.AppendMessage(w.out, encoded.FieldLocation, m)
	}
	return l
}
