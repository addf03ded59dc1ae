package profile

import (
	"math"
	"strings"
)

// A dump with debug=1 counts equal stacks. Each stack has its return addresses, leaf
// first, and then the symbols of those outside of the runtime:
//
//	goroutine profile: total 7
//	4 @ 0x43e2ee 0x44f4a5 0x4e1a32 0x46d3a1
//	# labels: {"tenant":"a", "worker":"3"}
//	#	0x4e1a31	main.worker+0x51	/src/main.go:31

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
	entry      uint64 // entry address of the machine-code function with pc
	name, file string
	line       int64
}

// countRecord is one stack of a dump with debug=1; the indexes are into the
// slices of countDump.
type countRecord struct {
	count                        int64
	damaged                      bool // one of its lines is malformed
	pcs, frames, labels          int  // start indexes
	pcsEnd, framesEnd, labelsEnd int
}

// countDump is a parsed dump with debug=1.
type countDump struct {
	records []countRecord
	pcs     []uint64
	frames  []countFrame
	labels  [][2]string

	known map[uint64]int // frame of a pc, to name frames that are omitted in other stacks
	sum   int64          // sum of counts so far
}

func decodeCountDump(text string, lim Limits) (*Profile, error) {
	kind, total, r, _ := countHeader(text)
	b := newDumpBuilder(kind, lim)
	d := countDump{known: map[uint64]int{}}
	closed, err := d.read(&r, b, total)
	if err != nil {
		return nil, err
	}
	if n := len(d.records); n > 0 && !closed && !d.whole(d.records[n-1]) {
		d.records = d.records[:n-1]
	}
	physical := d.physicalNames()

	var mapping uint32
	if len(d.pcs) > 0 {
		// The text has no mappings. A symbolizer needs one to find the names of
		// the other addresses, so this one spans all addresses.
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

// read reads the records. total is the sum of their counts. closed reports whether a
// blank line follows the last one.
func (d *countDump) read(r *lineReader, b *dumpBuilder, total int64) (closed bool, err error) {
	lim := b.lim
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
				rest, ok := parseLabels(list, func(key, value string) {
					d.labels = append(d.labels, [2]string{key, value})
				})
				if !ok || rest != "" {
					if r.unterminated {
						return d.drop(), nil
					}
					b.warn("%s: labels that cannot be read: %.100q", r.here(), line)
					d.labels = d.labels[:rec.labelsEnd]
					continue
				}
				rec.labelsEnd = len(d.labels)
				continue
			}
			f, ok := parseCountFrame(line)
			if !ok {
				if r.unterminated {
					return d.drop(), nil
				}
				b.warn("%s: not a frame: %.100q", r.here(), line)
				rec.damaged = true
				continue
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

		case line == "--- Memory map: ---" || line == "MAPPED_LIBRARIES:":
			return true, nil

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
			if r.unterminated && d.sum < total {
				return true, nil // the sum of counts shows that it is missing
			}
			if !ok {
				return false, r.errorf("not a stack: %.100q", line)
			}
			d.sum += count
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

// drop removes the last record, which is truncated.
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
// columns are aligned with several tabs. An address without a symbol has only one column.
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

// whole reports whether the frames of a record reach its root. There, only the address
// of runtime.goexit has no line.
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

// physicalNames returns the name of the machine-code function at each entry address:
// the name of the last of several adjacent frames with that entry. The frames before
// are functions inlined into it, or recursive calls.
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

// How many addresses without a line may precede that of a line. At the leaf the runtime
// omits its own frames, elsewhere only runtime.goexit.
const (
	maxHiddenLeaves = 1024
	maxHiddenInside = 8
)

// addStack puts the stack of rec into b.stack. named is false if a symbolizer
// has names to add.
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
	pcs := d.pcs[rec.pcs:rec.pcsEnd]
	frames := d.frames[rec.frames:rec.framesEnd]
	// Stacks only lack the runtime's frames at the leaf and runtime.goexit at
	// the root.
	lost := rec.damaged || len(frames) == 0 && len(pcs) > 1
	hidden := func(pc uint64) {
		switch i, ok := d.known[pc-1]; {
		case ok:
			push(&d.frames[i])
		case lost:
			push(&countFrame{pc: pc - 1})
		default:
			push(&countFrame{pc: pc - 1, name: RuntimeFrame})
			named = false
		}
	}

	reach := maxHiddenLeaves
	for i := range frames {
		f := &frames[i]
		if f.pc == 0 {
			continue // an empty stack
		}
		for j := range min(len(pcs), reach) {
			if pcs[j]-1 == f.pc || pcs[j] == f.pc {
				if reach == maxHiddenLeaves || lost {
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
	switch {
	case len(frames) == 0:
		for _, pc := range pcs {
			hidden(pc)
		}
	case lost:
		for _, pc := range pcs[:max(0, len(pcs)-1)] { // the last one is that of runtime.goexit
			hidden(pc)
		}
	}
	flush()
	return named
}
