package profile

import (
	"bytes"
	"io"
	"path/filepath"
	"strconv"
)

// javaSampleRate is the mean distance in bytes between the allocations that
// Java's heap profiler samples.
const javaSampleRate = 512 << 10

// legacyJava decodes heap and contention profiles of Java. Instead of addresses they have
// numbers of locations, whose functions follow:
//
//	--- heapz 1 ---
//	format = java
//	resolution = bytes
//	   7048     1 @ 0x00000003 0x00000004
//
//	0x00000003 java.util.Arrays.copyOf (Arrays.java:3236)
//	0x00000004 libjvm.so (/usr/lib/libjvm.so)
func legacyJava(l *legacy) error {
	line, err := l.firstLine()
	if err != nil {
		return err
	}
	header := string(bytes.TrimSpace(line))
	heap := header == "--- heapz 1 ---"
	if !heap && header != "--- contentionz 1 ---" || l.unterminated {
		return errNotLegacy
	}
	for header := true; ; {
		line, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if l.unterminated { // a sample ends with its line
			return readJavaLocations(l, line)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if header {
			if key, value, ok := findJavaAttribute(line); ok {
				if err := readJavaAttribute(l, heap, string(key), value); err != nil {
					return err
				}
				continue
			}
			header = false
		}
		size, count, addresses, ok := findJavaSample(line)
		if !ok {
			return readJavaLocations(l, line)
		}
		if err := readJavaSample(l, heap, size, count, addresses); err != nil {
			return err
		}
	}
	return readJavaLocations(l, nil)
}

// findJavaAttribute finds the first "name = value" in line.
func findJavaAttribute(line []byte) (name, value []byte, ok bool) {
	word := func(b byte) bool {
		return b == ' ' || b == '_' || isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for start := 0; ; {
		c := lineScan{line[start:]}
		if name = c.while(word); len(name) > 0 && c.literal("=") {
			if value = c.while(word); len(value) > 0 {
				return bytes.TrimSpace(name), bytes.TrimSpace(value), true
			}
		}
		// Something else than "=" follows the name, or nothing follows "=".
		if start += len(name) + 1; start >= len(line) {
			return nil, nil, false
		}
	}
}

func readJavaAttribute(l *legacy, heap bool, key string, value []byte) error {
	p := l.p
	var target *int64
	scale := int64(1)
	switch {
	case key == "format" && string(value) == "java":
		return nil
	case key == "resolution" && heap:
		l.types(ValueType{"inuse_objects", "count"}, ValueType{"inuse_space", string(value)})
		p.DropFrames, p.KeepFrames = legacyAllocators, legacyKeep
		return nil
	case key == "resolution":
		l.types(ValueType{"contentions", "count"}, ValueType{"delay", string(value)})
		p.DropFrames = legacyLocks
		return nil
	case key == "sampling period" && !heap:
		p.PeriodType = ValueType{"contentions", "count"}
		target = &p.Period
	case key == "ms since reset" && !heap:
		target, scale = &p.DurationNanos, 1_000_000
	default:
		return l.misfitf("unknown attribute %.100q", key)
	}
	n, ok := parseIntAnyBase(value)
	if !ok {
		return l.errorf("%.100q is not a number", value)
	}
	*target = n * scale
	return nil
}

// findJavaSample finds "SIZE COUNT @ ADDRESSES" in line.
func findJavaSample(line []byte) (size, count, addresses []byte, ok bool) {
	for i := 0; i < len(line); {
		if !isDigit(line[i]) {
			i++
			continue
		}
		c := lineScan{line[i:]}
		size = c.digits()
		i += len(size)
		if !c.literal(" ") {
			continue
		}
		c.blanks()
		if count = c.digits(); len(count) == 0 || !c.literal(" ") {
			continue
		}
		c.blanks()
		if c.literal("@ ") {
			return size, count, c.addresses(), true
		}
	}
	return nil, nil, nil, false
}

func readJavaSample(l *legacy, heap bool, first, second, addresses []byte) error {
	if len(l.p.SampleTypes) == 0 {
		return l.misfitf("a sample before its resolution")
	}
	total, ok1 := parseIntAnyBase(first)
	count, ok2 := parseIntAnyBase(second)
	if !ok1 || !ok2 {
		return l.errorf("%s or %s is out of range", first, second)
	}
	c := lineScan{addresses}
	for {
		id, found, ok := c.nextHex()
		if !ok {
			return l.errorf("an address is out of range in %.100q", addresses)
		}
		if !found {
			break
		}
		if err := l.frame(id); err != nil {
			return err
		}
	}
	if !heap {
		if period := l.p.Period; period != 0 {
			count, total = count*period, total*period
		}
		return l.sample(count, total)
	}
	if count == 0 {
		return l.errorf("no objects, but %d bytes of them", total)
	}
	size := total / count
	count, total = unsample(count, total, javaSampleRate)
	return l.sizedSample(size, count, total)
}

// A javaFunction is a function, identified by its name. Only its first file counts.
type javaFunction struct {
	name, file StringID
}

// readJavaLocations reads the functions of locations, from the current line on. It
// removes the addresses, because they are only numbers.
func readJavaLocations(l *legacy, line []byte) error {
	if err := l.compactLocations(); err != nil {
		return err
	}
	p := l.p
	const perEntry = 64 // bytes in the tables below, at most
	tables := int64(0)
	defer func() { l.mem.give(tables) }()
	if err := l.mem.hold(&tables, perEntry*int64(len(p.Locations))); err != nil {
		return err
	}
	known := make(map[uint64]uint32, len(p.Locations))
	for i, loc := range p.Locations {
		known[loc.Address] = uint32(i)
	}
	lines := make([]Line, len(p.Locations)) // their functions are indexes of told, plus 1
	var told []javaFunction
	byName := map[StringID]uint32{}
	var err error
	for ; err == nil; line, err = l.next() {
		c := lineScan{bytes.TrimSpace(line)}
		if !c.literal("0x") {
			continue
		}
		digits := c.while(func(b byte) bool { return isHexDigit(b) || b >= 'A' && b <= 'F' })
		text := bytes.TrimLeft(c.b, "\t\n\f\r ")
		if len(digits) == 0 || len(text) == len(c.b) {
			continue
		}
		id, perr := strconv.ParseUint(string(digits), 16, 64)
		if perr != nil {
			return l.errorf("0x%.100s is out of range", digits)
		}
		loc, ok := known[id]
		if !ok {
			continue
		}
		function, file, number := javaFrame(text)
		name := l.intern.str(function)
		f, ok := byName[name]
		if !ok {
			told = append(told, javaFunction{name, l.intern.str(file)})
			f = uint32(len(told))
			byName[name] = f
		}
		lines[loc] = Line{Function: f, Line: number}
		p.Locations[loc].Address = 0
		if len(p.Strings) > l.lim.Strings {
			return &LimitError{"strings", int64(l.lim.Strings)}
		}
		if err := l.mem.hold(&tables, perEntry*int64(len(p.Locations)+len(told))); err != nil {
			return err
		}
		if err := l.check(); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	findMappings(l)
	functions := make([]uint32, len(told)) // index in p.Functions plus 1
	for i := range p.Locations {
		loc := &p.Locations[i]
		loc.Address = 0
		if lines[i].Function == 0 {
			continue
		}
		f := &functions[lines[i].Function-1]
		if *f == 0 {
			t := told[lines[i].Function-1]
			p.Functions = append(p.Functions, Function{t.name, t.name, t.file, 0})
			*f = uint32(len(p.Functions))
		}
		loc.FirstLine, loc.NumLines = uint32(len(p.Lines)), 1
		p.Lines = append(p.Lines, Line{Function: *f - 1, Line: lines[i].Line})
	}
	return nil
}

// javaFrame splits "function (file:line)". Instead of file and line there may be the path
// of a library; its last element is kept. Any other text is a function, such as "GC".
func javaFrame(text []byte) (function, file string, line int64) {
	if body, ok := bytes.CutSuffix(text, []byte(")")); ok {
		if colon := bytes.LastIndexByte(body, ':'); colon >= 0 {
			c := lineScan{body[colon+1:]}
			number := c.integer()
			if len(c.b) == 0 && len(number) > 0 && isDigit(number[len(number)-1]) {
				if open := openParenthesis(body[:max(colon-1, 0)]); open >= 0 {
					if n, ok := parseInt(number); ok && n > 0 {
						line = n
					}
					return string(text[:open-1]), string(body[open+1 : colon]), line
				}
			}
		}
		if open := openParenthesis(body); open >= 0 {
			return string(text[:open-1]), filepath.Base(string(body[open+1:])), 0
		}
	}
	if bytes.Contains(text, []byte("generated stub/JIT")) {
		return "STUB", "", 0
	}
	return string(text), "", 0
}

// openParenthesis returns the index of the last "(" in b that follows white space, or -1.
func openParenthesis(b []byte) int {
	for i := len(b) - 1; i > 0; i-- {
		if b[i] == '(' && bytes.IndexByte([]byte("\t\n\f\r "), b[i-1]) >= 0 {
			return i
		}
	}
	return -1
}
