package profile

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// rawChunk is how much of the raw dump is collected before it is written.
const rawChunk = 64 << 10

// rawLine is how long a line of labels may be that is put together before it is written.
const rawLine = 1 << 20

// rawLabelIndent stands before the labels of a sample.
const rawLabelIndent = "                "

// rawLineIndent stands in place of the id, address and mapping of a location
// before its second and later lines.
const rawLineIndent = "             "

// WriteRaw writes the profile as text: header, samples, locations and mappings,
// one per line. The bytes are those of the -raw report of go tool pprof; times
// are in the local time zone.
func (p *Profile) WriteRaw(w io.Writer) error {
	r := rawWriter{p: p, w: w, buf: make([]byte, 0, rawChunk+4<<10)}
	r.header()
	for s := range p.Stacks {
		r.sample(s)
		if err := r.flush(rawChunk); err != nil {
			return err
		}
	}
	r.buf = append(r.buf, "Locations\n"...)
	for l := range p.Locations {
		r.location(uint32(l))
		if err := r.flush(rawChunk); err != nil {
			return err
		}
	}
	r.buf = append(r.buf, "Mappings\n"...)
	for i := range p.Mappings {
		r.mapping(&p.Mappings[i])
		if err := r.flush(rawChunk); err != nil {
			return err
		}
	}
	return r.flush(0)
}

type rawWriter struct {
	p   *Profile
	w   io.Writer
	buf []byte

	err   error    // of flush, after which nothing is written
	parts [][2]int // the parts of a line of labels, as ranges of buf
	spare []byte   // for reordering them
}

// flush writes what was collected if it is more than limit bytes.
func (r *rawWriter) flush(limit int) error {
	if r.err != nil || len(r.buf) <= limit {
		return r.err
	}
	_, r.err = r.w.Write(r.buf)
	r.buf = r.buf[:0]
	return r.err
}

func (r *rawWriter) header() {
	p, b := r.p, r.buf
	for _, c := range p.Comments {
		b = append(b, "Comment: "...)
		b = append(b, c...)
		b = append(b, '\n')
	}
	if p.DocURL != "" {
		b = append(b, "Doc: "...)
		b = append(b, p.DocURL...)
		b = append(b, '\n')
	}
	b = append(b, "PeriodType: "...)
	b = append(b, p.PeriodType.Type...)
	b = append(b, ' ')
	b = append(b, p.PeriodType.Unit...)
	b = append(b, "\nPeriod: "...)
	b = strconv.AppendInt(b, p.Period, 10)
	b = append(b, '\n')
	if p.TimeNanos != 0 {
		b = append(b, "Time: "...)
		b = append(b, time.Unix(0, p.TimeNanos).String()...)
		b = append(b, '\n')
	}
	if p.DurationNanos != 0 {
		// Cut to four characters, not rounded: "10.0" for 10.08s.
		d := time.Duration(p.DurationNanos).String()
		n := 0
		for range min(4, utf8.RuneCountInString(d)) {
			_, size := utf8.DecodeRuneInString(d[n:])
			n += size
		}
		b = append(b, "Duration: "...)
		b = append(b, d[:n]...)
		b = append(b, '\n')
	}
	b = append(b, "Samples:\n"...)
	var types []byte
	for _, t := range p.SampleTypes {
		types = append(types, t.Type...)
		types = append(types, '/')
		types = append(types, t.Unit...)
		if t.Type == p.DefaultSampleType {
			types = append(types, "[dflt]"...)
		}
		types = append(types, ' ')
	}
	b = append(b, bytes.TrimSpace(types)...)
	r.buf = append(b, '\n')
}

func (r *rawWriter) sample(s int) {
	p, b := r.p, r.buf
	for _, column := range p.Values {
		b = append(b, ' ')
		b = appendPadded(b, column[s], 10)
	}
	b = append(b, ": "...)
	for _, l := range p.Stack(s) {
		b = strconv.AppendUint(b, p.Locations[l].ID, 10)
		b = append(b, ' ')
	}
	r.buf = append(b, '\n')

	set := p.SampleLabelSet(s)
	n := 0
	for n < len(set) && !set[n].Numeric {
		n++
	}
	r.labels(set[:n])
	r.labels(set[n:])
}

// labels writes labels that are all strings or all numbers as one line of
// "key:[value value]" parts. The parts are sorted as they read, which differs
// from the order of the keys where one key is a prefix of another.
func (r *rawWriter) labels(set []Label) {
	if len(set) == 0 {
		return
	}
	strs := r.p.Strings
	size := 0
	for i := range set {
		if size += 24 + len(strs[set[i].Key]) + len(strs[set[i].Str]) + len(strs[set[i].Unit]); size > rawLine {
			r.longLabels(set)
			return
		}
	}
	b := append(r.buf, rawLabelIndent...)
	first := len(b)
	r.parts = r.parts[:0]
	for i := 0; i < len(set); {
		start := len(b)
		key := strs[set[i].Key]
		b = append(b, key...)
		b = append(b, ":["...)
		for j := i; i < len(set) && (set[i].Key == set[j].Key || strs[set[i].Key] == key); i++ {
			if i > j {
				b = append(b, ' ')
			}
			l := &set[i]
			if !l.Numeric {
				b = append(b, strs[l.Str]...)
				continue
			}
			b = strconv.AppendInt(b, l.Num, 10)
			if l.HasUnit {
				b = append(b, ' ')
				b = append(b, strs[l.Unit]...)
			}
		}
		b = append(b, ']')
		r.parts = append(r.parts, [2]int{start, len(b)})
		b = append(b, ' ')
	}
	compare := func(x, y [2]int) int { return bytes.Compare(b[x[0]:x[1]], b[y[0]:y[1]]) }
	if !slices.IsSortedFunc(r.parts, compare) {
		slices.SortFunc(r.parts, compare)
		r.spare = r.spare[:0]
		for _, part := range r.parts {
			r.spare = append(r.spare, b[part[0]:part[1]]...)
			r.spare = append(r.spare, ' ')
		}
		b = append(b[:first], r.spare...)
	}
	b[len(b)-1] = '\n'
	r.buf = b
}

