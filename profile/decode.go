package profile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
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
		// The records that there are many of, with a length of one or two bytes.
		if c := b[i]; i+2 < len(b) && c&7 == wireBytes && c < 0x80 {
			n, k := int(b[i+1]), i+2
			if n >= 0x80 {
				n, k = n&0x7f|int(b[i+2])<<7, i+3
			}
			if end := k + n; end <= len(b) && n < 1<<14 {
				known := true
				switch c >> 3 {
				case fieldSample:
					err = d.sample(b[k:end], k)
				case fieldLocation:
					err = d.location(b[k:end], k)
				case fieldFunction:
					err = d.function(b[k:end], k)
				case fieldString:
					err = d.str(b[k:end], k)
				default:
					known = false
				}
				if err != nil {
					return i, err
				}
				if known {
					i = end
					continue
				}
			}
		}
		key, k := uvarint(b, i)
		if k < 0 {
			if k == -1 {
				return i, nil
			}
			return i, d.fail(i, "%s", varintProblem(k))
		}
		v, k := uvarint(b, k)
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

// sample decodes one Sample message, which stands at b's piece[at:].
func (d *decoder) sample(b []byte, at int) error {
	p := d.p
	if len(p.Stacks) >= d.lim.Samples {
		return &LimitError{"samples", int64(d.lim.Samples)}
	}
	start := len(p.Frames)
	d.vals = d.vals[:0]
	d.labels, d.labelsAt, d.knownSet = d.labels[:0], -1, 0
	for i := 0; i < len(b); {
		switch b[i] {
		case 1<<3 | wireBytes: // packed location ids
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's locations are cut off")
			}
			i = k + int(n)
			if bad := d.frames(b[k:i]); bad >= 0 {
				return d.fail(at+k+bad, "a sample's locations hold a malformed number")
			}
		case 2<<3 | wireBytes: // packed values
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's values are cut off")
			}
			i = k + int(n)
			for k < i {
				v, next := uvarint(b[:i], k)
				if next < 0 {
					return d.fail(at+k, "a sample's values hold a malformed number")
				}
				d.vals = append(d.vals, int64(v))
				k = next
			}
		case 2<<3 | wireVarint:
			v, k := uvarint(b, i+1)
			if k < 0 {
				return d.fail(at+i, "%s", varintProblem(k))
			}
			d.vals = append(d.vals, int64(v))
			i = k
		case 1<<3 | wireVarint:
			v, k := uvarint(b, i+1)
			if k < 0 {
				return d.fail(at+i, "%s", varintProblem(k))
			}
			p.Frames = append(p.Frames, d.rawID(v))
			i = k
		case 3<<3 | wireBytes:
			// Labels mostly stand together, last, and are those of another sample.
			if len(d.labels) == 0 {
				if set, ok := d.recent.find(b[i:]); ok {
					d.knownSet, i = set, len(b)
					continue
				}
				d.labelsAt = i
			}
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's label is cut off")
			}
			i = k + int(n)
			if err := d.label(b[k:i], at+k); err != nil {
				return err
			}
		default:
			f, next, problem := nextField(b, i)
			if problem != "" {
				return d.fail(at+next, "%s", problem)
			}
			if f.num <= 3 {
				if err := d.oddSampleField(f, at, i); err != nil {
					return err
				}
			}
			i = next
		}
	}
	if len(d.vals) != d.nTypes {
		if d.nTypes >= 0 {
			return d.fail(at, "a sample has %d values, those before have %d", len(d.vals), d.nTypes)
		}
		d.nTypes = len(d.vals)
		for len(p.Values) < d.nTypes {
			if len(p.Values) < cap(p.Values) {
				p.Values = p.Values[:len(p.Values)+1] // a column kept by reset
			} else {
				p.Values = append(p.Values, make([]int64, 0, d.samples))
			}
		}
	}
	for t, v := range d.vals {
		p.Values[t] = append(p.Values[t], v)
	}
	if len(p.Frames) > d.lim.Frames {
		return &LimitError{"stack frames", int64(d.lim.Frames)}
	}
	p.Stacks = append(p.Stacks, Stack{uint32(start), uint32(len(p.Frames) - start)})
	if d.knownSet != 0 {
		p.SampleLabels = append(p.SampleLabels, d.knownSet)
		return nil
	}
	if len(d.labels) > 0 || p.SampleLabels != nil {
		if err := d.sampleLabels(); err != nil {
			return err
		}
		if d.labelsAt >= 0 {
			d.recent.add(b[d.labelsAt:], p.SampleLabels[len(p.SampleLabels)-1])
		}
	}
	return nil
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

