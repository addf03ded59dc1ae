package profile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Names that stand for frames a goroutine dump does not tell.
const (
	elidedFrame      = "[elided]"            // "...12 frames elided..." between the ends of a deep stack
	unavailableFrame = "[stack unavailable]" // of a goroutine that ran on another thread
)

// maxDumpWarnings bounds the warnings of one dump.
const maxDumpWarnings = 10

// A dump with debug=1 counts equal stacks. Of each it gives the return
// addresses, leaf first, then the symbols of those that are not in the runtime:
//
//	goroutine profile: total 7
//	4 @ 0x43e2ee 0x44f4a5 0x4e1a32 0x46d3a1
//	# labels: {"tenant":"a", "worker":"3"}
//	#	0x4e1a31	main.worker+0x51	/src/main.go:31
//
// A dump with debug=2, of a panic or of runtime.Stack gives each goroutine in
// full; see dumpParser for what its lines may be:
//
//	goroutine 18 [chan receive, 3 minutes, locked to thread]:
//	main.(*pool).worker(0xc000012345, {0x1, 0x2})
//		/src/main.go:31 +0x51
//	created by main.main in goroutine 1
//		/src/main.go:12 +0x1d

// looksLikeGoroutineDump reports whether a file that begins with prefix is such
// a dump. For debug=1 that includes profiles of other kinds in the same format,
// such as threadcreate, but only with symbols: without, the format is one of
// the legacy ones.
func looksLikeGoroutineDump(prefix []byte) bool {
	if bytes.IndexByte(prefix, 0) >= 0 {
		return false
	}
	text := string(prefix)
	if _, _, _, ok := countHeader(text); ok {
		return strings.Contains(text, "\n#\t0x")
	}
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if _, ok := parseGoroutineHeader(strings.TrimSuffix(line, "\r")); ok {
			return true
		}
	}
	return false
}

// decodeGoroutineDump decodes the text of a goroutine profile with debug=1 or
// debug=2, or the goroutines of a panic.
//
// The result is what the protobuf goroutine profile tells, as far as the text
// does: one sample type goroutine/count, functions under their full names, and
// the pprof labels of each goroutine. Type arguments are "[...]" in the text.
// A dump with debug=2 has no addresses, so frames are told apart by line; its
// goroutines carry further labels: state ("chan receive"), wait (in minutes, if
// any), created_by (a function), locked="true" (to its thread), leaked="true"
// and bubble (the number of its synctest bubble).
//
// A dump that is cut off gives the goroutines that are whole. What is missing
// or was skipped is told in comments that begin with "#".
func decodeGoroutineDump(data []byte, lim Limits) (*Profile, error) {
	lim = lim.withDefaults()
	if int64(len(data)) > lim.TextBytes {
		return nil, &LimitError{"bytes of text", lim.TextBytes}
	}
	text := string(data)
	if _, _, _, ok := countHeader(text); ok {
		return decodeCountDump(text, lim)
	}
	return decodeStackDump(text, lim)
}

// lineReader walks over the lines of a text.
type lineReader struct {
	text string
	n    int // number of the line last read, from 1
	at   int // its offset
	end  int // offset of the next one

	unterminated bool // the line last read has no newline: the text may be cut
}

func (r *lineReader) next() (line string, ok bool) {
	if r.end >= len(r.text) {
		return "", false
	}
	r.n++
	r.at = r.end
	line, _, ok = strings.Cut(r.text[r.at:], "\n")
	r.unterminated = !ok
	r.end = r.at + len(line) + 1
	return strings.TrimSuffix(line, "\r"), true
}

func (r *lineReader) errorf(format string, args ...any) error {
	return &SyntaxError{int64(r.at), fmt.Sprintf("line %d: ", r.n) + fmt.Sprintf(format, args...)}
}

// dumpBuilder makes the profile of a dump.
type dumpBuilder struct {
	*Builder
	lim      Limits
	warnings []string
	skipped  int // warnings not in warnings

	stack  []uint32
	lines  []Line
	labels []Label
}

func newDumpBuilder(kind string, lim Limits) *dumpBuilder {
	b := &dumpBuilder{Builder: NewBuilder(ValueType{kind, "count"}), lim: lim}
	b.in.p.PeriodType = ValueType{kind, "count"}
	b.in.p.Period = 1
	return b
}

