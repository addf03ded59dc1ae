package profile

import (
	"bytes"
	"fmt"
	"unsafe"
)

// Field numbers of message Profile.
const (
	fieldSampleType        = 1
	fieldSample            = 2
	fieldMapping           = 3
	fieldLocation          = 4
	fieldFunction          = 5
	fieldString            = 6
	fieldDropFrames        = 7
	fieldKeepFrames        = 8
	fieldTimeNanos         = 9
	fieldDurationNanos     = 10
	fieldPeriodType        = 11
	fieldPeriod            = 12
	fieldComment           = 13
	fieldDefaultSampleType = 14
	fieldDocURL            = 15
)

// maxSampleTypes is far more than profiles have. It is limited because some code compares
// each sample type with each other one.
const maxSampleTypes = 4096

// decoder turns the bytes of an encoded profile into columns. Bytes come in
// pieces through feed, in order; finish then checks all references and turns
// the ids of the encoding into indexes. Until then, Frames, Location.Mapping
// and Line.Function hold raw ids; see rawID.
type decoder struct {
	p     *Profile
	lim   Limits
	mem   meter
	most  int64 // limit of decompressed bytes
	off   int64 // offset of the piece's first byte in the decompressed stream
	arena arena

	serial      bool // work on one goroutine; strings may share memory with the input
	buf         []byte
	gz          gunzipper
	plainBuf    []byte
	inflater    *inflater
	share       bool  // strings do
	samples     int   // how many to expect, 0 if unknown
	rows        int   // capacity of the columns of samples
	unended     int64 // offset of the length of a field that continues after the piece
	nTypes      int   // values of each sample, known from the first one
	denseLocs   bool
	denseFuncs  bool
	funcIDs     []uint64 // ID of each function, unless all are 1, 2, 3, …
	bigIDs      map[uint64]uint32
	over        error   // error if there was no memory for an ID; feed returns it
	labels      []Label // labels of the current sample
	labelsAt    int     // their offset in the sample; -1 if unknown
	knownSet    uint32  // its label set, if found in recent
	recent      recentSets
	sets        *interner
	setsHeld    int64 // its memory
	vals        []int64
	sampleTypes [][2]uint64 // string ids of type and unit
	periodType  [2]uint64
	mappings    [][2]uint64 // string ids of file and build id
	comments    []uint64
	header      [4]uint64 // string ids: drop_frames, keep_frames, default_sample_type, doc_url
}

// recentSets remembers the label sets of recent samples by their encoding.
type recentSets struct {
	entries [64]struct {
		text []byte // from the first label to the end of the sample
		set  uint32 // 0 for none
	}
}

func (r *recentSets) slot(text []byte) int {
	h := uint64(len(text))
	for _, c := range text[max(0, len(text)-16):] {
		h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
	}
	return int(h >> 58)
}

func (r *recentSets) find(text []byte) (set uint32, ok bool) {
	e := &r.entries[r.slot(text)]
	if e.set == 0 || !bytes.Equal(e.text, text) {
		return 0, false
	}
	return e.set, true
}

// add remembers that text, which stands for nothing but labels, is that set.
func (r *recentSets) add(text []byte, set uint32) {
	for i := 0; i < len(text); {
		f, next, problem := nextField(text, i)
		if problem != "" || f.num != 3 {
			return
		}
		i = next
	}
	if len(text) <= 256 && set != 0 {
		e := &r.entries[r.slot(text)]
		e.text, e.set = append(e.text[:0], text...), set
	}
}

func newDecoder(lim Limits) *decoder {
	return &decoder{p: &Profile{}, lim: lim.withDefaults(), denseLocs: true, denseFuncs: true, nTypes: -1}
}

// begin prepares d for a profile of sent encoded bytes. The memory of columns that d
// keeps for reuse counts as the new profile's.
func (d *decoder) begin(sent int64) error {
	d.mem = newMeter(d.lim, sent)
	d.most = min(d.lim.Bytes, d.lim.expanded(sent))
	kept := keptBytes(d)
	if kept > d.mem.limit/2 { // left by a much larger profile
		d.forget()
		kept = 0
	}
	return d.mem.take(kept)
}

// keptBytes returns the memory of the columns and buffers of d.
func keptBytes(d *decoder) int64 {
	p := d.p
	n := bytesOf[string](cap(p.Strings)) + bytesOf[Mapping](cap(p.Mappings)) + bytesOf[Function](cap(p.Functions)) +
		bytesOf[Location](cap(p.Locations)) + bytesOf[Line](cap(p.Lines)) + bytesOf[uint32](cap(p.Frames)) +
		bytesOf[Stack](cap(p.Stacks)) + bytesOf[ValueType](cap(p.SampleTypes)) + bytesOf[[]int64](cap(p.Values)) +
		int64(cap(d.buf)+cap(d.plainBuf)) + bytesOf[uint64](cap(d.funcIDs)) + bytesOf[Label](cap(d.labels)) +
		bytesOf[int64](cap(d.vals)+cap(d.comments)) + bytesOf[[2]uint64](cap(d.sampleTypes)+cap(d.mappings))
	for _, column := range p.Values[:cap(p.Values)] {
		n += bytesOf[int64](cap(column))
	}
	return n
}