// oddSampleField handles fields of a sample whose key is encoded in more bytes
// than needed, or with the wrong wire type.
func (d *decoder) oddSampleField(f field, at, i int) error {
	if f.num == 3 && f.wire == wireBytes {
		return d.label(f.data, at+f.at)
	}
	if f.num == 3 || f.wire != wireVarint && f.wire != wireBytes {
		return d.fail(at+i, "field %d of a sample has the wrong wire type %d", f.num, f.wire)
	}
	numbers := []uint64{f.v}
	if f.wire == wireBytes {
		numbers = numbers[:0]
		for k := 0; k < len(f.data); {
			v, next := uvarint(f.data, k)
			if next < 0 {
				return d.fail(at+f.at+k, "%s", varintProblem(next))
			}
			numbers = append(numbers, v)
			k = next
		}
	}
	for _, v := range numbers {
		if f.num == 1 {
			d.p.Frames = append(d.p.Frames, d.rawID(v))
		} else {
			d.vals = append(d.vals, int64(v))
		}
	}
	return nil
}

// frames appends the packed location ids in b to Frames and returns the place
// of a malformed one, or -1.
func (d *decoder) frames(b []byte) int {
	f := d.p.Frames
	if len(b) > cap(f)-len(f) { // an id takes at least a byte
		n := 0
		for _, c := range b {
			n += int(^c >> 7)
		}
		f = slices.Grow(f, n+4)
	}
	dst := f[len(f):cap(f)]
	w, i := 0, 0
	// Ids of real profiles mostly take two bytes: four of those at a time.
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		if x&0x8080808080808080 != 0x0080008000800080 {
			c := b[i]
			switch {
			case c < 0x80:
				dst[w] = uint32(c)
				i++
			case b[i+1] < 0x80:
				dst[w] = uint32(c&0x7f) | uint32(b[i+1])<<7
				i += 2
			default:
				v, next := uvarintLong(b, i)
				if next < 0 {
					return i
				}
				dst[w] = d.rawID(v)
				i = next
			}
			w++
			continue
		}
		x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
		four := dst[w : w+4]
		four[0], four[1], four[2], four[3] = uint32(x&0xffff), uint32(x>>16&0xffff), uint32(x>>32&0xffff), uint32(x>>48)
		w += 4
		i += 8
	}
	for ; i < len(b); w++ {
		c := b[i]
		if c < 0x80 {
			dst[w] = uint32(c)
			i++
			continue
		}
		if i+1 < len(b) {
			if c1 := b[i+1]; c1 < 0x80 {
				dst[w] = uint32(c&0x7f) | uint32(c1)<<7
				i += 2
				continue
			}
		}
		v, next := uvarintLong(b, i)
		if next < 0 {
			return i
		}
		dst[w] = d.rawID(v)
		i = next
	}
	d.p.Frames = f[:len(f)+w]
	return -1
}

// label decodes one Label message into d.labels.
func (d *decoder) label(b []byte, at int) error {
	var key, str, unit, num uint64
	for i := 0; i < len(b); {
		f, next, problem := nextField(b, i)
		if problem != "" {
			return d.fail(at+next, "%s", problem)
		}
		if f.num <= 4 && f.wire != wireVarint {
			return d.fail(at+i, "field %d of a label has the wrong wire type %d", f.num, f.wire)
		}
		switch f.num {
		case 1:
			key = f.v
		case 2:
			str = f.v
		case 3:
			num = f.v
		case 4:
			unit = f.v
		}
		i = next
	}
	switch {
	case str != 0:
		d.labels = append(d.labels, Label{Key: strID(key), Str: strID(str)})
	case num != 0 || unit != 0:
		d.labels = append(d.labels, Label{Key: strID(key), Numeric: true, Num: int64(num), Unit: strID(unit), HasUnit: unit != 0})
	}
	return nil
}

// strID narrows a string id; what doesn't fit becomes one that finish refuses.
func strID(v uint64) StringID { return uint32(min(v, math.MaxUint32)) }

