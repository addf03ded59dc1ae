// Package arrow reads streams of Apache Arrow's IPC format, as far as senders of
// profiles use it, and writes the stream that answers them. See
// https://arrow.apache.org/docs/format/Columnar.html.
//
// A stream is a sequence of messages. The first one is a schema:
//
//	u32 0xffffffff, i32 bytes of the metadata, the metadata (a FlatBuffer,
//	padded to 8 bytes), the body (padded to 8 bytes)
//
// It ends with a message without metadata, or with the input. A body has buffers
// of values. A compressed buffer is an i64 uncompressed size and a frame of LZ4 or
// Zstandard, or -1 and the uncompressed bytes.
//
// Input is not trusted: buffers take at most limit bytes (see NewReader), and all
// references are checked once, when they are read. Growing dictionaries (deltas),
// shared dictionaries, and types that no sender of profiles uses are not supported.
package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A Reader reads the records of a stream.
type Reader struct {
	data   []byte
	left   int64 // bytes of buffers that may still be read
	limit  int64
	budget func(int64) error
	schema *schema
	values map[int64]*Column // of dictionaries, by ID
}

// A Record has columns, all with the same number of values.
type Record struct {
	Rows    int
	Columns []*Column
}

// Column returns the column with a name; nil if there is none.
func (r *Record) Column(name string) *Column { return find(r.Columns, name) }

// A LimitError reports that the buffers of a stream exceed the limit.
type LimitError struct{ Limit int64 }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the Arrow record has more than %d bytes when decompressed", e.Limit)
}

// NewReader returns a Reader of a stream, and keeps the stream. The decompressed
// buffers of all records may have limit bytes in total; 0 is no limit. Unless budget
// is nil, the Reader asks it for memory before it decompresses a buffer.
func NewReader(data []byte, limit int64, budget func(bytes int64) error) (*Reader, error) {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	if budget == nil {
		budget = func(int64) error { return nil }
	}
	r := &Reader{data: data, left: limit, limit: limit, budget: budget, values: map[int64]*Column{}}
	m, err := r.message()
	if err == io.EOF {
		return nil, errors.New("the Arrow stream is empty")
	}
	if err != nil {
		return nil, err
	}
	if m.kind != messageSchema {
		return nil, errors.New("the Arrow stream doesn't begin with a schema")
	}
	if r.schema, err = readSchema(&m.flat, m.header); err != nil {
		return nil, fmt.Errorf("invalid schema of the Arrow stream: %w", err)
	}
	return r, nil
}

// Metadata returns the value of a key in the schema's metadata.
func (r *Reader) Metadata(key string) string { return r.schema.metadata[key] }

// Next returns the next record, and io.EOF after the last one. The record refers to
// the stream's bytes.
func (r *Reader) Next() (*Record, error) {
	for {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		switch m.kind {
		case messageRecord:
			return r.record(m)
		case messageDictionary:
			if err := r.dictionary(m); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unsupported message of kind %d in the Arrow stream", m.kind)
		}
	}
}

// A message is a message of a stream.
type message struct {
	flat
	kind   int
	header table
	body   []byte
}

// message reads
//
//	Message { version: short 0, header_type: ubyte 1, header: table 2, bodyLength: long 3 }
func (r *Reader) message() (*message, error) {
	if len(r.data) == 0 {
		return nil, io.EOF
	}
	if len(r.data) >= 4 && binary.LittleEndian.Uint32(r.data) == math.MaxUint32 {
		r.data = r.data[4:]
	}
	if len(r.data) < 4 {
		return nil, errCut
	}
	n := int(binary.LittleEndian.Uint32(r.data))
	r.data = r.data[4:]
	if n == 0 {
		return nil, io.EOF
	}
	if n > len(r.data) {
		return nil, errCut
	}
	m := &message{flat: flat{b: r.data[:n]}}
	r.data = r.data[n:]
	root := m.root()
	if v := m.short(root, 0); v != version4 && v != version5 {
		return nil, fmt.Errorf("unsupported version %d of the metadata in the Arrow stream", v+1)
	}
	m.kind, m.header = m.byte(root, 1), m.flat.table(root, 2)
	size := m.long(root, 3)
	if m.err != nil {
		return nil, m.err
	}
	if size < 0 || size > int64(len(r.data)) {
		return nil, errCut
	}
	m.body, r.data = r.data[:size], r.data[size:]
	return m, nil
}

var errCut = errors.New("the Arrow stream ends early")

