package profile

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"
)

// Limits bound what decoding accepts. A zero field stands for its default; see
// [DefaultLimits].
type Limits struct {
	Bytes     int64 // decompressed size
	Samples   int
	Frames    int // of all samples together
	Locations int
	Lines     int // of all locations together
	Functions int
	Strings   int
	Labels    int   // distinct, of all samples together
	TextBytes int64 // size of a profile in one of the text formats
}

// DefaultLimits returns the limits that hold when nothing is said: far above
// what profilers write, and low enough that hostile input can't take all memory.
func DefaultLimits() Limits {
	return Limits{
		Bytes:     8 << 30,
		Samples:   64 << 20,
		Frames:    1 << 30,
		Locations: 64 << 20,
		Lines:     128 << 20,
		Functions: 64 << 20,
		Strings:   64 << 20,
		Labels:    64 << 20,
		TextBytes: 512 << 20,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Bytes:     cmp.Or(l.Bytes, d.Bytes),
		Samples:   cmp.Or(l.Samples, d.Samples),
		Frames:    cmp.Or(l.Frames, d.Frames),
		Locations: cmp.Or(l.Locations, d.Locations),
		Lines:     cmp.Or(l.Lines, d.Lines),
		Functions: cmp.Or(l.Functions, d.Functions),
		Strings:   cmp.Or(l.Strings, d.Strings),
		Labels:    cmp.Or(l.Labels, d.Labels),
		TextBytes: cmp.Or(l.TextBytes, d.TextBytes),
	}
}

// A SyntaxError tells where the bytes of a profile stop making sense.
type SyntaxError struct {
	Offset int64 // in the decompressed bytes; -1 if the problem has no single place
	Msg    string
}

func (e *SyntaxError) Error() string {
	if e.Offset < 0 {
		return "malformed profile: " + e.Msg
	}
	return fmt.Sprintf("malformed profile at byte %d: %s", e.Offset, e.Msg)
}

// A LimitError tells that a profile is larger than its reader allows.
type LimitError struct {
	What  string // what there is too much of, such as "samples"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("profile has more than %d %s, the limit", e.Limit, e.What)
}

// errEmpty is returned for input without a byte.
var errEmpty = errors.New("empty file")

// badRecord is a problem of the n-th record (0-based) of a field, found after
// all bytes were read; whoever can read them again turns it into an offset.
type badRecord struct {
	field uint64
	n     int
	msg   string
}

func (e *badRecord) Error() string { return "malformed profile: " + e.msg }

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

// decoder turns the bytes of an encoded profile into columns. Bytes come in
// pieces through feed, in order; finish then checks all references and turns
// the ids of the encoding into indexes. Until then, Frames, Location.Mapping
// and Line.Function hold raw ids; see rawID.
type decoder struct {
	p     *Profile
	lim   Limits
	off   int64 // of the first byte of the piece in the decompressed stream
	arena arena

	serial      bool // work on one goroutine; strings may share plainBuf
	buf         []byte
	gz          gunzipper
	plainBuf    []byte
	inflater    *inflater
	share       bool // strings share memory with what is fed
	samples     int  // how many to expect, 0 if unknown
	nTypes      int  // values of each sample, known from the first one
	denseLocs   bool
	denseFuncs  bool
	funcIDs     []uint64 // id of each function, once they are not 1, 2, 3, …
	bigIDs      map[uint64]uint32
	labels      []Label // of the sample under way
	labelsAt    int     // where they begin in it, -1 if unknown
	knownSet    uint32  // its label set, if found in recent
	recent      recentSets
	sets        *interner
	vals        []int64
	sampleTypes [][2]uint64 // string ids of type and unit
	periodType  [2]uint64
	mappings    [][2]uint64 // string ids of file and build id
	comments    []uint64
	header      [4]uint64 // string ids: drop_frames, keep_frames, default_sample_type, doc_url
}

func newDecoder(lim Limits) *decoder {
	return &decoder{p: &Profile{}, lim: lim.withDefaults(), denseLocs: true, denseFuncs: true, nTypes: -1}
}

