package agent

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/maphash"
	"io"
	"slices"
)

// counters are the values that the samples of a growing profile had the last
// time, by a hash of each stack and its labels. Unlike difference, of two whole
// profiles, it keeps 24 bytes a sample between them and decodes nothing twice.
type counters map[uint64][maxColumns]int64

// maxColumns is how many sample types a profile has after columns has picked.
const maxColumns = 2

// keySeed makes the hashes. With n samples two of them collide, and take each
// other's values, with a probability of n*n/2^65: 1 in 10^11 for 10,000.
var keySeed = maphash.MakeSeed()

// gunzip returns what runtime/pprof wrote.
func gunzip(gz []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// columns returns the profile raw reduced to the sample types from column first
// on, of which there are n, and the number of its samples. With last, values
// are those since last, which is updated. Samples of nothing are left out, and
// all that only they refer to; an unused string is left empty, so that others
// keep their numbers.
func columns(raw []byte, first, n int, last *counters) (out []byte, samples int, err error) {
	t, err := scanTables(raw)
	if err != nil {
		return nil, 0, err
	}
	picked, err := t.pick(raw, first, n)
	if err != nil {
		return nil, 0, err
	}
	if last != nil {
		now := make(counters, len(picked))
		for i := range picked {
			s := &picked[i]
			total := s.values
			now[s.key] = total
			before := (*last)[s.key]
			for c := range n {
				s.values[c] -= before[c]
			}
		}
		*last = now
	}
	picked = slices.DeleteFunc(picked, func(s pickedSample) bool { return s.values == [maxColumns]int64{} })
	out, err = t.write(raw, first, n, picked)
	return out, len(picked), err
}

// tables are the parts of an encoded profile that samples refer to.
type tables struct {
	strings   [][]byte
	addresses map[uint64]uint64   // by location
	functions map[uint64][]uint64 // by location
}

func scanTables(raw []byte) (*tables, error) {
	t := &tables{addresses: make(map[uint64]uint64), functions: make(map[uint64][]uint64)}
	err := eachField(raw, func(number int, _ uint64, message []byte) error {
		switch number {
		case fieldString:
			t.strings = append(t.strings, message)
		case fieldLocation:
			var id, address uint64
			var functions []uint64
			err := eachField(message, func(number int, value uint64, line []byte) error {
				switch number {
				case entryID:
					id = value
				case locationAddress:
					address = value
				case locationLine:
					return eachField(line, func(number int, value uint64, _ []byte) error {
						if number == lineFunction {
							functions = append(functions, value)
						}
						return nil
					})
				}
				return nil
			})
			t.addresses[id], t.functions[id] = address, functions
			return err
		}
		return nil
	})
	if err == nil && len(t.strings) == 0 {
		err = errMalformed
	}
	return t, err
}

// pickedSample is a sample with the values of the columns.
type pickedSample struct {
	key       uint64
	values    [maxColumns]int64
	locations []uint64
	labels    [][]byte
}

// pick returns the samples, those with the same stack and labels as one. Two
// profiles of a process number locations differently, but their addresses are
// the same.
func (t *tables) pick(raw []byte, first, n int) ([]pickedSample, error) {
	var all []pickedSample
	index := make(map[uint64]int)
	var key []byte
	err := eachField(raw, func(number int, _ uint64, message []byte) error {
		if number != fieldSample {
			return nil
		}
		var s pickedSample
		column := 0
		key = key[:0]
		err := eachField(message, func(number int, value uint64, message []byte) error {
			switch number {
			case sampleLocation:
				return eachNumber(value, message, func(id uint64) {
					s.locations = append(s.locations, id)
					key = binary.LittleEndian.AppendUint64(key, t.addresses[id])
				})
			case sampleValue:
				return eachNumber(value, message, func(v uint64) {
					if i := column - first; i >= 0 && i < n {
						s.values[i] = int64(v)
					}
					column++
				})
			case sampleLabel:
				s.labels = append(s.labels, message)
				return eachField(message, func(number int, value uint64, _ []byte) error {
					key = binary.AppendUvarint(key, uint64(number))
					if labelStrings[number] && value < uint64(len(t.strings)) {
						key = binary.AppendUvarint(key, uint64(len(t.strings[value])))
						key = append(key, t.strings[value]...)
						return nil
					}
					key = binary.AppendUvarint(key, value)
					return nil
				})
			}
			return nil
		})
		s.key = maphash.Bytes(keySeed, key)
		if i, ok := index[s.key]; ok {
			for c, v := range s.values {
				all[i].values[c] += v
			}
			return err
		}
		index[s.key] = len(all)
		all = append(all, s)
		return err
	})
	return all, err
}

// write returns raw with the samples replaced. The default sample type goes:
// it may be of a column that is left out. So do times, which the upload tells.
func (t *tables) write(raw []byte, first, n int, samples []pickedSample) ([]byte, error) {
	usedLocations, usedFunctions := make(map[uint64]bool), make(map[uint64]bool)
	usedStrings := make([]bool, len(t.strings))
	use := func(s uint64) {
		if s < uint64(len(usedStrings)) {
			usedStrings[s] = true
		}
	}
	out := make([]byte, 0, len(raw)/2)
	var locations, values, message []byte
	for i := range samples {
		s := &samples[i]
		locations, values = locations[:0], values[:0]
		for _, l := range s.locations {
			locations = binary.AppendUvarint(locations, l)
			if !usedLocations[l] {
				usedLocations[l] = true
				for _, f := range t.functions[l] {
					usedFunctions[f] = true
				}
			}
		}
		for _, v := range s.values[:n] {
			values = binary.AppendUvarint(values, uint64(v))
		}
		message = appendMessage(appendMessage(message[:0], sampleLocation, locations), sampleValue, values)
		for _, label := range s.labels {
			message = appendMessage(message, sampleLabel, label)
			if err := useStrings(label, labelStrings, use); err != nil {
				return nil, err
			}
		}
		out = appendMessage(out, fieldSample, message)
	}
	column := 0
	err := eachField(raw, func(number int, value uint64, message []byte) error {
		switch number {
		case fieldSample, fieldString, fieldDefaultType, fieldTime, fieldDuration:
			return nil
		case fieldSampleType:
			column++
			if i := column - 1 - first; i < 0 || i >= n {
				return nil
			}
		case fieldLocation, fieldFunction:
			used := usedLocations
			if number == fieldFunction {
				used = usedFunctions
			}
			keep := false
			if err := eachField(message, func(number int, value uint64, _ []byte) error {
				keep = keep || number == entryID && used[value]
				return nil
			}); err != nil || !keep {
				return err
			}
		case fieldDrop, fieldKeep:
			use(value)
		case fieldComment:
			if err := eachNumber(value, message, use); err != nil {
				return err
			}
		}
		if message == nil {
			out = appendNumber(out, number, value)
			return nil
		}
		out = appendMessage(out, number, message)
		return useStrings(message, stringFields[number], use)
	})
	for i, s := range t.strings {
		if !usedStrings[i] {
			s = nil
		}
		out = appendMessage(out, fieldString, s)
	}
	return out, err
}

// stringFields says which fields of a message are numbers of strings.
var stringFields = map[int]map[int]bool{
	fieldSampleType: {1: true, 2: true},
	fieldPeriodType: {1: true, 2: true},
	fieldMapping:    mappingStrings,
	fieldFunction:   functionStrings,
}

func useStrings(message []byte, fields map[int]bool, use func(uint64)) error {
	if fields == nil {
		return nil
	}
	return eachField(message, func(number int, value uint64, _ []byte) error {
		if fields[number] {
			use(value)
		}
		return nil
	})
}