// dictionary reads
//
//	DictionaryBatch { id: long 0, data: RecordBatch 1, isDelta: bool 2 }
func (r *Reader) dictionary(m *message) error {
	id := m.long(m.header, 0)
	fd := r.schema.dictionaries[id]
	switch {
	case fd == nil:
		return fmt.Errorf("dictionary %d of the Arrow stream belongs to no column", id)
	case m.byte(m.header, 2) != 0:
		return fmt.Errorf("the Arrow stream adds to dictionary %d, which is not supported", id)
	}
	b, err := r.batch(m, m.flat.table(m.header, 1))
	if err == nil {
		r.values[id], err = b.column(fd)
	}
	if err == nil {
		err = b.done()
	}
	if err != nil {
		return fmt.Errorf("invalid dictionary of column %.60q: %w", fd.name, err)
	}
	return nil
}

func (r *Reader) record(m *message) (*Record, error) {
	b, err := r.batch(m, m.header)
	if err != nil {
		return nil, err
	}
	rec := &Record{Rows: b.rows}
	for _, fd := range r.schema.fields {
		c, err := b.column(fd)
		if err != nil {
			return nil, err
		}
		if c.Len != b.rows {
			return nil, fmt.Errorf("column %.60q has %d values, but the record has %d rows", fd.name, c.Len, b.rows)
		}
		rec.Columns = append(rec.Columns, c)
	}
	return rec, b.done()
}

// A batch is the state of reading the columns of a record or a dictionary, one
// after another.
type batch struct {
	*Reader
	*message
	rows                     int
	codec                    int // compression of the buffers, or noCodec
	nodes, buffers           int // positions of the next ones
	nodesLeft, buffersLeft   int
	variadics, variadicsLeft int
	decoder                  *zstd.Decoder
}

const (
	noCodec, codecLZ4, codecZstd = -1, 0, 1

	nodeSize, bufferSize = 16, 16
)

// batch reads
//
//	RecordBatch {
//	  length: long 0, nodes: [struct { length: long, null_count: long }] 1,
//	  buffers: [struct { offset: long, length: long }] 2,
//	  compression: BodyCompression { codec: byte 0, method: byte 1 } 3,
//	  variadicBufferCounts: [long] 4
//	}
func (r *Reader) batch(m *message, t table) (*batch, error) {
	b := &batch{Reader: r, message: m, codec: noCodec}
	var err error
	if b.rows, err = toInt(m.long(t, 0), "the number of rows"); err != nil {
		return nil, err
	}
	b.nodes, b.nodesLeft = m.vector(t, 1, nodeSize)
	b.buffers, b.buffersLeft = m.vector(t, 2, bufferSize)
	b.variadics, b.variadicsLeft = m.vector(t, 4, 8)
	if compression := m.flat.table(t, 3); compression != 0 {
		b.codec = m.byte(compression, 0)
		if b.codec != codecLZ4 && b.codec != codecZstd || m.byte(compression, 1) != 0 {
			return nil, fmt.Errorf("unsupported compression %d of buffers", b.codec)
		}
	}
	return b, m.err
}

// done returns an error if the batch has more nodes or buffers than its columns need.
func (b *batch) done() error {
	if b.nodesLeft != 0 || b.buffersLeft != 0 || b.variadicsLeft != 0 {
		return errors.New("the record has more columns than its schema")
	}
	return b.err
}

var errFewer = errors.New("the record has fewer columns than its schema")

// node returns the length of the next column, and whether it has null values.
func (b *batch) node() (length int, absent bool, err error) {
	if b.nodesLeft == 0 {
		return 0, false, errFewer
	}
	b.nodesLeft--
	length, err = toInt(b.i64(b.nodes), "the number of values")
	absent = b.i64(b.nodes+8) != 0
	b.nodes += nodeSize
	return length, absent, err
}

// column reads the next column.
func (b *batch) column(fd *field) (*Column, error) {
	c := &Column{Name: fd.name, Kind: fd.kind, width: fd.width, unsigned: fd.unsigned, unit: fd.unit}
	if err := b.fill(c, fd); err != nil {
		return nil, fmt.Errorf("column %.60q: %w", fd.name, err)
	}
	for _, child := range fd.children {
		col, err := b.column(child)
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, col)
	}
	if fd.dictionary != nil {
		if c.values = b.values[fd.id]; c.values == nil {
			c.values = fd.dictionary.none() // the dictionary hasn't come yet: it has no values
		}
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("column %.60q: %w", fd.name, err)
	}
	return c, nil
}

// none returns a column without values.
func (fd *field) none() *Column {
	c := &Column{Name: fd.name, Kind: fd.kind, width: fd.width, unsigned: fd.unsigned, unit: fd.unit, offsets: make([]byte, 4)}
	for _, child := range fd.children {
		c.children = append(c.children, child.none())
	}
	if fd.dictionary != nil {
		c.values = fd.dictionary.none()
	}
	return c
}