// reset makes d ready for another profile, reusing its columns: the profile of
// before is void.
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
	*d = decoder{p: p, lim: d.lim, serial: d.serial, share: d.share, buf: d.buf, gz: d.gz, plainBuf: d.plainBuf, inflater: d.inflater, arena: d.arena, denseLocs: true, denseFuncs: true, nTypes: -1,
		funcIDs: d.funcIDs[:0], labels: d.labels[:0], vals: d.vals[:0], sampleTypes: d.sampleTypes[:0],
		mappings: d.mappings[:0], comments: d.comments[:0]}
}

func (d *decoder) fail(at int, format string, args ...any) error {
	return &SyntaxError{Offset: d.off + int64(at), Msg: fmt.Sprintf(format, args...)}
}

// feed decodes the whole fields at the start of b and returns the number of
// bytes they take. What remains has to be fed again, with more behind it.
func (d *decoder) feed(b []byte) (n int, err error) {
	i := 0
	for i < len(b) {
		key, k := shortUvarint(b, i)
		if k == 0 {
			key, k = uvarint(b, i)
		}
		if k < 0 {
			if k == -1 {
				return i, nil
			}
			return i, d.fail(i, "%s", varintProblem(k))
		}
		at := k
		v, k := shortUvarint(b, at)
		if k == 0 {
			v, k = uvarint(b, at)
		}
		if k < 0 && key&7 != wireFixed32 && key&7 != wireFixed64 {
			if k == -1 {
				return i, nil
			}
			return i, d.fail(i, "%s", varintProblem(k))
		}
		if key&7 == wireBytes {
			if v > uint64(len(b)-k) {
				if v > uint64(d.lim.Bytes) {
					return i, d.fail(i, "field %d claims %d bytes", key>>3, v)
				}
				return i, nil
			}
			end := k + int(v)
			switch key >> 3 {
			case fieldSample:
				err = d.sample(b[k:end], k)
			case fieldLocation:
				err = d.location(b[k:end], k)
			case fieldFunction:
				err = d.function(b[k:end], k)
			case fieldString:
				err = d.str(b[k:end], k)
			default:
				err = d.other(b, i, end)
			}
			if err != nil {
				return i, err
			}
			i = end
			continue
		}
		f, next, problem := nextField(b, i)
		if problem != "" {
			if (f.wire == wireFixed32 || f.wire == wireFixed64) && len(b)-i < 19 {
				return i, nil // may be whole with more bytes
			}
			return i, d.fail(next, "%s", problem)
		}
		if err := d.scalar(f, i); err != nil {
			return i, err
		}
		i = next
	}
	return i, nil
}

// reserve makes room for what b, a whole profile, holds, so that the columns
// don't have to grow.
func (d *decoder) reserve(b []byte) {
	var count [fieldString + 1]int
	frames, lines := 0, 0
	for i := 0; i < len(b); {
		f, next, problem := nextField(b, i)
		if problem != "" {
			break
		}
		if f.num < uint64(len(count)) {
			count[f.num]++
		}
		switch {
		case f.num == fieldSample && len(f.data) > 2 && f.data[0] == 1<<3|wireBytes:
			if n, k := uvarint(f.data, 1); k > 0 && n <= uint64(len(f.data)-k) {
				for _, c := range f.data[k : k+int(n)] {
					frames += int(^c >> 7) // the last byte of an id
				}
			}
		case f.num == fieldLocation:
			lines++
		}
		i = next
	}
	p := d.p
	if count[fieldSample] > d.lim.Samples || frames > d.lim.Frames || count[fieldLocation] > d.lim.Locations ||
		count[fieldFunction] > d.lim.Functions || count[fieldString] > d.lim.Strings {
		return // decoding will say so
	}
	p.Stacks = make([]Stack, 0, count[fieldSample])
	p.Frames = make([]uint32, 0, frames+8)
	p.Locations = make([]Location, 0, count[fieldLocation])
	p.Lines = make([]Line, 0, lines+lines/8)
	p.Functions = make([]Function, 0, count[fieldFunction])
	p.Strings = make([]string, 0, count[fieldString])
	d.samples = count[fieldSample]
}