// sampleLabels stores the labels of the sample just added. They are put in the
// order of their key ids for now; finish puts them in the order of their keys.
func (d *decoder) sampleLabels() error {
	p := d.p
	if d.sets == nil {
		d.sets = &interner{p: &Profile{}}
		d.sets.labelSet(nil)
		p.SampleLabels = make([]uint32, len(p.Stacks)-1, cap(p.Stacks))
	}
	if len(d.labels) > 1 {
		sort.SliceStable(d.labels, func(i, j int) bool {
			a, b := &d.labels[i], &d.labels[j]
			if a.Numeric != b.Numeric {
				return b.Numeric
			}
			return a.Key < b.Key
		})
	}
	p.SampleLabels = append(p.SampleLabels, d.sets.labelSet(d.labels))
	if len(d.sets.p.Labels) > d.lim.Labels {
		return &LimitError{"distinct labels", int64(d.lim.Labels)}
	}
	return nil
}

// canonicalLabels puts labels in the order that LabelSet tells and sets HasUnit.
func canonicalLabels(set []Label, strings []string) {
	if len(set) > 1 {
		slices.SortStableFunc(set, func(a, b Label) int {
			if a.Numeric != b.Numeric {
				return cmp.Compare(b2u(a.Numeric), b2u(b.Numeric))
			}
			return cmp.Compare(strings[a.Key], strings[b.Key])
		})
	}
	for i := 0; i < len(set); {
		j, has := i, false
		for ; j < len(set) && set[j].Numeric == set[i].Numeric && strings[set[j].Key] == strings[set[i].Key]; j++ {
			has = has || set[j].Unit != 0 || set[j].HasUnit
		}
		for ; i < j; i++ {
			set[i].HasUnit = has && set[i].Numeric
		}
	}
}

// location decodes one Location message.
func (d *decoder) location(b []byte, at int) error {
	p := d.p
	if len(p.Locations) >= d.lim.Locations {
		return &LimitError{"locations", int64(d.lim.Locations)}
	}
	l := Location{FirstLine: uint32(len(p.Lines))}
	for i := 0; i < len(b); {
		// What writers produce; anything else takes the general way.
		if c := b[i]; i+1 < len(b) && c <= 4<<3|wireBytes {
			v, k := shortUvarint(b, i+1)
			if k == 0 {
				v, k = uvarint(b, i+1)
			}
			if k > 0 {
				switch c {
				case 1<<3 | wireVarint:
					l.ID, i = v, k
					continue
				case 2<<3 | wireVarint:
					l.Mapping, i = d.rawID(v), k
					continue
				case 3<<3 | wireVarint:
					l.Address, i = v, k
					continue
				case 4<<3 | wireBytes:
					if v <= uint64(len(b)-k) {
						i = k + int(v)
						if err := d.line(b[k:i], at+k); err != nil {
							return err
						}
						l.NumLines++
						continue
					}
				}
			}
		}
		f, next, problem := nextField(b, i)
		if problem != "" {
			return d.fail(at+next, "%s", problem)
		}
		if f.num == 4 && f.wire == wireBytes {
			if err := d.line(f.data, at+f.at); err != nil {
				return err
			}
			l.NumLines++
		} else if f.num <= 5 && f.wire != wireVarint {
			return d.fail(at+i, "field %d of a location has the wrong wire type %d", f.num, f.wire)
		}
		switch f.num {
		case 1:
			l.ID = f.v
		case 2:
			l.Mapping = d.rawID(f.v)
		case 3:
			l.Address = f.v
		case 5:
			l.Folded = f.v != 0
		}
		i = next
	}
	if l.ID == 0 {
		return d.fail(at, "a location has the reserved id 0")
	}
	d.denseLocs = d.denseLocs && l.ID == uint64(len(p.Locations))+1
	p.Locations = append(p.Locations, l)
	return nil
}

