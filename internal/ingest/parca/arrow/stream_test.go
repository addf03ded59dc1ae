package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A testField is a field of a schema that is made for a test.
type testField struct {
	name     string
	typ      int
	bits     int64 // of an integer, signed; unit of a time; bytes of a fixed value
	children []testField
	dict     int64 // id of its dictionary and 1, 0 for none
}

// A testBatch is a record, or the values of a dictionary.
type testBatch struct {
	id       int64 // of the dictionary and 1, 0 for a record
	delta    bool
	rows     int64
	nodes    [][2]int64 // values, absent ones
	buffers  [][]byte
	variadic []int64
	codec    int64         // and 1, 0 for none
	places   [][2]int64    // of buffers, in place of where they are
	lengths  map[int]int64 // that compressed buffers claim
}

// encode returns a stream.
func encode(fields []testField, batches ...testBatch) []byte {
	w := newFlat()
	schema := w.message(messageSchema, 0, absent, reference)
	w.fields(schema[1], fields)
	b := appendMessage(nil, w.b, nil)
	for _, batch := range batches {
		b = batch.append(b)
	}
	return append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

func (w *flatWriter) fields(place int, fields []testField) {
	at := w.vector(len(fields), 4)
	w.refer(place, at)
	w.b = append(w.b, make([]byte, 4*len(fields))...)
	for i, f := range fields {
		dictionary := absent
		if f.dict != 0 {
			dictionary = reference
		}
		t, places := w.table(reference, absent, value{1, int64(f.typ)}, reference, dictionary, reference)
		w.refer(at+4+4*i, int(t))
		w.refer(places[0], w.string(f.name))
		var typ table
		switch f.typ {
		case typeInt:
			typ, _ = w.table(value{4, f.bits}, value{1, 1})
		case typeTimestamp:
			typ, _ = w.table(value{2, f.bits})
		case typeFixedSizeBinary:
			typ, _ = w.table(value{4, f.bits})
		default:
			typ, _ = w.table()
		}
		w.refer(places[3], int(typ))
		if f.dict != 0 {
			encoding, inner := w.table(value{8, f.dict - 1}, reference)
			w.refer(places[4], int(encoding))
			index, _ := w.table(value{4, 32}) // not signed
			w.refer(inner[1], int(index))
		}
		w.fields(places[5], f.children)
	}
}

func (t *testBatch) append(b []byte) []byte {
	var body []byte
	places := t.places
	for i, data := range t.buffers {
		if t.codec != 0 && len(data) > 0 {
			n := int64(len(data))
			if claimed, ok := t.lengths[i]; ok {
				n = claimed
			}
			data = append(binary.LittleEndian.AppendUint64(nil, uint64(n)), compressed(t.codec-1, data)...)
		}
		if t.places == nil {
			places = append(places, [2]int64{int64(len(body)), int64(len(data))})
		}
		body = pad(append(body, data...))
	}
	compression := absent
	if t.codec != 0 {
		compression = reference
	}
	w := newFlat()
	header := []value{{8, t.rows}, reference, reference, compression, reference}
	var at []int
	if t.id != 0 {
		delta := value{1, 0}
		if t.delta {
			delta.n = 1
		}
		dictionary := w.message(messageDictionary, int64(len(body)), value{8, t.id - 1}, reference, delta)
		var batch table
		batch, at = w.table(header...)
		w.refer(dictionary[1], int(batch))
	} else {
		at = w.message(messageRecord, int64(len(body)), header...)
	}
	for i, pairs := range [][][2]int64{t.nodes, places} {
		w.refer(at[1+i], w.vector(len(pairs), 8))
		for _, p := range pairs {
			w.longs(p[0], p[1])
		}
	}
	if t.codec != 0 {
		c, _ := w.table(value{1, t.codec - 1}, value{1, 0})
		w.refer(at[3], int(c))
	}
	w.refer(at[4], w.vector(len(t.variadic), 8))
	w.longs(t.variadic...)
	return appendMessage(b, w.b, body)
}

func compressed(codec int64, data []byte) []byte {
	if codec == codecZstd {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		return z.EncodeAll(data, nil)
	}
	var b bytes.Buffer
	z := lz4.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// numbers returns numbers as they are in a buffer.
func numbers[T int8 | int32 | uint32 | int64](values ...T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return b
}
