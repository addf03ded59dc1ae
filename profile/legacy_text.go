package profile

import (
	"bytes"
	"errors"
	"io"
	"math"
)

// firstLine returns the first line, or "" if it can't be from a profile.
func (l *legacy) firstLine() ([]byte, error) {
	line, err := l.next()
	var long *LimitError
	if err == io.EOF || errors.As(err, &long) {
		return nil, nil
	}
	return line, err
}

// firstStatement is firstLine, but skips blank lines and comments.
func (l *legacy) firstStatement() ([]byte, error) {
	for {
		line, err := l.firstLine()
		if err != nil || line == nil || !blankOrComment(line) {
			return line, err
		}
	}
}

// blankOrComment reports whether a line is blank or a comment.
func blankOrComment(line []byte) bool {
	if len(line) > 0 && line[0] == '#' { // as most lines of symbols
		return true
	}
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// legacyHeap decodes the text of a heap profiler. Each line is a stack of return
// addresses, leaf first, with the memory in use and, in brackets, all memory that was
// allocated there:
//
//	heap profile: 13: 1595680 [47130736: 2584596557304] @ heap/1048576
//	1: 524288 [3: 1572864] @ 0x420cef 0x422151 0x4221da
//	#	0x420cee	main.grow+0x1e	/src/main.go:31
//
// The first line names the profiler after the @, and its sampling rate. Profiles of heap
// growth and of fragmentation have the same format.
func legacyHeap(l *legacy) error {
	line, err := l.firstLine()
	if err != nil {
		return err
	}
	h, ok := parseHeapHeader(line)
	if !ok {
		return errNotLegacy
	}
	l.p.PeriodType, l.p.Period = ValueType{"space", "bytes"}, h.period
	l.p.DropFrames, l.p.KeepFrames = legacyAllocators, legacyKeep
	if h.allocated {
		// Memory in use comes last, because the last type is shown by default.
		l.types(ValueType{"alloc_objects", "count"}, ValueType{"alloc_space", "bytes"},
			ValueType{"inuse_objects", "count"}, ValueType{"inuse_space", "bytes"})
	} else {
		l.types(ValueType{"objects", "count"}, ValueType{"space", "bytes"})
	}
	for {
		line, err := l.next()
		if err == io.EOF {
			return l.memoryMap(nil)
		}
		if err != nil {
			return err
		}
		if blankOrComment(line) {
			continue
		}
		if beginsMemoryMap(line) {
			return l.memoryMap(line)
		}
		if err := readHeapSample(l, line, h); err != nil {
			return err
		}
	}
}

type heapHeader struct {
	period    int64
	sampled   bool // values count samples and have to be scaled up
	allocated bool // the profile has all allocations in addition to those in use
}

func parseHeapHeader(line []byte) (h heapHeader, ok bool) {
	growth := false
	for rest := line; ; {
		var found bool
		if _, rest, found = bytes.Cut(rest, []byte("heap profile:")); !found {
			break
		}
		c := lineScan{rest}
		c.blanks()
		fields, ok := c.heapFields(false)
		if !ok {
			continue
		}
		at := c
		growth = growth || at.literal(" @ growth") || at.literal(" @ fragmentation")
		c.blanks()
		if !c.literal("@") {
			continue
		}
		c.blanks()
		name := c.while(func(b byte) bool { return b == '_' || b >= 'a' && b <= 'z' || isDigit(b) })
		if !bytes.HasPrefix(name, []byte("heap")) {
			continue
		}
		c.literal("/")
		if rate := c.digits(); len(rate) > 0 {
			if h.period, ok = parseInt(rate); !ok {
				return h, false
			}
		}
		h.allocated = !bytes.Equal(fields[2], fields[0]) && string(fields[2]) != "0" ||
			!bytes.Equal(fields[3], fields[1]) && string(fields[3]) != "0"
		switch string(name) {
		case "heapz_v2", "heap_v2":
			h.sampled = true
		case "heapprofile":
			h.period = 1
		case "heap": // the header has twice the rate
			h.sampled = true
			h.period /= 2
		default:
			return h, false
		}
		return h, true
	}
	h.period = 1
	return h, growth
}

// heapFields reads "1: 524288 [3: 1572864]". Only the first two may be negative,
// and only if signed.
func (c *lineScan) heapFields(signed bool) (f [4][]byte, ok bool) {
	for i, after := range [...]string{":", "[", ":", "]"} {
		if signed && i < 2 {
			f[i] = c.integer()
		} else {
			f[i] = c.digits()
		}
		if len(f[i]) == 0 {
			return f, false
		}
		if i&1 == 1 {
			c.blanks()
		}
		if !c.literal(after) {
			return f, false
		}
		if i < 3 {
			c.blanks()
		}
	}
	return f, true
}

// readHeapSample adds the sample of a line.
func readHeapSample(l *legacy, line []byte, h heapHeader) error {
	fields, addresses, ok := findHeapSample(line)
	if !ok {
		return l.errorf("%.100q is not COUNT: BYTES [COUNT: BYTES] @ ADDRESSES", bytes.TrimSpace(line))
	}
	var v [4]int64 // in the order of the sample types: allocated, in use
	for i, f := range fields {
		if v[i^2], ok = parseInt(f); !ok && (i < 2 || h.allocated) {
			return l.errorf("%s is out of range", f)
		}
	}
	size := int64(0)
	values := v[:]
	if !h.allocated {
		values = v[2:]
	}
	for i := 0; i < len(values); i += 2 {
		count, total := values[i], values[i+1]
		if count == 0 {
			if total != 0 {
				return l.errorf("no objects, but %d bytes of them", total)
			}
			continue
		}
		size = total / count
		if h.sampled {
			values[i], values[i+1] = unsample(count, total, h.period)
		}
	}
	if err := l.callers(addresses); err != nil {
		return err
	}
	return l.sizedSample(size, values...)
}

// findHeapSample finds the first heap sample in line, which is usually the whole line.
func findHeapSample(line []byte) (fields [4][]byte, addresses []byte, ok bool) {
	for i := 0; i < len(line); {
		if !isDigit(line[i]) && !(line[i] == '-' && i+1 < len(line) && isDigit(line[i+1])) {
			i++
			continue
		}
		c := lineScan{line[i:]}
		if fields, ok = c.heapFields(true); ok && c.literal(" @") {
			return fields, c.addresses(), true
		}
		for i++; i < len(line) && isDigit(line[i]); i++ {
		}
	}
	return fields, nil, false
}

// unsample estimates how many objects, and how many bytes in them, there were
// for those sampled. A sampler that takes a byte out of rate, at random, sees an
// object of size s with probability 1 - exp(-s/rate).
func unsample(count, size, rate int64) (int64, int64) {
	if count == 0 || size == 0 {
		return 0, 0
	}
	if rate <= 1 { // everything is there, or the rate is unknown
		return count, size
	}
	mean := float64(size) / float64(count)
	scale := 1 / (1 - math.Exp(-mean/float64(rate)))
	return int64(float64(count) * scale), int64(float64(size) * scale)
}

// legacyCount decodes the profiles of runtime/pprof that count stacks, such as
// threadcreate, if they come without symbols:
//
//	threadcreate profile: total 7
//	1 @ 0x44cb3 0x45045 0x45323
func legacyCount(l *legacy) error {
	line, err := l.firstStatement()
	if err != nil {
		return err
	}
	kind, total, found := bytes.Cut(line, []byte(" profile: total "))
	c := lineScan{total}
	if !found || len(kind) == 0 || bytes.ContainsAny(kind, " \t\f\r") || len(c.digits()) == 0 || len(c.b) > 0 {
		return errNotLegacy
	}
	t := ValueType{string(kind), "count"}
	l.types(t)
	l.p.PeriodType, l.p.Period = t, 1
	for {
		line, err := l.next()
		if err == io.EOF || bytes.HasPrefix(line, []byte("---")) {
			return l.memoryMap(line)
		}
		if err != nil {
			return err
		}
		if blankOrComment(line) {
			continue
		}
		c := lineScan{line}
		n := c.digits()
		if len(n) == 0 || !c.literal(" @ 0x") {
			return l.errorf("%.100q is not COUNT @ ADDRESSES", line)
		}
		count, ok := parseIntAnyBase(n)
		if !ok {
			return l.errorf("%s is out of range", n)
		}
		for {
			address, ok := c.hex()
			if !ok {
				return l.errorf("bad address in %.100q", line)
			}
			if err := l.frame(address - 1); err != nil {
				return err
			}
			if len(c.b) == 0 {
				break
			}
			if !c.literal(" 0x") {
				return l.errorf("bad address in %.100q", line)
			}
		}
		if err := l.sample(count); err != nil {
			return err
		}
	}
}

// legacyContention decodes profiles of waiting for locks, from C++ programs and from
// runtime/pprof. Each line has the delay in cycles, the number of delays, and a stack of
// return addresses, leaf first:
//
//	--- mutex:
//	cycles/second=2099998770
//	sampling period=1
//	1350126 2 @ 0x46d3a5 0x4a41f6 0x46b621
//	#	0x46d3a4	sync.(*Mutex).Unlock+0x64	/go/src/sync/mutex.go:223
func legacyContention(l *legacy) error {
	line, err := l.firstLine()
	if err != nil {
		return err
	}
	if !hasAnyPrefix(line, "--- contentionz ", "--- mutex:", "--- contention:") {
		return errNotLegacy
	}
	l.types(ValueType{"contentions", "count"}, ValueType{"delay", "nanoseconds"})
	l.p.PeriodType, l.p.Period = ValueType{"contentions", "count"}, 1
	l.p.DropFrames = legacyLocks
	var hz int64
	for header := true; ; {
		line, err := l.next()
		if err == io.EOF || bytes.HasPrefix(bytes.TrimSpace(line), []byte("---")) {
			return l.memoryMap(line)
		}
		if err != nil {
			return err
		}
		if blankOrComment(line) {
			continue
		}
		if header {
			if key, value, found := bytes.Cut(line, []byte("=")); found {
				if err := readContentionAttribute(l, string(bytes.TrimSpace(key)), bytes.TrimSpace(value), &hz); err != nil {
					return err
				}
				continue
			}
			header = false
		}
		if err := readContentionSample(l, line, hz); err != nil {
			return err
		}
	}
}

func readContentionAttribute(l *legacy, key string, value []byte, hz *int64) error {
	if key == "discarded samples" {
		return nil
	}
	n, ok := parseIntAnyBase(value)
	switch key {
	case "cycles/second":
		*hz = n
	case "sampling period":
		l.p.Period = n
	case "ms since reset":
		l.p.DurationNanos = n * 1_000_000
	default: // "format" and "resolution" are Java's
		return l.misfitf("unknown attribute %.100q", key)
	}
	if !ok {
		return l.misfitf("%.100q is not a number", value)
	}
	return nil
}

// readContentionSample adds the sample of a line, with the delay in nanoseconds.
func readContentionSample(l *legacy, line []byte, hz int64) error {
	first, second, addresses, ok := findContentionSample(line)
	if !ok {
		return l.misfitf("%.100q is not CYCLES COUNT @ ADDRESSES", bytes.TrimSpace(line))
	}
	delay, ok1 := parseInt(first)
	count, ok2 := parseInt(second)
	if !ok1 || !ok2 {
		return l.errorf("%s or %s is out of range", first, second)
	}
	if period := l.p.Period; period > 0 {
		if hz > 0 {
			ghz := float64(hz) / 1e9
			delay = int64(float64(delay) * float64(period) / ghz)
		}
		count *= period
	}
	if err := l.callers(addresses); err != nil {
		return err
	}
	return l.sample(count, delay)
}

// findContentionSample finds the first two numbers and " @" in line. A single
// number is two, the second of one digit.
func findContentionSample(line []byte) (first, second, addresses []byte, ok bool) {
	for at := 0; ; at += len(" @") {
		i := bytes.Index(line[at:], []byte(" @"))
		if i < 0 {
			return nil, nil, nil, false
		}
		at += i
		start := digitsBefore(line[:at])
		second = line[start:at]
		first = bytes.TrimRight(line[:start], " ")
		first = first[digitsBefore(first):]
		if len(first) == 0 && len(second) >= 2 {
			first, second = second[:len(second)-1], second[len(second)-1:]
		}
		if len(first) > 0 && len(second) > 0 {
			c := lineScan{line[at+len(" @"):]}
			return first, second, c.addresses(), true
		}
	}
}

// callers adds the frames of return addresses. It moves each address back to the call.
func (l *legacy) callers(addresses []byte) error {
	c := lineScan{addresses}
	for {
		address, found, ok := c.nextHex()
		if !ok {
			return l.errorf("an address is out of range in %.100q", addresses)
		}
		if !found {
			return nil
		}
		if err := l.frame(address - 1); err != nil {
			return err
		}
	}
}