// line decodes one Line message.
func (d *decoder) line(b []byte, at int) error {
	p := d.p
	if len(p.Lines) >= d.lim.Lines {
		return &LimitError{"source lines", int64(d.lim.Lines)}
	}
	var fn uint64
	var ln Line
	i := 0
	if len(b) > 3 && b[0] == 1<<3|wireVarint {
		// Nearly all lines are a function and a line number.
		v, k := shortUvarint(b, 1)
		if k == 0 {
			v, k = uvarint(b, 1)
		}
		if k > 0 && k+1 < len(b) && b[k] == 2<<3|wireVarint {
			w, next := shortUvarint(b, k+1)
			if next == 0 {
				w, next = uvarint(b, k+1)
			}
			if next > 0 {
				fn, ln.Line, i = v, int64(w), next
			}
		}
	}
	for i < len(b) {
		f, next, problem := nextField(b, i)
		if problem != "" {
			return d.fail(at+next, "%s", problem)
		}
		if f.num <= 3 && f.wire != wireVarint {
			return d.fail(at+i, "field %d of a line has the wrong wire type %d", f.num, f.wire)
		}
		switch f.num {
		case 1:
			fn = f.v
		case 2:
			ln.Line = int64(f.v)
		case 3:
			ln.Column = int64(f.v)
		}
		i = next
	}
	if fn == 0 {
		return d.fail(at, "a location has a line without a function")
	}
	ln.Function = d.rawID(fn)
	p.Lines = append(p.Lines, ln)
	return nil
}

// function decodes one Function message.
func (d *decoder) function(b []byte, at int) error {
	p := d.p
	if len(p.Functions) >= d.lim.Functions {
		return &LimitError{"functions", int64(d.lim.Functions)}
	}
	var id uint64
	var fn Function
	for i := 0; i < len(b); {
		if c := b[i]; i+1 < len(b) && c <= 5<<3 && c&7 == wireVarint {
			v, k := shortUvarint(b, i+1)
			if k == 0 {
				v, k = uvarint(b, i+1)
			}
			if k > 0 {
				switch c >> 3 {
				case 1:
					id = v
				case 2:
					fn.Name = strID(v)
				case 3:
					fn.SystemName = strID(v)
				case 4:
					fn.File = strID(v)
				case 5:
					fn.StartLine = int64(v)
				}
				if c != 0 {
					i = k
					continue
				}
			}
		}
		f, next, problem := nextField(b, i)
		if problem != "" {
			return d.fail(at+next, "%s", problem)
		}
		if f.num <= 5 && f.wire != wireVarint {
			return d.fail(at+i, "field %d of a function has the wrong wire type %d", f.num, f.wire)
		}
		switch f.num {
		case 1:
			id = f.v
		case 2:
			fn.Name = strID(f.v)
		case 3:
			fn.SystemName = strID(f.v)
		case 4:
			fn.File = strID(f.v)
		case 5:
			fn.StartLine = int64(f.v)
		}
		i = next
	}
	if id == 0 {
		return d.fail(at, "a function has the reserved id 0")
	}
	if d.denseFuncs && id != uint64(len(p.Functions))+1 {
		d.denseFuncs = false
		for i := range p.Functions {
			d.funcIDs = append(d.funcIDs, uint64(i)+1)
		}
	}
	if !d.denseFuncs {
		d.funcIDs = append(d.funcIDs, id)
	}
	p.Functions = append(p.Functions, fn)
	return nil
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

// mapping decodes one Mapping message.
func (d *decoder) mapping(b []byte, at int) error {
	var m Mapping
	var ids [2]uint64
	for i := 0; i < len(b); {
		f, next, problem := nextField(b, i)
		if problem != "" {
			return d.fail(at+next, "%s", problem)
		}
		if f.num <= 10 && f.wire != wireVarint {
			return d.fail(at+i, "field %d of a mapping has the wrong wire type %d", f.num, f.wire)
		}
		switch f.num {
		case 1:
			m.ID = f.v
		case 2:
			m.Start = f.v
		case 3:
			m.Limit = f.v
		case 4:
			m.Offset = f.v
		case 5, 6:
			ids[f.num-5] = f.v
		case 7:
			m.HasFunctions = f.v != 0
		case 8:
			m.HasFilenames = f.v != 0
		case 9:
			m.HasLineNumbers = f.v != 0
		case 10:
			m.HasInlineFrames = f.v != 0
		}
		i = next
	}
	if m.ID == 0 {
		return d.fail(at, "a mapping has the reserved id 0")
	}
	if len(d.p.Mappings) >= d.lim.Locations {
		return &LimitError{"mappings", int64(d.lim.Locations)}
	}
	d.p.Mappings = append(d.p.Mappings, m)
	d.mappings = append(d.mappings, ids)
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