func (b *dumpBuilder) warn(format string, args ...any) {
	if len(b.warnings) == maxDumpWarnings {
		b.skipped++
		return
	}
	b.warnings = append(b.warnings, "# "+fmt.Sprintf(format, args...))
}

// function returns the function of a frame, which stands under this name in the
// protobuf profile too.
func (b *dumpBuilder) function(name, file string) uint32 {
	return b.Builder.Function(name, name, file, 0)
}

func (b *dumpBuilder) stringLabel(key, value string) {
	b.labels = append(b.labels, Label{Key: b.String(key), Str: b.String(value)})
}

func (b *dumpBuilder) numericLabel(key string, value int64, unit string) {
	b.labels = append(b.labels, Label{Key: b.String(key), Numeric: true, Num: value, Unit: b.String(unit)})
}

// add adds count goroutines with the collected stack and labels.
func (b *dumpBuilder) add(count int64) error {
	b.Sample(b.stack, b.labels, count)
	p := b.in.p
	switch {
	case len(p.Stacks) > b.lim.Samples:
		return &LimitError{"samples", int64(b.lim.Samples)}
	case len(p.Frames) > b.lim.Frames:
		return &LimitError{"frames", int64(b.lim.Frames)}
	case len(p.Locations) > b.lim.Locations:
		return &LimitError{"locations", int64(b.lim.Locations)}
	case len(p.Lines) > b.lim.Lines:
		return &LimitError{"lines", int64(b.lim.Lines)}
	case len(p.Functions) > b.lim.Functions:
		return &LimitError{"functions", int64(b.lim.Functions)}
	case len(p.Strings) > b.lim.Strings:
		return &LimitError{"strings", int64(b.lim.Strings)}
	case len(p.Labels) > b.lim.Labels:
		return &LimitError{"distinct labels", int64(b.lim.Labels)}
	}
	return nil
}

func (b *dumpBuilder) profile() *Profile {
	p := b.Builder.Profile()
	p.Comments = b.warnings
	if b.skipped > 0 {
		p.Comments = append(p.Comments, fmt.Sprintf("# %d more problems", b.skipped))
	}
	return p
}

// quotedLabels calls add for the labels in list, which reads
// `"key":"value", "key":"value"` with or without a blank behind the colon, up
// to its end or a closing brace. rest is what follows the brace.
func quotedLabels(list string, add func(key, value string)) (rest string, ok bool) {
	for i := 0; ; i++ {
		if strings.HasPrefix(list, "}") {
			return list[1:], true
		}
		if i > 0 {
			if list, ok = strings.CutPrefix(list, ", "); !ok {
				return "", false
			}
		}
		var pair [2]string
		for j := range pair {
			quoted, err := strconv.QuotedPrefix(list)
			if err != nil || quoted[0] != '"' {
				return "", false
			}
			if pair[j], err = strconv.Unquote(quoted); err != nil {
				return "", false
			}
			list = list[len(quoted):]
			if j == 0 {
				if list, ok = strings.CutPrefix(list, ":"); !ok {
					return "", false
				}
				list = strings.TrimPrefix(list, " ")
			}
		}
		add(pair[0], pair[1])
	}
}

// cutFileLine splits "file:line".
func cutFileLine(s string) (file string, line int64, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9' {
		return "", 0, false
	}
	line, err := strconv.ParseInt(s[i+1:], 10, 64)
	return s[:i], line, err == nil
}

// parseHex parses "0x1f".
func parseHex(s string) (uint64, bool) {
	if len(s) < 3 || s[0] != '0' || s[1] != 'x' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:], 16, 64)
	return v, err == nil
}

// digits returns the decimal number s begins with and what follows it.
func digits(s string) (v int64, rest string, ok bool) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	return v, s[n:], err == nil
}

