package profile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// decodePerfScript decodes the text of perf script, of Linux: a line for each
// sample, the stack below it, leaf first, and an empty line.
//
//	comm pid/tid [cpu] time: period event:
//	        address symbol+0xoffset (binary)
//	        …
//
//	comm pid/tid [cpu] time: period event: address symbol+0xoffset (binary)
//
// Samples without stacks have the second form. Everything between comm and event may be
// missing, except pid or tid, and offsets may be missing too. Lines that begin with #
// are comments. With several events, samples have a column per event.
func decodePerfScript(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	s := perfScript{lim: lim, mem: m}
	// The first pass finds the events, which become columns.
	if err := s.read(open); err != nil {
		return nil, err
	}
	var types []ValueType
	for i := range s.events {
		e := &s.events[i]
		prefix := ""
		if len(s.events) > 1 {
			prefix = e.name + "_"
		}
		e.column = len(types)
		types = append(types, ValueType{prefix + "samples", "count"})
		if e.periods {
			unit := "count"
			if base := perfEventBase(e.name); base == "cpu-clock" || base == "task-clock" {
				unit = "nanoseconds"
			}
			types = append(types, ValueType{e.name, unit})
		}
	}
	s.m = newImported(types, lim, m)
	s.m.b.in.p.DefaultSampleType = types[min(s.events[0].column+1, len(types)-1)].Type
	if err := s.read(open); err != nil {
		return nil, err
	}
	return s.m.profile()
}

type perfScript struct {
	lim    Limits
	mem    *meter
	events []perfEvent
	m      *imported // nil in the first pass

	lines    textLines
	inSample bool
	head     perfHead
	stack    []uint32
	mappings map[string]uint32
}

// perfEvent is a kind of event that was counted.
type perfEvent struct {
	name    string
	periods bool // some samples have a period
	column  int  // column of its samples; periods have the next one
}

// perfHead is the first line of a sample.
type perfHead struct {
	comm     []byte
	pid, tid int64 // 0 if unknown
	period   int64 // -1 if unknown
	timed    bool
	event    []byte
	rest     []byte // text after the event: the frame of a sample without a stack
}

// perfEventBase returns an event without its modifiers, such as cycles for cycles:u.
func perfEventBase(name string) string {
	for {
		i := bytes.LastIndexByte([]byte(name), ':')
		if i < 0 || len(name)-i > 6 {
			return name
		}
		name = name[:i]
	}
}