// longLabels writes a line of labels that is too long to be put together first: labels
// may name a long text a million times. Its parts are sorted by their keys.
func (r *rawWriter) longLabels(set []Label) {
	strs := r.p.Strings
	type part struct{ from, to int }
	var parts []part
	for i := 0; i < len(set); {
		from := i
		for key := strs[set[i].Key]; i < len(set) && strs[set[i].Key] == key; {
			i++
		}
		parts = append(parts, part{from, i})
	}
	key := func(p part) string { return strs[set[p.from].Key] + ":[" }
	slices.SortStableFunc(parts, func(a, b part) int { return strings.Compare(key(a), key(b)) })
	r.buf = append(r.buf, rawLabelIndent...)
	for n, p := range parts {
		if n > 0 {
			r.buf = append(r.buf, ' ')
		}
		r.buf = append(r.buf, key(p)...)
		for i := p.from; i < p.to; i++ {
			if i > p.from {
				r.buf = append(r.buf, ' ')
			}
			l := &set[i]
			if !l.Numeric {
				r.buf = append(r.buf, strs[l.Str]...)
			} else if r.buf = strconv.AppendInt(r.buf, l.Num, 10); l.HasUnit {
				r.buf = append(append(r.buf, ' '), strs[l.Unit]...)
			}
			if r.flush(rawChunk) != nil {
				return
			}
		}
		r.buf = append(r.buf, ']')
	}
	r.buf = append(r.buf, '\n')
}

func (r *rawWriter) location(l uint32) {
	p, b := r.p, r.buf
	loc := &p.Locations[l]
	start := len(b)
	b = strconv.AppendUint(b, loc.ID, 10)
	b = padLeft(b, start, 6)
	b = append(b, ": 0x"...)
	b = strconv.AppendUint(b, loc.Address, 16)
	b = append(b, ' ')
	if loc.Mapping != 0 {
		b = append(b, "M="...)
		b = strconv.AppendUint(b, p.Mappings[loc.Mapping-1].ID, 10)
		b = append(b, ' ')
	}
	if loc.Folded {
		b = append(b, "[F] "...)
	}
	for i, line := range p.LocationLines(l) {
		if i > 0 {
			b = append(b, '\n')
			b = append(b, rawLineIndent...)
		}
		f := &p.Functions[line.Function]
		name := p.Strings[f.Name]
		b = append(b, name...)
		b = append(b, ' ')
		b = append(b, p.Strings[f.File]...)
		b = append(b, ':')
		b = strconv.AppendInt(b, line.Line, 10)
		b = append(b, ':')
		b = strconv.AppendInt(b, line.Column, 10)
		b = append(b, " s="...)
		b = strconv.AppendInt(b, f.StartLine, 10)
		if system := p.Strings[f.SystemName]; system != name {
			b = append(b, '(')
			b = append(b, system...)
			b = append(b, ')')
		}
	}
	r.buf = append(b, '\n')
}

func (r *rawWriter) mapping(m *Mapping) {
	b := strconv.AppendUint(r.buf, m.ID, 10)
	b = append(b, ": 0x"...)
	b = strconv.AppendUint(b, m.Start, 16)
	b = append(b, "/0x"...)
	b = strconv.AppendUint(b, m.Limit, 16)
	b = append(b, "/0x"...)
	b = strconv.AppendUint(b, m.Offset, 16)
	b = append(b, ' ')
	b = append(b, m.File...)
	b = append(b, ' ')
	b = append(b, m.BuildID...)
	b = append(b, ' ')
	for _, flag := range [...]struct {
		set  bool
		text string
	}{
		{m.HasFunctions, "[FN]"},
		{m.HasFilenames, "[FL]"},
		{m.HasLineNumbers, "[LN]"},
		{m.HasInlineFrames, "[IN]"},
	} {
		if flag.set {
			b = append(b, flag.text...)
		}
	}
	r.buf = append(b, '\n')
}

// appendPadded appends v right-aligned in width columns.
func appendPadded(b []byte, v int64, width int) []byte {
	start := len(b)
	return padLeft(strconv.AppendInt(b, v, 10), start, width)
}

// padLeft moves b[start:] right behind spaces, so that it is width bytes long.
func padLeft(b []byte, start, width int) []byte {
	n := len(b) - start
	if n >= width {
		return b
	}
	const spaces = "                    "
	b = append(b, spaces[:width-n]...)
	copy(b[start+width-n:], b[start:start+n])
	copy(b[start:], spaces[:width-n])
	return b
}
