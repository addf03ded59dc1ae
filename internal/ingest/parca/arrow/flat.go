package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// FlatBuffers, as far as Arrow's metadata needs them. All numbers are little
// endian, and offsets count bytes:
//
//	root     u32 offset to the root table, from here
//	table    i32 back to its vtable, from here; then its fields' values
//	vtable   u16 bytes of the vtable, u16 bytes of the table,
//	         u16 for each field: its place in the table, 0 if it is absent
//	string   u32 bytes, the bytes, a zero byte
//	vector   u32 elements, the elements
//
// Fields that are strings, vectors and tables are a u32 offset, from there.

// flat is an encoded FlatBuffer. Reading outside of it gives zeros and sets err.
// Callers check err before they use what they read. They also limit the number of
// steps, because tables may refer to the same parts again and again.
type flat struct {
	b   []byte
	err error
}

var errFlat = errors.New("the metadata refers to bytes outside of it")

// at returns n bytes at a position.
func (f *flat) at(place, n int) []byte {
	if place < 0 || place > len(f.b)-n {
		f.err = errFlat
		return make([]byte, n) // at most 16
	}
	return f.b[place : place+n]
}

func (f *flat) u16(place int) int { return int(binary.LittleEndian.Uint16(f.at(place, 2))) }
func (f *flat) u32(place int) int { return int(binary.LittleEndian.Uint32(f.at(place, 4))) }
func (f *flat) i64(place int) int64 {
	return int64(binary.LittleEndian.Uint64(f.at(place, 8)))
}

// A table is the position of a table. 0 means no table, because none can be there.
type table int

func (f *flat) root() table { return table(f.u32(0)) }

// field returns the position of a field's value; 0 if the field is absent.
func (f *flat) field(t table, i int) int {
	if t == 0 {
		return 0
	}
	vtable := int(t) - int(int32(f.u32(int(t))))
	entry := 4 + 2*i
	if entry+2 > f.u16(vtable) {
		return 0
	}
	if offset := f.u16(vtable + entry); offset != 0 {
		return int(t) + offset
	}
	return 0
}

func (f *flat) byte(t table, i int) int {
	if place := f.field(t, i); place != 0 {
		return int(f.at(place, 1)[0])
	}
	return 0
}

func (f *flat) short(t table, i int) int {
	if place := f.field(t, i); place != 0 {
		return f.u16(place)
	}
	return 0
}

func (f *flat) int(t table, i int) int {
	if place := f.field(t, i); place != 0 {
		return int(int32(f.u32(place)))
	}
	return 0
}

func (f *flat) long(t table, i int) int64 {
	if place := f.field(t, i); place != 0 {
		return f.i64(place)
	}
	return 0
}

// table returns the table that a field refers to.
func (f *flat) table(t table, i int) table {
	if place := f.field(t, i); place != 0 {
		return table(place + f.u32(place))
	}
	return 0
}

// string returns a field's text.
func (f *flat) string(t table, i int) string {
	place := int(f.table(t, i))
	if place == 0 {
		return ""
	}
	n := f.u32(place)
	if n > len(f.b)-place-4 {
		f.err = errFlat
		return ""
	}
	if n > maxName {
		f.err = fmt.Errorf("the metadata has a text of %d bytes", n)
		return ""
	}
	return string(f.at(place+4, n))
}

// vector returns the position of a vector's first element and the number of
// elements, each of size bytes.
func (f *flat) vector(t table, i, size int) (place, n int) {
	place = int(f.table(t, i))
	if place == 0 {
		return 0, 0
	}
	n = f.u32(place)
	if n > (len(f.b)-place-4)/size {
		f.err = errFlat
		return 0, 0
	}
	return place + 4, n
}

// element returns the table that element i of a vector of tables refers to.
func (f *flat) element(vector, i int) table {
	place := vector + 4*i
	return table(place + f.u32(place))
}

// maxName is the maximum size of a text, in bytes.
const maxName = 1024

// A flatWriter encodes a FlatBuffer from start to end, so the target of a reference
// is written after the reference.
type flatWriter struct{ b []byte }

// A value is the value of a table's field. Its size is in bytes, 0 if the field is
// absent. refer sets the value of an offset.
type value struct {
	size int
	n    int64
}

var (
	absent    = value{}
	reference = value{size: 4}
)

// newFlat returns a flatWriter. The root table has to be written first.
func newFlat() *flatWriter { return &flatWriter{make([]byte, 4)} }

// align pads so that the length plus extra is a multiple of n.
func (w *flatWriter) align(n, extra int) {
	for (len(w.b)+extra)%n != 0 {
		w.b = append(w.b, 0)
	}
}

// table writes a table and returns the positions of its fields' values.
func (w *flatWriter) table(values ...value) (at table, places []int) {
	vtableSize := 4 + 2*len(values)
	w.align(8, vtableSize)
	vtable := len(w.b)
	w.b = append(w.b, make([]byte, vtableSize)...)
	at = table(len(w.b))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(int(at)-vtable))
	places = make([]int, len(values))
	for i, v := range values {
		if v.size == 0 {
			continue
		}
		w.align(v.size, 0)
		places[i] = len(w.b)
		binary.LittleEndian.PutUint16(w.b[vtable+4+2*i:], uint16(len(w.b)-int(at)))
		w.b = append(w.b, binary.LittleEndian.AppendUint64(nil, uint64(v.n))[:v.size]...)
	}
	binary.LittleEndian.PutUint16(w.b[vtable:], uint16(vtableSize))
	binary.LittleEndian.PutUint16(w.b[vtable+2:], uint16(len(w.b)-int(at)))
	return at, places
}

// refer sets an offset to a later position.
func (w *flatWriter) refer(place, to int) {
	binary.LittleEndian.PutUint32(w.b[place:], uint32(to-place))
}

// string writes a string and returns its position.
func (w *flatWriter) string(s string) int {
	w.align(4, 0)
	at := len(w.b)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
	return at
}

// vector writes the length of a vector of n elements and returns the vector's
// position. The caller writes the elements next; they begin at a multiple of size.
func (w *flatWriter) vector(n, size int) int {
	w.align(max(size, 4), 4)
	at := len(w.b)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n))
	return at
}

func (w *flatWriter) longs(values ...int64) {
	for _, v := range values {
		w.b = binary.LittleEndian.AppendUint64(w.b, uint64(v))
	}
}

// toInt returns a length as an int.
func toInt(n int64, what string) (int, error) {
	if n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %d", what, n)
	}
	return int(n), nil
}
