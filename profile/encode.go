package profile

import (
	"compress/gzip"
	"io"

	fast "github.com/klauspost/compress/gzip"
)

// Encode writes p as a gzipped protobuf message, about as small as go tool pprof does.
func (p *Profile) Encode(w io.Writer) error { return p.encodeTo(gzip.NewWriter(w)) }

// EncodeFast writes p as Encode does, in half the time, and up to 8 % larger: for who
// reads it once.
func (p *Profile) EncodeFast(w io.Writer) error { return p.encodeTo(fast.NewWriter(w)) }

func (p *Profile) encodeTo(zw io.WriteCloser) error {
	if err := p.EncodeUncompressed(zw); err != nil {
		return err
	}
	return zw.Close()
}

// EncodeUncompressed writes p as a protobuf message, without strings that nothing refers to.
func (p *Profile) EncodeUncompressed(w io.Writer) error {
	e := encoder{w: w, p: p}
	e.profile()
	e.flush(0)
	return e.err
}

// encoder writes messages field by field. The order of fields and of strings is that of
// google/pprof: what samples refer to, and therefore is referred to most, has short ids.
type encoder struct {
	w      io.Writer
	p      *Profile
	b      []byte
	err    error
	header map[string]uint32 // of each string of the header, its place in the profile's table or behind it
	added  []string          // those behind it
	ids    []uint32          // of the strings of the table, and of added, in what is written; 0 if not used so far
	order  []uint32          // the reverse, from id 1
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

// str returns the id of a string of the header.
func (e *encoder) str(s string) uint64 {
	if s == "" {
		return 0
	}
	return e.id(e.header[s])
}

// id returns the id of a string of the table, which is the next one if it has none.
func (e *encoder) id(i uint32) uint64 {
	if i == 0 {
		return 0
	}
	if e.ids[i] == 0 {
		e.order = append(e.order, i)
		e.ids[i] = uint32(len(e.order))
	}
	return uint64(e.ids[i])
}

// headerStrings gives every string of the header its place: that of an equal string
// in the table if there is one, else one behind the table.
func (e *encoder) headerStrings() {
	p := e.p
	e.header = map[string]uint32{}
	p.eachHeaderString(func(s string) { e.header[s] = 0 })
	missing := len(e.header)
	for i, s := range p.Strings {
		if missing == 0 {
			break
		}
		if place, ok := e.header[s]; ok && place == 0 && i > 0 {
			e.header[s] = uint32(i)
			missing--
		}
	}
	next := max(1, len(p.Strings))
	p.eachHeaderString(func(s string) {
		if e.header[s] == 0 {
			e.header[s] = uint32(next + len(e.added))
			e.added = append(e.added, s)
		}
	})
	e.ids = make([]uint32, next+len(e.added))
}

// eachHeaderString calls f with the strings that the profile holds as such and
// not as ids, without empty ones.
func (p *Profile) eachHeaderString(f func(string)) {
	each := func(ss ...string) {
		for _, s := range ss {
			if s != "" {
				f(s)
			}
		}
	}
	for _, t := range p.SampleTypes {
		each(t.Type, t.Unit)
	}
	each(p.PeriodType.Type, p.PeriodType.Unit)
	for _, m := range p.Mappings {
		each(m.File, m.BuildID)
	}
	each(p.Comments...)
	each(p.DropFrames, p.KeepFrames, p.DefaultSampleType, p.DocURL)
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
	e.headerStrings()
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
	p.eachHeaderString(func(s string) { e.str(s) })
	e.strings()
	e.num(fieldDropFrames, e.str(p.DropFrames))
	e.num(fieldKeepFrames, e.str(p.KeepFrames))
	e.num(fieldTimeNanos, uint64(p.TimeNanos))
	e.num(fieldDurationNanos, uint64(p.DurationNanos))
	if p.PeriodType != (ValueType{}) {
		e.valueType(fieldPeriodType, p.PeriodType)
	}
	e.num(fieldPeriod, uint64(p.Period))
	for _, c := range p.Comments {
		e.varint(fieldComment<<3 | wireVarint)
		e.varint(e.str(c))
	}
	e.num(fieldDefaultSampleType, e.str(p.DefaultSampleType))
	e.num(fieldDocURL, e.str(p.DocURL))
}

// strings writes the table, after all that refers to it has its ids.
func (e *encoder) strings() {
	e.message(fieldString, 0)
	for _, i := range e.order {
		s := ""
		if n := max(1, len(e.p.Strings)); int(i) < n {
			s = e.p.Strings[i]
		} else {
			s = e.added[int(i)-n]
		}
		e.message(fieldString, len(s))
		e.b = append(e.b, s...)
		e.flush(flushAt)
	}
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

func (e *encoder) sample(s int) {
	p := e.p
	stack := p.Stack(s)
	frames := 0
	for _, l := range stack {
		frames += uvarintLen(p.Locations[l].ID)
	}
	values := 0
	for _, col := range p.Values {
		values += uvarintLen(uint64(col[s]))
	}
	labels := p.SampleLabelSet(s)
	n := 1 + uvarintLen(uint64(values)) + values
	if frames > 0 {
		n += 1 + uvarintLen(uint64(frames)) + frames
	}
	for i := range labels {
		l := e.labelLen(&labels[i])
		n += 1 + uvarintLen(uint64(l)) + l
	}
	e.message(fieldSample, n)
	if frames > 0 {
		e.message(1, frames)
		for _, l := range stack {
			e.varint(p.Locations[l].ID)
		}
	}
	e.message(2, values)
	for _, col := range p.Values {
		e.varint(uint64(col[s]))
	}
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