// fill reads the buffers of a column: the validity, and then, depending on its kind,
//
//	Int, Time, Fixed, Bool  values
//	Text                    offsets, bytes
//	View                    views, and as many buffers as the batch says
//	List                    offsets
//	Ranges                  offsets, sizes
//
// Runs have no buffers, not even a validity.
func (b *batch) fill(c *Column, fd *field) error {
	length, absent, err := b.node()
	if err != nil {
		return err
	}
	c.Len = length
	if c.Kind == Runs {
		return nil
	}
	read := func(into *[]byte, need int) {
		if err == nil {
			*into, err = b.buffer(need)
		}
	}
	bits := (length + 7) / 8
	if absent {
		read(&c.validity, bits)
	} else {
		var unused []byte
		read(&unused, 0)
	}
	offsets := 0
	if length > 0 {
		offsets = 4 * (length + 1)
	}
	switch c.Kind {
	case Int, Time, Fixed:
		read(&c.data, length*c.width)
	case Bool:
		read(&c.data, bits)
	case Text:
		read(&c.offsets, offsets)
		read(&c.data, 0)
	case List:
		read(&c.offsets, offsets)
	case Ranges:
		read(&c.offsets, 4*length)
		read(&c.sizes, 4*length)
	case View:
		read(&c.data, 16*length)
		if b.variadicsLeft == 0 {
			return errFewer
		}
		n := b.i64(b.variadics)
		b.variadics, b.variadicsLeft = b.variadics+8, b.variadicsLeft-1
		if n < 0 || n > int64(b.buffersLeft) {
			return errFewer
		}
		c.more = make([][]byte, n)
		for i := range c.more {
			read(&c.more[i], 0)
		}
	}
	if len(c.offsets) == 0 && (c.Kind == Text || c.Kind == List) {
		c.offsets = make([]byte, 4) // of a list without values
	}
	return err
}

// buffer reads the next buffer, of at least need bytes.
func (b *batch) buffer(need int) ([]byte, error) {
	if b.buffersLeft == 0 {
		return nil, errFewer
	}
	from, n := b.i64(b.buffers), b.i64(b.buffers+8)
	b.buffers, b.buffersLeft = b.buffers+bufferSize, b.buffersLeft-1
	if from < 0 || n < 0 || n > int64(len(b.body)) || from > int64(len(b.body))-n {
		return nil, fmt.Errorf("a buffer of %d bytes at offset %d exceeds the body of %d bytes", n, from, len(b.body))
	}
	data := b.body[from : from+n]
	if b.codec != noCodec && n > 0 {
		var err error
		if data, err = b.decompress(data); err != nil {
			return nil, err
		}
	} else if err := b.charge(n); err != nil {
		return nil, err
	}
	if len(data) < need {
		return nil, fmt.Errorf("a buffer has %d bytes, but its values need %d", len(data), need)
	}
	return data, nil
}

// charge takes n bytes from the limit. Uncompressed buffers count too, because
// buffers may overlap.
func (r *Reader) charge(n int64) error {
	if n > r.left {
		return &LimitError{r.limit}
	}
	r.left -= n
	return nil
}

func (b *batch) decompress(data []byte) ([]byte, error) {
	if len(data) < 8 {
		return nil, errors.New("a compressed buffer has no length")
	}
	n := int64(binary.LittleEndian.Uint64(data))
	data = data[8:]
	if n == -1 {
		return data, b.charge(int64(len(data)))
	}
	if n < 0 {
		return nil, fmt.Errorf("invalid size %d of a compressed buffer", n)
	}
	if err := b.charge(n); err != nil {
		return nil, err
	}
	// LZ4 compresses by a factor of 255 at most, so a larger size is refused before it is allocated.
	if b.codec == codecLZ4 && n > 255*int64(len(data)) {
		return nil, fmt.Errorf("%d bytes of LZ4 can't hold a buffer of %d bytes", len(data), n)
	}
	if err := b.budget(n); err != nil {
		return nil, err
	}
	if b.codec == codecZstd {
		return b.decompressZstd(data, n)
	}
	out := make([]byte, n)
	z := lz4.NewReader(bytes.NewReader(data))
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, fmt.Errorf("invalid LZ4 buffer: %w", err)
	}
	if extra, err := z.Read(make([]byte, 1)); extra != 0 || err != io.EOF {
		return nil, fmt.Errorf("an LZ4 buffer is longer than its %d bytes", n)
	}
	return out, nil
}

func (b *batch) decompressZstd(data []byte, n int64) ([]byte, error) {
	if b.decoder == nil {
		var err error
		if b.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecodeAllCapLimit(true)); err != nil {
			return nil, err
		}
	}
	out, err := b.decoder.DecodeAll(data, make([]byte, 0, n))
	if err != nil {
		return nil, fmt.Errorf("invalid Zstandard buffer: %w", err)
	}
	if int64(len(out)) != n {
		return nil, fmt.Errorf("a Zstandard buffer has %d bytes instead of %d", len(out), n)
	}
	return out, nil
}
