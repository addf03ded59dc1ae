package profile

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

// Encode writes p as a gzipped protobuf message.
func (p *Profile) Encode(w io.Writer) error {
	zw := gzip.NewWriter(w)
	if err := p.EncodeUncompressed(zw); err != nil {
		return err
	}
	return zw.Close()
}

// EncodeUncompressed writes p as a protobuf message.
func (p *Profile) EncodeUncompressed(w io.Writer) error {
	e := encoder{w: w, p: p}
	e.profile()
	e.flush(0)
	return e.err
}

// encoder writes messages field by field. The order of fields is that of
// google/pprof, with the string table behind what refers to it.
type encoder struct {
	w     io.Writer
	p     *Profile
	b     []byte
	err   error
	extra map[string]uint64 // ids of strings that are not in the table
	added []string
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
	return e.extra[s]
}

// headerStrings gives every string of the header an id: that of an equal string
// in the table if there is one, else one behind the table.
func (e *encoder) headerStrings() {
	p := e.p
	e.extra = map[string]uint64{}
	p.eachHeaderString(func(s string) { e.extra[s] = 0 })
	missing := len(e.extra)
	for i, s := range p.Strings {
		if missing == 0 {
			break
		}
		if id, ok := e.extra[s]; ok && id == 0 && i > 0 {
			e.extra[s] = uint64(i)
			missing--
		}
	}
	next := uint64(max(1, len(p.Strings)))
	p.eachHeaderString(func(s string) {
		if e.extra[s] == 0 {
			e.extra[s] = next
			e.added = append(e.added, s)
			next++
		}
	})
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
		nums := [...]uint64{uint64(i) + 1, uint64(f.Name), uint64(f.SystemName), uint64(f.File), uint64(f.StartLine)}
		e.numbers(fieldFunction, nums[:])
		e.flush(flushAt)
	}
	if len(p.Strings) == 0 {
		e.message(fieldString, 0)
	}
	for _, table := range [][]string{p.Strings, e.added} {
		for _, s := range table {
			e.message(fieldString, len(s))
			e.b = append(e.b, s...)
			e.flush(flushAt)
		}
	}
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
		l := labelLen(&labels[i])
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
		e.message(3, labelLen(l))
		e.num(1, uint64(l.Key))
		e.num(2, uint64(l.Str))
		e.num(3, uint64(l.Num))
		e.num(4, uint64(l.Unit))
	}
}

func labelLen(l *Label) int {
	return numLen(uint64(l.Key)) + numLen(uint64(l.Str)) + numLen(uint64(l.Num)) + numLen(uint64(l.Unit))
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