// forget drops everything that was decoded, and its memory.
func (d *decoder) forget() {
	d.mem.give(d.mem.used)
	*d = decoder{p: &Profile{}, lim: d.lim, mem: d.mem, most: d.most, serial: d.serial, denseLocs: true, denseFuncs: true, nTypes: -1}
}

// reset prepares d for another profile and reuses its columns. The previous profile is
// invalid afterwards.
func (d *decoder) reset() {
	p := d.p
	values := p.Values
	for i := range values {
		values[i] = values[i][:0]
	}
	clear(p.Strings)
	*p = Profile{
		Strings: p.Strings[:0], Mappings: p.Mappings[:0], Functions: p.Functions[:0], Locations: p.Locations[:0],
		Lines: p.Lines[:0], Frames: p.Frames[:0], Stacks: p.Stacks[:0], Values: values[:0],
		SampleTypes: p.SampleTypes[:0],
	}
	*d = decoder{p: p, lim: d.lim, serial: d.serial, buf: d.buf, gz: d.gz, plainBuf: d.plainBuf, inflater: d.inflater, arena: d.arena, denseLocs: true, denseFuncs: true, nTypes: -1,
		funcIDs: d.funcIDs[:0], labels: d.labels[:0], vals: d.vals[:0], sampleTypes: d.sampleTypes[:0],
		mappings: d.mappings[:0], comments: d.comments[:0]}
}

// tooLong returns the error of exceeding the limit of decompressed bytes.
func tooLong(d *decoder) error {
	if d.most < d.lim.Bytes {
		return tooLarge("bytes when decompressed", d.most, d.mem.bytes)
	}
	return &LimitError{"bytes", d.most}
}

func (d *decoder) fail(at int, format string, args ...any) error {
	return &SyntaxError{Offset: d.off + int64(at), Msg: fmt.Sprintf(format, args...)}
}

func (d *decoder) wrongType(at int, num uint64, wire int) error {
	return d.fail(at, "field %d of the profile has the wrong wire type %d", num, wire)
}

// room returns s with capacity for another element. s may have at most limit elements.
func room[T any](m *meter, s []T, limit int, what string) ([]T, error) {
	if len(s) >= limit {
		return s, &LimitError{what, int64(limit)}
	}
	s, err := grown(m, s, 1)
	return s[:len(s):min(cap(s), limit)], err
}

// str adds an entry of the string table.
func (d *decoder) str(b []byte, at int) error {
	p := d.p
	if len(p.Strings) == 0 && len(b) > 0 {
		return d.fail(at, "string_table[0] must be empty")
	}
	if len(p.Strings) == cap(p.Strings) {
		return strWithRoom(d, b, at)
	}
	if d.share && len(b) > 0 {
		p.Strings = append(p.Strings, unsafe.String(&b[0], len(b)))
		return nil
	}
	if len(b) > len(d.arena.free) {
		if err := d.mem.take(arenaBytes(len(b))); err != nil {
			return err
		}
	}
	p.Strings = append(p.Strings, d.arena.copyBytes(b))
	return nil
}

func strWithRoom(d *decoder, b []byte, at int) (err error) {
	if d.p.Strings, err = room(&d.mem, d.p.Strings, d.lim.Strings, "strings"); err != nil {
		return err
	}
	return d.str(b, at)
}

// rawID returns the value that represents an ID in the columns until finish: the ID
// itself if it is small, or else a number from bigIDs.
func (d *decoder) rawID(id uint64) uint32 {
	if id < 1<<31 {
		return uint32(id)
	}
	return d.bigID(id)
}

func (d *decoder) bigID(id uint64) uint32 {
	if d.bigIDs == nil {
		d.bigIDs = map[uint64]uint32{}
	}
	raw, ok := d.bigIDs[id]
	if !ok {
		if err := d.mem.take(bigIDBytes); err != nil {
			d.over = err
			return 0
		}
		raw = 1<<31 | uint32(len(d.bigIDs))
		d.bigIDs[id] = raw
	}
	return raw
}

// bigIDBytes is the memory of an entry in bigIDs, when the map has just grown and its
// old table is still in use.
const bigIDBytes = 64

// fromRawID is the inverse of rawID, for error messages.
func fromRawID(d *decoder, raw uint32) uint64 {
	for id, r := range d.bigIDs {
		if r == raw {
			return id
		}
	}
	return uint64(raw)
}
