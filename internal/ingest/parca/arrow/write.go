package arrow

import "encoding/binary"

// AppendTexts appends a stream to b. The stream has one record with one column of
// bytes. The texts may have up to 2 GiB in total.
func AppendTexts(b []byte, name string, texts [][]byte) []byte {
	b = appendMessage(b, schemaOf(name), nil)
	var body []byte
	end := 0
	body = binary.LittleEndian.AppendUint32(body, 0)
	for _, t := range texts {
		end += len(t)
		body = binary.LittleEndian.AppendUint32(body, uint32(end))
	}
	offsets := len(body)
	body = pad(body)
	from := len(body)
	for _, t := range texts {
		body = append(body, t...)
	}

	w := newFlat()
	batch := w.message(messageRecord, int64(len(pad(body))), value{8, int64(len(texts))}, reference, reference)
	w.refer(batch[1], w.vector(1, 8))
	w.longs(int64(len(texts)), 0)
	w.refer(batch[2], w.vector(3, 8))
	w.longs(0, 0, 0, int64(offsets), int64(from), int64(end)) // validity, offsets, bytes
	b = appendMessage(b, w.b, body)
	return append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

// schemaOf returns the message of a schema with one column of bytes.
func schemaOf(name string) []byte {
	w := newFlat()
	schema := w.message(messageSchema, 0, absent, reference)
	fields := w.vector(1, 4)
	w.refer(schema[1], fields)
	w.b = append(w.b, 0, 0, 0, 0)
	field, places := w.table(reference, absent, value{1, typeBinary}, reference, absent, reference)
	w.refer(fields+4, int(field))
	w.refer(places[0], w.string(name))
	empty, _ := w.table()
	w.refer(places[3], int(empty))
	w.refer(places[5], w.vector(0, 4))
	return w.b
}

// message writes the tables of a message and its header, and returns the positions
// of the header's fields.
func (w *flatWriter) message(kind int, body int64, header ...value) (places []int) {
	root, message := w.table(value{2, version5}, value{1, int64(kind)}, reference, value{8, body})
	w.refer(0, int(root))
	at, places := w.table(header...)
	w.refer(message[2], int(at))
	return places
}

func appendMessage(b, metadata, body []byte) []byte {
	metadata = pad(metadata)
	b = append(b, 0xff, 0xff, 0xff, 0xff)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(metadata)))
	b = append(b, metadata...)
	return append(b, pad(body)...)
}

// pad returns b with zeros up to a multiple of 8 bytes.
func pad(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}