// countHeader parses the first line of a dump with debug=1. Blank lines and
// comments may precede it.
func countHeader(text string) (kind string, total int64, r lineReader, ok bool) {
	r = lineReader{text: text}
	for {
		line, more := r.next()
		if !more {
			return "", 0, r, false
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, found := strings.Cut(line, " profile: total ")
		if !found || kind == "" || strings.ContainsAny(kind, " \t") {
			return "", 0, r, false
		}
		total, rest, ok = digits(rest)
		return kind, total, r, ok && rest == ""
	}
}

// countFrame is one line of symbols in a dump with debug=1.
type countFrame struct {
	pc         uint64 // in the call instruction: the return address minus 1
	entry      uint64 // of the machine-code function that pc is in
	name, file string
	line       int64
}

// countRecord is one stack of a dump with debug=1; the indexes are into the
// slices of countDump.
type countRecord struct {
	count                 int64
	pcs, frames, labels   int // where its own begin
	pcsEnd, framesEnd, at int
	labelsEnd             int
}

// countDump is a dump with debug=1 as it stands.
type countDump struct {
	records []countRecord
	pcs     []uint64
	frames  []countFrame
	labels  [][2]string

	known map[uint64]int // frame of a pc, to name frames that the runtime left out elsewhere
}

func decodeCountDump(text string, lim Limits) (*Profile, error) {
	kind, total, r, _ := countHeader(text)
	b := newDumpBuilder(kind, lim)
	d := countDump{known: map[uint64]int{}}
	closed, err := d.read(&r, lim)
	if err != nil {
		return nil, err
	}
	if n := len(d.records); n > 0 && !closed && !d.whole(d.records[n-1]) {
		d.records = d.records[:n-1]
	}
	physical := d.physicalNames()

	var mapping uint32
	if len(d.pcs) > 0 {
		// The text has no mappings. One that spans everything lets a symbolizer
		// know the addresses left without a name.
		mapping = b.Mapping(Mapping{Limit: math.MaxUint64})
	}
	sum, allNamed := int64(0), true
	for _, rec := range d.records {
		named := d.addStack(b, rec, mapping, physical)
		allNamed = allNamed && named
		b.labels = b.labels[:0]
		for _, l := range d.labels[rec.labels:rec.labelsEnd] {
			b.stringLabel(l[0], l[1])
		}
		if err := b.add(rec.count); err != nil {
			return nil, err
		}
		sum += rec.count
	}
	if sum != total {
		b.warn("incomplete dump: it has %d of %d", sum, total)
	}
	p := b.profile()
	if allNamed && mapping != 0 {
		m := &p.Mappings[0]
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = true, true, true, true
	}
	return p, nil
}

// read reads the records. closed tells that a blank line follows the last one.
func (d *countDump) read(r *lineReader, lim Limits) (closed bool, err error) {
	var rec *countRecord
	closed = true
	for {
		line, ok := r.next()
		if !ok {
			return closed, nil
		}
		switch {
		case line == "":
			rec, closed = nil, true

		case line[0] == '#':
			if rec == nil {
				continue // a comment
			}
			if list, ok := strings.CutPrefix(line, "# labels: {"); ok {
				rest, ok := quotedLabels(list, func(key, value string) {
					d.labels = append(d.labels, [2]string{key, value})
				})
				if !ok || rest != "" {
					if r.unterminated {
						return d.drop(), nil
					}
					return false, r.errorf("bad list of labels %.100q", line)
				}
				rec.labelsEnd = len(d.labels)
				continue
			}
			f, ok := parseCountFrame(line)
			if !ok {
				if r.unterminated {
					return d.drop(), nil
				}
				return false, r.errorf("bad frame %.100q", line)
			}
			if f.name != "" {
				if _, ok := d.known[f.pc]; !ok {
					d.known[f.pc] = len(d.frames)
				}
			}
			d.frames = append(d.frames, f)
			if len(d.frames) > lim.Frames {
				return false, &LimitError{"frames", int64(lim.Frames)}
			}
			rec.framesEnd = len(d.frames)

		case strings.HasPrefix(line, "---"):
			return true, nil // a further section

		default:
			count, rest, ok := digits(line)
			if ok {
				rest, ok = strings.CutPrefix(rest, " @")
			}
			start := len(d.pcs)
			for ok && rest != "" {
				var pc string
				if rest, ok = strings.CutPrefix(rest, " "); !ok {
					break
				}
				pc, rest = cutBefore(rest, ' ')
				var v uint64
				if v, ok = parseHex(pc); ok && v != 0 { // threadcreate pads with zeros
					d.pcs = append(d.pcs, v)
				}
			}
			if r.unterminated {
				return true, nil // the sum tells that it is missing
			}
			if !ok {
				return false, r.errorf("bad stack %.100q", line)
			}
			if len(d.pcs) > lim.Frames {
				return false, &LimitError{"frames", int64(lim.Frames)}
			}
			if len(d.records) >= lim.Samples {
				return false, &LimitError{"samples", int64(lim.Samples)}
			}
			d.records = append(d.records, countRecord{
				count: count,
				pcs:   start, pcsEnd: len(d.pcs),
				frames: len(d.frames), framesEnd: len(d.frames),
				labels: len(d.labels), labelsEnd: len(d.labels),
			})
			rec, closed = &d.records[len(d.records)-1], false
		}
	}
}

// drop forgets the last record, which is cut off.
func (d *countDump) drop() (closed bool) {
	d.records = d.records[:len(d.records)-1]
	return true
}

// cutBefore splits s before the first c.
func cutBefore(s string, c byte) (before, after string) {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// parseCountFrame parses "#	0x4e1a31	main.worker+0x51		/src/main.go:31". The
// columns are aligned with more tabs; an address without a symbol has but one.
func parseCountFrame(s string) (f countFrame, ok bool) {
	if s, ok = strings.CutPrefix(s, "#\t"); !ok {
		return f, false
	}
	pc, s, _ := strings.Cut(s, "\t")
	if f.pc, ok = parseHex(pc); !ok {
		return f, false
	}
	if s = strings.Trim(s, "\t"); s == "" {
		return f, true
	}
	symbol, s, _ := strings.Cut(s, "\t")
	plus := strings.LastIndex(symbol, "+0x")
	if plus <= 0 {
		return f, false
	}
	offset, ok := parseHex(symbol[plus+1:])
	if !ok {
		return f, false
	}
	f.name, f.entry = symbol[:plus], f.pc-offset
	f.file, f.line, ok = cutFileLine(strings.TrimLeft(s, "\t"))
	return f, ok
}

// whole reports whether the frames of a record reach to its root. Only the
// address of runtime.goexit is without a line there.
func (d *countDump) whole(rec countRecord) bool {
	if rec.framesEnd == rec.frames {
		return false
	}
	last := d.frames[rec.framesEnd-1].pc
	for i := rec.pcsEnd - 1; i >= max(rec.pcs, rec.pcsEnd-2); i-- {
		if pc := d.pcs[i]; pc-1 == last || pc == last {
			return true
		}
	}
	return false
}

// physicalNames returns the name of the machine-code function at each entry
// address. It is that of the last of neighbouring frames with that entry: those
// before it are functions inlined into it, or a recursion.
func (d *countDump) physicalNames() map[uint64]string {
	names := map[uint64]string{}
	for _, rec := range d.records {
		frames := d.frames[rec.frames:rec.framesEnd]
		for i, f := range frames {
			if f.name != "" && (i+1 == len(frames) || frames[i+1].entry != f.entry) {
				names[f.entry] = f.name
			}
		}
	}
	return names
}

// How many addresses without a line are skipped to reach that of a line: at the
// leaf the runtime leaves out its own frames, elsewhere only runtime.goexit.
const (
	maxHiddenLeaves = 1024
	maxHiddenInside = 8
)

// addStack puts the stack of rec into b.stack. named is false if frames remain
// without a name.
func (d *countDump) addStack(b *dumpBuilder, rec countRecord, mapping uint32, physical map[uint64]string) (named bool) {
	b.stack, b.lines = b.stack[:0], b.lines[:0]
	named = true
	var open uint64  // address of the location whose lines are in b.lines
	var entry uint64 // entry of its function; the next frame is its caller inlined in the same function
	flush := func() {
		if len(b.lines) > 0 {
			b.stack = append(b.stack, b.Location(open, mapping, b.lines...))
			b.lines = b.lines[:0]
		}
	}
	push := func(f *countFrame) {
		if f.name == "" {
			flush()
			b.stack = append(b.stack, b.Location(f.pc, mapping))
			named = false
			return
		}
		inlinedInNext := len(b.lines) > 0 && f.entry == entry && entry != 0
		if !inlinedInNext {
			flush()
			open, entry = f.pc, f.entry
		}
		b.lines = append(b.lines, Line{Function: b.function(f.name, f.file), Line: f.line})
		if physical[f.entry] == f.name {
			flush()
		}
	}
	hidden := func(pc uint64) {
		if i, ok := d.known[pc-1]; ok {
			push(&d.frames[i])
			return
		}
		push(&countFrame{pc: pc - 1})
	}

	pcs := d.pcs[rec.pcs:rec.pcsEnd]
	frames := d.frames[rec.frames:rec.framesEnd]
	reach := maxHiddenLeaves
	for i := range frames {
		f := &frames[i]
		if f.pc == 0 {
			continue // stands for an empty stack
		}
		for j := range min(len(pcs), reach) {
			if pcs[j]-1 == f.pc || pcs[j] == f.pc {
				if reach == maxHiddenLeaves {
					for _, pc := range pcs[:j] {
						hidden(pc)
					}
				}
				pcs = pcs[j+1:]
				break
			}
		}
		reach = maxHiddenInside
		push(f)
	}
	if len(frames) == 0 {
		for _, pc := range pcs {
			hidden(pc)
		}
	}
	flush()
	return named
}

// goroutineHeader is the first line of a goroutine in a dump with debug=2:
//
//	goroutine 7 [select (durable), 2 minutes, locked to thread, synctest bubble 3 labels:{"a": "b"}]:
//	goroutine 1 gp=0xc000002380 m=0 mp=0x5f3b20 [running]:
type goroutineHeader struct {
	id      int64
	state   string
	minutes int64 // blocked, 0 if below one
	locked  bool  // to its thread
	leaked  bool
	bubble  int64 // synctest bubble, 0 for none
	labels  [][2]string
}

func parseGoroutineHeader(line string) (h goroutineHeader, ok bool) {
	s, ok := strings.CutPrefix(line, "goroutine ")
	if !ok {
		return h, false
	}
	if h.id, s, ok = digits(s); !ok {
		return h, false
	}
	if strings.HasPrefix(s, " gp=") {
		i := strings.Index(s, " [")
		if i < 0 {
			return h, false
		}
		s = s[i:]
	}
	if s, ok = strings.CutPrefix(s, " ["); !ok {
		return h, false
	}
	if s, ok = strings.CutSuffix(strings.TrimRight(s, " "), "]:"); !ok {
		return h, false
	}
	s, list, found := strings.Cut(s, " labels:{")
	if found {
		rest, ok := quotedLabels(list, func(key, value string) {
			h.labels = append(h.labels, [2]string{key, value})
		})
		if !ok || rest != "" {
			return h, false
		}
	}
	h.state, s, _ = strings.Cut(s, ", ")
	for s != "" {
		var attr string
		attr, s, _ = strings.Cut(s, ", ")
		n, unit, _ := digits(attr)
		switch {
		case unit == " minutes":
			h.minutes = n
		case attr == "locked to thread":
			h.locked = true
		case strings.HasPrefix(attr, "synctest bubble "):
			h.bubble, _, _ = digits(attr[len("synctest bubble "):])
		default:
			h.state += ", " + attr
		}
	}
	h.state = strings.Replace(h.state, " (scan)", "", 1)
	h.state, h.leaked = strings.CutSuffix(h.state, " (leaked)")
	return h, true
}

// stackDumpParser reads a dump with debug=2. After its header a goroutine has,
// up to a blank line,
//
//	main.(*T).run(0xc000012345, {0x1, 0x2}, ...)
//		/src/main.go:31 +0x51
//	main.inlined(...)
//		/src/main.go:45                                  the caller follows, with an offset
//	panic({0x4b2f40?, 0x52e3a8?})                            that is runtime.gopanic
//		/go/src/runtime/panic.go:785 +0x132 fp=0xc000 sp=0xc000 pc=0x43f2
//	...12 frames elided...                                   or: ...additional frames elided...
//	non-Go function at pc=0x4a2b11
//	c_function                                               with a C symbolizer
//		/src/c.c:12 pc=0x4a2b11
//		goroutine running on other thread; stack unavailable
//	created by main.main in goroutine 1
//		/src/main.go:12 +0x1d
//	[originating from goroutine 1]:                          its creator's frames follow
type stackDumpParser struct {
	r lineReader
	b *dumpBuilder

	open      bool // within a goroutine
	header    goroutineHeader
	at        int    // its line
	call      string // line of a call whose file and line are yet to come
	createdBy string
	rooted    bool // the stack is known to be whole
	ancestors bool // within the frames of the creator
}

func decodeStackDump(text string, lim Limits) (*Profile, error) {
	p := &stackDumpParser{r: lineReader{text: text}, b: newDumpBuilder("goroutine", lim)}
	seen := false
	for {
		line, ok := p.r.next()
		if !ok {
			break
		}
		h, isHeader := parseGoroutineHeader(line)
		if (isHeader || line == "") && p.open {
			if err := p.finish(); err != nil {
				return nil, err
			}
		}
		if isHeader {
			// Goroutine 0 is a thread's scheduler, in crashes of the runtime.
			p.open, p.header, p.at = h.id != 0, h, p.r.n
			seen = seen || p.open
		} else if p.open {
			p.line(line)
			if len(p.b.stack) > p.b.lim.Frames {
				return nil, &LimitError{"frames", int64(p.b.lim.Frames)}
			}
		} else if p.r.unterminated && strings.HasPrefix(line, "goroutine ") {
			p.b.warn("cut off in line %d: its goroutine is missing", p.r.n)
		}
	}
	if p.open {
		if p.cutOff() {
			p.b.warn("cut off in line %d: the goroutine of line %d is missing", p.r.n, p.at)
		} else if err := p.finish(); err != nil {
			return nil, err
		}
	}
	switch {
	case !seen:
		return nil, &SyntaxError{0, "line 1: no goroutine in the dump"}
	case len(p.b.in.p.Stacks) == 0:
		return nil, p.r.errorf("the dump is cut off within its only goroutine")
	}
	return p.b.profile(), nil
}

// line takes a line of a goroutine after its header.
func (p *stackDumpParser) line(line string) {
	if p.ancestors || line == "" {
		return
	}
	if line[0] == '\t' || line[0] == ' ' {
		p.place(strings.TrimLeft(line, "\t "))
		return
	}
	p.callWithoutPlace()
	if by, ok := strings.CutPrefix(line, "created by "); ok {
		p.flush(0)
		p.createdBy = by
		if i := strings.LastIndex(by, " in goroutine "); i >= 0 {
			p.createdBy = by[:i]
		}
		return
	}
	if hex, ok := strings.CutPrefix(line, "non-Go function at pc="); ok {
		if pc, ok := parseHex(hex); ok {
			p.flush(0)
			p.b.stack = append(p.b.stack, p.b.Location(pc, 0))
			return
		}
	}
	switch {
	case strings.HasPrefix(line, "...") && strings.HasSuffix(line, " frames elided..."):
		p.pseudo(elidedFrame)
	case strings.HasPrefix(line, "[originating from goroutine "):
		p.flush(0)
		p.ancestors = true
	default:
		p.call = line
	}
}

// place takes an indented line, without its indent.
func (p *stackDumpParser) place(s string) {
	switch {
	case s == "goroutine running on other thread; stack unavailable":
		p.pseudo(unavailableFrame)
		return
	case p.createdBy != "":
		p.rooted = true
		return // where the go statement is
	case p.call == "":
		p.b.warn("line %d (byte %d): skipped, no call before it", p.r.n, p.r.at)
		return
	}
	call := p.call
	p.call = ""
	pl, ok := parsePlace(s)
	name, args, isGo := goCall(call)
	if pl.c {
		name, isGo = call, false
	}
	if !ok || !isGo && !pl.c {
		p.b.warn("line %d (byte %d): not a frame", p.r.n, p.r.at)
		return
	}
	switch {
	case name == "panic" && isGo:
		name = "runtime.gopanic"
	case name == "runtime.goexit":
		return // the root of all stacks, left out of profiles
	}
	p.rooted = name == "main.main" && pl.hasOffset
	if pl.c {
		p.flush(0)
		if name == "non-Go function" && pl.file == "" {
			p.b.stack = append(p.b.stack, p.b.Location(pl.pc, 0))
			return
		}
	} else if pl.hasOffset && pl.pc != 0 {
		pl.pc-- // from the return address to the call
	}
	p.b.lines = append(p.b.lines, Line{Function: p.b.function(name, pl.file), Line: pl.line})
	if args == "..." && !pl.hasOffset && pl.pc == 0 {
		return // inlined in the next frame
	}
	p.flush(pl.pc)
}

// pseudo adds a frame that stands for those not told.
func (p *stackDumpParser) pseudo(name string) {
	p.flush(0)
	p.b.lines = append(p.b.lines, Line{Function: p.b.function(name, "")})
	p.flush(0)
}

// flush adds a location with the lines collected for it.
func (p *stackDumpParser) flush(address uint64) {
	if b := p.b; len(b.lines) > 0 {
		b.stack = append(b.stack, b.Location(address, 0, b.lines...))
		b.lines = b.lines[:0]
	}
}

// finish adds the goroutine read.
func (p *stackDumpParser) finish() error {
	p.flush(0)
	b, h := p.b, &p.header
	b.labels = b.labels[:0]
	for _, l := range h.labels {
		b.stringLabel(l[0], l[1])
	}
	b.stringLabel("state", h.state)
	if h.minutes > 0 {
		b.numericLabel("wait", h.minutes, "minutes")
	}
	if p.createdBy != "" {
		b.stringLabel("created_by", p.createdBy)
	}
	if h.locked {
		b.stringLabel("locked", "true")
	}
	if h.leaked {
		b.stringLabel("leaked", "true")
	}
	if h.bubble > 0 {
		b.stringLabel("bubble", strconv.FormatInt(h.bubble, 10))
	}
	p.callWithoutPlace()
	err := b.add(1)
	b.stack = b.stack[:0]
	p.open, p.ancestors, p.rooted, p.createdBy = false, false, false, ""
	return err
}

// callWithoutPlace warns of a call whose second line is missing. What does not
// look like a call is output of the program, or of what ran it.
func (p *stackDumpParser) callWithoutPlace() {
	if _, _, isGo := goCall(p.call); isGo {
		p.b.warn("line %d (byte %d): no file and line of the call before", p.r.n, p.r.at)
	}
	p.call = ""
}

// cutOff reports, at the end of the dump, whether that is within a goroutine.
func (p *stackDumpParser) cutOff() bool {
	if _, _, isGo := goCall(p.call); isGo {
		return true
	}
	if p.ancestors || p.rooted {
		return false
	}
	return p.r.unterminated || len(p.b.stack) == 0 && len(p.b.lines) == 0
}

// goCall splits "main.(*T).run(0x1, {0x2, ...})" before the arguments.
func goCall(s string) (name, args string, ok bool) {
	if s, ok = strings.CutSuffix(s, ")"); !ok {
		return "", "", false
	}
	i := strings.LastIndexByte(s, '(')
	if i <= 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// place is the second line of a frame: "/src/main.go:31 +0x51", and in a crash
// of the runtime " fp=0x… sp=0x… pc=0x…" more. A C frame has "/src/c.c:12 pc=0x…"
// or only the address.
type place struct {
	file      string
	line      int64
	hasOffset bool
	pc        uint64
	c         bool // of a C frame
}

func parsePlace(s string) (pl place, ok bool) {
	fp := false
	for {
		i := strings.LastIndexByte(s, ' ')
		word := s[i+1:]
		switch {
		case strings.HasPrefix(word, "+0x"):
			pl.hasOffset = true
		case strings.HasPrefix(word, "fp=0x"):
			fp = true
		case strings.HasPrefix(word, "sp=0x"):
		case strings.HasPrefix(word, "pc=0x"):
			pl.pc, _ = parseHex(word[len("pc="):])
		default:
			pl.c = pl.pc != 0 && !fp && !pl.hasOffset
			if s == "" {
				return pl, pl.c
			}
			pl.file, pl.line, ok = cutFileLine(s)
			return pl, ok
		}
		s = s[:max(i, 0)]
	}
}