// str adds an entry of the string table.
func (d *decoder) str(b []byte, at int) error {
	p := d.p
	if len(p.Strings) == 0 && len(b) > 0 {
		return d.fail(at, "string_table[0] must be empty")
	}
	if len(p.Strings) >= d.lim.Strings {
		return &LimitError{"strings", int64(d.lim.Strings)}
	}
	if d.share && len(b) > 0 {
		p.Strings = append(p.Strings, unsafe.String(&b[0], len(b)))
		return nil
	}
	p.Strings = append(p.Strings, d.arena.copyBytes(b))
	return nil
}

// rawID returns what stands in the columns for id until finish: small ids
// stand for themselves, others for an entry of bigIDs.
func (d *decoder) rawID(id uint64) uint32 {
	if id < 1<<31 {
		return uint32(id)
	}
	if d.bigIDs == nil {
		d.bigIDs = map[uint64]uint32{}
	}
	raw, ok := d.bigIDs[id]
	if !ok {
		raw = 1<<31 | uint32(len(d.bigIDs))
		d.bigIDs[id] = raw
	}
	return raw
}

// fromRawID is the inverse of rawID, for error messages.
func (d *decoder) fromRawID(raw uint32) uint64 {
	for id, r := range d.bigIDs {
		if r == raw {
			return id
		}
	}
	return uint64(raw)
}

// other decodes a length-delimited field b[i:end] of Profile that is not one of the frequent ones.
func (d *decoder) other(b []byte, i, end int) error {
	f, _, problem := nextField(b[:end], i)
	if problem != "" {
		return d.fail(i, "%s", problem)
	}
	switch f.num {
	case fieldSampleType, fieldPeriodType:
		var ids [2]uint64
		for k := 0; k < len(f.data); {
			g, next, problem := nextField(f.data, k)
			if problem != "" {
				return d.fail(f.at+next, "%s", problem)
			}
			if g.num <= 2 {
				if g.wire != wireVarint {
					return d.fail(f.at+k, "field %d of a value type has the wrong wire type %d", g.num, g.wire)
				}
				ids[g.num-1] = g.v
			}
			k = next
		}
		if f.num == fieldPeriodType {
			d.periodType = ids
		} else {
			d.sampleTypes = append(d.sampleTypes, ids)
		}
	case fieldMapping:
		return d.mapping(f.data, f.at)
	case fieldComment: // packed
		for k := 0; k < len(f.data); {
			v, next := uvarint(f.data, k)
			if next < 0 {
				return d.fail(f.at+k, "%s", varintProblem(next))
			}
			d.comments = append(d.comments, v)
			k = next
		}
	default:
		if f.num <= fieldDocURL {
			return d.fail(i, "field %d of the profile has the wrong wire type %d", f.num, f.wire)
		}
	}
	return nil
}

// scalar handles a field of Profile that is a number.
func (d *decoder) scalar(f field, at int) error {
	p := d.p
	if f.num > fieldDocURL {
		return nil
	}
	if f.wire != wireVarint || f.num <= fieldString || f.num == fieldPeriodType {
		return d.fail(at, "field %d of the profile has the wrong wire type %d", f.num, f.wire)
	}
	switch f.num {
	case fieldDropFrames:
		d.header[0] = f.v
	case fieldKeepFrames:
		d.header[1] = f.v
	case fieldTimeNanos:
		if p.TimeNanos != 0 {
			return d.fail(at, "the file holds several profiles one after another")
		}
		p.TimeNanos = int64(f.v)
	case fieldDurationNanos:
		p.DurationNanos = int64(f.v)
	case fieldPeriod:
		p.Period = int64(f.v)
	case fieldComment:
		d.comments = append(d.comments, f.v)
	case fieldDefaultSampleType:
		d.header[2] = f.v
	case fieldDocURL:
		d.header[3] = f.v
	}
	return nil
}
