package profile

import (
	"compress/gzip"
	"hash/maphash"
	"io"

	fast "github.com/klauspost/compress/gzip"

	"github.com/hone-go/hone/internal/hashing"
)

// Encode writes p as a gzipped protobuf message, about as small as go tool pprof does.
func (p *Profile) Encode(w io.Writer) error { return encodeTo(p, gzip.NewWriter(w)) }

// EncodeFast writes p as Encode does, in half the time, and up to 8 % larger: for who
// reads it once.
func (p *Profile) EncodeFast(w io.Writer) error { return encodeTo(p, fast.NewWriter(w)) }

func encodeTo(p *Profile, zw io.WriteCloser) error {
	if err := p.EncodeUncompressed(zw); err != nil {
		return err
	}
	return zw.Close()
}

// EncodeUncompressed writes p as a protobuf message, without strings that nothing refers to.
func (p *Profile) EncodeUncompressed(w io.Writer) error {
	n := len(p.Strings)
	e := encoder{w: w, p: p, seed: maphash.MakeSeed(), ids: make([]uint32, n), out: append(make([]string, 0, n+1), "")}
	e.text.Reserve(n)
	e.profile()
	e.flush(0)
	return e.err
}

// encoder writes messages field by field. The order of fields and of strings is that of
// google/pprof: what samples refer to, and therefore is referred to most, has short ids.
// Equal strings become one, however often the profile's table holds them.
type encoder struct {
	w    io.Writer
	p    *Profile
	b    []byte
	err  error
	seed maphash.Seed
	ids  []uint32      // of the strings of the profile's table, in what is written; 0 if not used so far
	out  []string      // what is written; the empty string, whose id is 0, included
	text hashing.Index // finds rows of out
	nums []uint64      // reused
}

// flush writes the buffer out when it holds more than limit bytes.
func (e *encoder) flush(limit int) {
	if len(e.b) <= limit || e.err != nil {
		return
	}
	_, e.err = e.w.Write(e.b)
	e.b = e.b[:0]
}

func (e *encoder) varint(v uint64) {
	for v >= 0x80 {
		e.b = append(e.b, byte(v)|0x80)
		v >>= 7
	}
	e.b = append(e.b, byte(v))
}

// num writes a numeric field unless it is 0, its default.
func (e *encoder) num(num int, v uint64) {
	if v != 0 {
		e.varint(uint64(num)<<3 | wireVarint)
		e.varint(v)
	}
}

func (e *encoder) bool(num int, v bool) { e.num(num, b2u(v)) }

// numLen is the number of bytes num writes.
func numLen(v uint64) int {
	if v == 0 {
		return 0
	}
	return 1 + uvarintLen(v)
}

// message starts a message field of n bytes.
func (e *encoder) message(num, n int) {
	e.varint(uint64(num)<<3 | wireBytes)
	e.varint(uint64(n))
}

// str returns the id of s, which is the next one if it has none.
func (e *encoder) str(s string) uint64 {
	if s == "" {
		return 0
	}
	h := uint32(maphash.String(e.seed, s))
	id, ok := e.text.Find(h, func(id uint32) bool { return e.out[id] == s })
	if !ok {
		id = uint32(len(e.out))
		e.out = append(e.out, s)
		e.text.Add(h, id)
	}
	return uint64(id)
}

// id returns the id of a string of the profile's table.
func (e *encoder) id(i uint32) uint64 {
	if i == 0 {
		return 0
	}
	if e.ids[i] == 0 {
		e.ids[i] = uint32(e.str(e.p.Strings[i]))
	}
	return uint64(e.ids[i])
}

const flushAt = 64 << 10

func (e *encoder) valueType(num int, t ValueType) {
	typ, unit := e.str(t.Type), e.str(t.Unit)
	e.message(num, numLen(typ)+numLen(unit))
	e.num(1, typ)
	e.num(2, unit)
}