func (s *perfScript) read(open func() (io.Reader, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	s.lines = newTextLines(in, s.lim.TextBytes, s.mem)
	s.inSample = false
	for {
		line, err := s.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := s.line(line); err != nil {
			return err
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	if len(s.events) == 0 {
		return s.lines.errorf("perf script", "no samples")
	}
	return nil
}

func (s *perfScript) line(line []byte) error {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return s.end()
	case line[0] == '#':
		return nil
	case s.inSample && (line[0] == '\t' || line[0] == ' '):
		if frame, ok := parsePerfFrame(line); ok {
			return s.frame(frame)
		}
		if _, ok := parsePerfHead(line); !ok {
			return s.lines.errorf("perf script", "%.60q is neither a frame nor a sample", line)
		}
	}
	// A short comm has blanks before it.
	if err := s.end(); err != nil {
		return err
	}
	head, ok := parsePerfHead(line)
	if !ok {
		return s.lines.errorf("perf script", "%.60q is not the first line of a sample", line)
	}
	// The line is valid until the next one is read.
	head.comm, head.event = bytes.Clone(head.comm), bytes.Clone(head.event)
	s.head, s.inSample = head, true
	if frame, ok := parsePerfFrame(head.rest); ok {
		return s.frame(frame)
	}
	return nil
}

func (s *perfScript) frame(f perfFrame) error {
	if s.m == nil {
		return nil
	}
	if len(s.stack) >= s.lim.Frames {
		return &LimitError{"frames", int64(s.lim.Frames)}
	}
	mapping := uint32(0)
	if file := perfText(f.file); file != "" && file != "inlined" && file != "[unknown]" {
		var ok bool
		if mapping, ok = s.mappings[file]; !ok {
			if s.mappings == nil {
				s.mappings = map[string]uint32{}
			}
			if err := s.mem.take(100 + int64(len(file))); err != nil {
				return err
			}
			mapping = s.m.b.Mapping(Mapping{ID: uint64(len(s.mappings)) + 1, File: file, HasFunctions: true})
			s.mappings[file] = mapping
		}
	}
	name := perfText(f.symbol)
	if name == "" || name == "[unknown]" {
		// A frame without a function is named after its binary. An address would only
		// separate frames about which nothing else is known.
		if mapping != 0 {
			s.stack = append(s.stack, s.m.b.Location(0, mapping))
			return nil
		}
		name = "[unknown]"
	}
	fn := s.m.b.Function(name, name, "", 0)
	s.stack = append(s.stack, s.m.b.Location(0, mapping, Line{Function: fn}))
	return s.m.check()
}

// end ends the current sample.
func (s *perfScript) end() error {
	if !s.inSample {
		return nil
	}
	s.inSample = false
	h := &s.head
	i := slices.IndexFunc(s.events, func(e perfEvent) bool { return e.name == string(h.event) })
	if s.m == nil {
		if i < 0 {
			if len(s.events) == 1000 {
				return &LimitError{"kinds of events", 1000}
			}
			i = len(s.events)
			s.events = append(s.events, perfEvent{name: perfText(h.event)})
		}
		s.events[i].periods = s.events[i].periods || h.period >= 0
		return nil
	}
	if i < 0 {
		return errors.New("the file has changed while it was read")
	}
	e := &s.events[i]
	values := make([]int64, len(s.m.b.in.p.SampleTypes))
	values[e.column] = 1
	if e.periods {
		values[e.column+1] = max(0, h.period)
	}
	var labels []Label
	if len(h.comm) > 0 {
		labels = append(labels, s.m.text("comm", perfText(h.comm)))
	}
	for _, l := range []struct {
		key string
		id  int64
	}{{"pid", h.pid}, {"tid", h.tid}} {
		if l.id != 0 {
			labels = append(labels, Label{Key: s.m.b.String(l.key), Numeric: true, Num: l.id})
		}
	}
	err := s.m.add(s.stack, labels, values)
	s.stack = s.stack[:0]
	return err
}

// perfText converts text of the file for a profile.
func perfText(b []byte) string {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	return string(b)
}

// parsePerfHead parses the first line of a sample. comm may have blanks, so the
// line is read from the event's colon backwards.
func parsePerfHead(line []byte) (h perfHead, ok bool) {
	h.period = -1
	line = bytes.TrimSpace(line)
	// The event is the first field with a colon at its end that isn't a time.
	fields, at := line, 0
	for {
		start := at
		for start < len(fields) && (fields[start] == ' ' || fields[start] == '\t') {
			start++
		}
		end := start
		for end < len(fields) && fields[end] != ' ' && fields[end] != '\t' {
			end++
		}
		if start == end {
			// perf script -F without event ends with the time.
			before, ok := perfBefore(line)
			before.event = []byte("samples")
			return before, ok && before.timed
		}
		field := fields[start:end]
		if n := len(field) - 1; n > 0 && field[n] == ':' && start > 0 && !isPerfTime(field[:n]) {
			before, ok := perfBefore(line[:start])
			if !ok {
				at = end
				continue // a colon in comm
			}
			before.event = bytes.TrimRight(field, ":")
			before.rest = bytes.TrimSpace(line[end:])
			return before, len(before.event) > 0
		}
		at = end
	}
}

// perfBefore parses the text before the event: comm pid/tid [cpu] time: period.
func perfBefore(b []byte) (h perfHead, ok bool) {
	h.period = -1
	last := func() []byte {
		b = bytes.TrimRight(b, " \t")
		return b[bytes.LastIndexAny(b, " \t")+1:]
	}
	drop := func(field []byte) { b = b[:len(b)-len(field)] }
	field := last()
	if v, err := strconv.ParseInt(string(field), 10, 64); err == nil {
		// A period, unless it is the pid.
		rest := bytes.TrimRight(b[:len(b)-len(field)], " \t")
		if n := len(rest); n > 0 && rest[n-1] == ':' {
			h.period = v
			drop(field)
		}
	}
	if field = last(); len(field) > 1 && field[len(field)-1] == ':' && isPerfTime(field[:len(field)-1]) {
		h.timed = true
		drop(field)
	}
	if field = last(); len(field) > 2 && field[0] == '[' && field[len(field)-1] == ']' && isDigit(field[1]) {
		drop(field)
	}
	pid, tid, both := bytes.Cut(last(), []byte("/"))
	var err error
	if h.pid, err = strconv.ParseInt(string(pid), 10, 32); err != nil {
		return h, false
	}
	if both {
		if h.tid, err = strconv.ParseInt(string(tid), 10, 32); err != nil {
			return h, false
		}
	} else {
		h.tid, h.pid = h.pid, 0 // perf's default is the thread's id
	}
	drop(last())
	h.comm = bytes.TrimSpace(b)
	return h, len(h.comm) > 0 && (h.timed || both || h.period < 0)
}

// isPerfTime reports whether b is a time in seconds.
func isPerfTime(b []byte) bool {
	dot := false
	for _, c := range b {
		if c == '.' && !dot {
			dot = true
		} else if !isDigit(c) {
			return false
		}
	}
	return dot && len(b) > 2
}

// perfFrame is a line of a stack.
type perfFrame struct{ symbol, file []byte }

// parsePerfFrame parses address symbol+0xoffset (binary). Symbols may have blanks
// and brackets, so the binary is the last part in brackets.
func parsePerfFrame(line []byte) (f perfFrame, ok bool) {
	line = bytes.TrimSpace(line)
	address, rest := line, []byte(nil)
	if i := bytes.IndexAny(line, " \t"); i >= 0 { // simpleperf writes a tab in the same format
		address, rest = line[:i], line[i+1:]
	}
	if len(address) == 0 || bytes.ContainsFunc(address, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'f')
	}) {
		return f, false
	}
	rest = bytes.TrimSpace(rest)
	if n := len(rest); n > 0 && rest[n-1] == ')' {
		if i := bytes.LastIndex(rest, []byte(" (")); i >= 0 {
			f.file, rest = rest[i+2:n-1], rest[:i]
		} else if rest[0] == '(' {
			f.file, rest = rest[1:n-1], nil
		}
	}
	if i := bytes.LastIndex(rest, []byte("+0x")); i > 0 && !bytes.ContainsFunc(rest[i+3:], func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'f')
	}) {
		rest = rest[:i]
	}
	f.symbol = bytes.TrimSpace(rest)
	return f, len(f.symbol) > 0 || len(f.file) > 0
}

// looksPerfScript reports whether a file that begins with prefix may be from perf
// script: the first line that isn't a comment is that of a sample, with an event.
func looksPerfScript(prefix []byte) bool {
	if bytes.IndexByte(prefix, 0) >= 0 {
		return false
	}
	for len(prefix) > 0 {
		line, rest, _ := bytes.Cut(prefix, []byte("\n"))
		prefix = rest
		if line = bytes.TrimRight(line, "\r"); len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		h, ok := parsePerfHead(line)
		if !ok || bytes.ContainsAny(h.event, ";()[]") {
			return false
		}
		if len(h.rest) > 0 {
			_, ok := parsePerfFrame(h.rest)
			return ok
		}
		next, _, _ := bytes.Cut(prefix, []byte("\n"))
		_, frame := parsePerfFrame(next)
		_, another := parsePerfHead(next)
		return frame || another || len(bytes.TrimSpace(next)) == 0
	}
	return false
}
