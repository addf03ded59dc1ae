// Package encoded takes profiles apart in the encoding of package runtime/pprof, that
// of https://github.com/google/pprof/blob/main/proto/profile.proto, and subtracts them
// without a value for each thing in them.
package encoded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Field numbers of profile.proto.
const (
	FieldSampleType, FieldSample, FieldMapping, FieldLocation = 1, 2, 3, 4
	FieldFunction, FieldString, FieldDrop, FieldKeep          = 5, 6, 7, 8
	FieldTime, FieldDuration, FieldPeriodType, FieldPeriod    = 9, 10, 11, 12
	FieldComment, FieldDefaultType                            = 13, 14

	SampleLocation, SampleValue, SampleLabel = 1, 2, 3
	EntryID                                  = 1
	LocationMapping, LocationAddress         = 2, 3
	LocationLine                             = 4
	LineFunction                             = 1
)

// fields is a set of field numbers, of which profiles have none above 31.
type fields uint32

func (f fields) has(number int) bool { return f>>number&1 != 0 }

// Fields that are numbers of strings, by the field of the message they are in.
var stringFields = [...]fields{
	FieldSampleType: 1<<1 | 1<<2,
	FieldMapping:    1<<5 | 1<<6,
	FieldFunction:   1<<2 | 1<<3 | 1<<4,
	FieldPeriodType: 1<<1 | 1<<2,
}

const labelStrings fields = 1<<1 | 1<<2 | 1<<4

var errMalformed = errors.New("malformed profile")

// EachField calls f with each field of a message: its number, and its value or
// bytes, which are nil for a number.
func EachField(data []byte, f func(number int, value uint64, message []byte) error) error {
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

// EachNumber calls f with the numbers of a repeated field, packed or not.
func EachNumber(value uint64, packed []byte, f func(uint64)) error {
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

func AppendNumber(b []byte, number int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(number)<<3), v)
}

// appendField appends what EachField gives.
func appendField(b []byte, number int, value uint64, message []byte) []byte {
	if message == nil {
		return AppendNumber(b, number, value)
	}
	return AppendMessage(b, number, message)
}

func AppendMessage(b []byte, number int, message []byte) []byte {
	b = binary.AppendUvarint(b, uint64(number)<<3|2)
	b = binary.AppendUvarint(b, uint64(len(message)))
	return append(b, message...)
}