func (e *encoder) profile() {
	p := e.p
	for _, t := range p.SampleTypes {
		e.valueType(fieldSampleType, t)
	}
	for s := range p.Stacks {
		e.sample(s)
		e.flush(flushAt)
	}
	for i := range p.Mappings {
		m := &p.Mappings[i]
		nums := [...]uint64{m.ID, m.Start, m.Limit, m.Offset, e.str(m.File), e.str(m.BuildID),
			b2u(m.HasFunctions), b2u(m.HasFilenames), b2u(m.HasLineNumbers), b2u(m.HasInlineFrames)}
		e.numbers(fieldMapping, nums[:])
	}
	for i := range p.Locations {
		e.location(uint32(i))
		e.flush(flushAt)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		nums := [...]uint64{uint64(i) + 1, e.id(f.Name), e.id(f.SystemName), e.id(f.File), uint64(f.StartLine)}
		e.numbers(fieldFunction, nums[:])
		e.flush(flushAt)
	}
	// The rest refers to strings, too, but is written behind them.
	drop, keep := e.str(p.DropFrames), e.str(p.KeepFrames)
	e.str(p.PeriodType.Type)
	e.str(p.PeriodType.Unit)
	comments := make([]uint64, len(p.Comments))
	for i, c := range p.Comments {
		comments[i] = e.str(c)
	}
	defaultType, doc := e.str(p.DefaultSampleType), e.str(p.DocURL)
	for _, s := range e.out {
		e.message(fieldString, len(s))
		e.b = append(e.b, s...)
		e.flush(flushAt)
	}
	e.num(fieldDropFrames, drop)
	e.num(fieldKeepFrames, keep)
	e.num(fieldTimeNanos, uint64(p.TimeNanos))
	e.num(fieldDurationNanos, uint64(p.DurationNanos))
	if p.PeriodType != (ValueType{}) {
		e.valueType(fieldPeriodType, p.PeriodType)
	}
	e.num(fieldPeriod, uint64(p.Period))
	e.repeated(fieldComment, comments, varintsLen(comments))
	e.num(fieldDefaultSampleType, defaultType)
	e.num(fieldDocURL, doc)
}

// numbers writes a message whose fields 1, 2, … are the numbers.
func (e *encoder) numbers(num int, nums []uint64) {
	n := 0
	for _, v := range nums {
		n += numLen(v)
	}
	e.message(num, n)
	for i, v := range nums {
		e.num(i+1, v)
	}
}

// repeated writes a field of numbers whose varints have size bytes. One or two numbers
// are not packed, as google/pprof and the runtime do: the length of one would be a byte more.
func (e *encoder) repeated(num int, nums []uint64, size int) {
	packed := len(nums) > maxUnpacked
	if packed {
		e.message(num, size)
	}
	for _, v := range nums {
		if !packed {
			e.varint(uint64(num)<<3 | wireVarint)
		}
		e.varint(v)
	}
}

const maxUnpacked = 2

// repeatedLen is the number of bytes that repeated writes for n numbers, unless num
// takes more than one.
func repeatedLen(n, size int) int {
	if n <= maxUnpacked {
		return n + size
	}
	return 1 + uvarintLen(uint64(size)) + size
}

func varintsLen(nums []uint64) int {
	size := 0
	for _, v := range nums {
		size += uvarintLen(v)
	}
	return size
}

func (e *encoder) sample(s int) {
	p := e.p
	stack := p.Stack(s)
	e.nums = e.nums[:0]
	for _, l := range stack {
		e.nums = append(e.nums, p.Locations[l].ID)
	}
	for _, col := range p.Values {
		e.nums = append(e.nums, uint64(col[s]))
	}
	frames, values := e.nums[:len(stack)], e.nums[len(stack):]
	framesSize, valuesSize := varintsLen(frames), varintsLen(values)
	labels := p.SampleLabelSet(s)
	n := repeatedLen(len(frames), framesSize) + repeatedLen(len(values), valuesSize)
	for i := range labels {
		l := e.labelLen(&labels[i])
		n += 1 + uvarintLen(uint64(l)) + l
	}
	e.message(fieldSample, n)
	e.repeated(1, frames, framesSize)
	e.repeated(2, values, valuesSize)
	for i := range labels {
		l := &labels[i]
		e.message(3, e.labelLen(l))
		e.num(1, e.id(l.Key))
		e.num(2, e.id(l.Str))
		e.num(3, uint64(l.Num))
		e.num(4, e.id(l.Unit))
	}
}

func (e *encoder) labelLen(l *Label) int {
	return numLen(e.id(l.Key)) + numLen(e.id(l.Str)) + numLen(uint64(l.Num)) + numLen(e.id(l.Unit))
}

func (e *encoder) location(i uint32) {
	p := e.p
	l := &p.Locations[i]
	mapping := uint64(0)
	if m := p.MappingOf(i); m != nil {
		mapping = m.ID
	}
	lines := p.LocationLines(i)
	lineLen := func(ln *Line) int {
		return numLen(uint64(ln.Function)+1) + numLen(uint64(ln.Line)) + numLen(uint64(ln.Column))
	}
	n := numLen(l.ID) + numLen(mapping) + numLen(l.Address) + numLen(b2u(l.Folded))
	for k := range lines {
		ll := lineLen(&lines[k])
		n += 1 + uvarintLen(uint64(ll)) + ll
	}
	e.message(fieldLocation, n)
	e.num(1, l.ID)
	e.num(2, mapping)
	e.num(3, l.Address)
	for k := range lines {
		ln := &lines[k]
		e.message(4, lineLen(ln))
		e.num(1, uint64(ln.Function)+1)
		e.num(2, uint64(ln.Line))
		e.num(3, uint64(ln.Column))
	}
	e.bool(5, l.Folded)
}
