package profile

import (
	"fmt"
	"strconv"
	"strings"
)

// A dump with debug=2, from a panic or from runtime.Stack has each goroutine with its
// frames; see stackDumpParser for all kinds of lines:
//
//	goroutine 18 [chan receive, 3 minutes, locked to thread]:
//	main.(*pool).worker(0xc000012345, {0x1, 0x2})
//		/src/main.go:31 +0x51
//	created by main.main in goroutine 1
//		/src/main.go:12 +0x1d

// goroutineHeader is the first line of a goroutine in a dump with debug=2:
//
//	goroutine 7 [select (durable), 2 minutes, locked to thread, synctest bubble 3]:
//	goroutine 1 gp=0xc000002380 m=0 mp=0x5f3b20 [running]:
//	goroutine 5 [sync.Mutex.Lock] {route: /checkout, "user id": "\u00e9"}:    since Go 1.27
//	goroutine 5 [sync.Mutex.Lock labels:{"route": "/checkout"}]:                 before, as an experiment
type goroutineHeader struct {
	id      int64
	state   string
	minutes int64 // time blocked; 0 if less than one minute
	locked  bool  // to its thread
	leaked  bool
	bubble  int64 // synctest bubble, 0 for none
	labels  [][2]string
}

// parseGoroutineHeader parses the first line of a goroutine. ok reports whether the
// line is one. problem describes parts that couldn't be read and are missing from h.
func parseGoroutineHeader(line string) (h goroutineHeader, problem string, ok bool) {
	s, ok := strings.CutPrefix(line, "goroutine ")
	if !ok {
		return h, "", false
	}
	if h.id, s, ok = digits(s); !ok {
		return h, "", false
	}
	if strings.HasPrefix(s, " gp=") {
		_, state, found := strings.Cut(s, " [")
		if !found {
			return h, "a header without a state", true
		}
		s = " [" + state
	}
	if s, ok = strings.CutPrefix(s, " ["); !ok {
		return h, "", false
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return h, "a state without an end", true
	}
	status, rest := s[:end], s[end+1:]
	list, labelled := "", false
	if before, _, found := strings.Cut(status, " labels:{"); found {
		status, list, labelled = before, s[len(before)+len(" labels:{"):], true
	} else if list, labelled = strings.CutPrefix(rest, " {"); labelled {
		rest = ""
	}
	h.status(status)
	if labelled {
		n := 0
		after, ok := parseLabels(list, func(key, value string) {
			h.labels = append(h.labels, [2]string{key, value})
			n++
		})
		if !ok {
			h.labels = nil
			return h, "labels that cannot be read", true
		}
		rest = strings.TrimPrefix(after, "]")
	}
	if strings.TrimRight(rest, " ") != ":" {
		problem = "something follows the state"
	}
	return h, problem, true
}

// status parses the text between the brackets, except labels.
func (h *goroutineHeader) status(s string) {
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

	open      bool // in a goroutine
	header    goroutineHeader
	problem   string // problem of the header
	at        int    // line number of the header
	call      string // line of a call whose file and line follow
	createdBy string
	rooted    bool // the stack is known to be complete
	ancestors bool // in the frames of the creator

	pure   bool   // the text begins with a header, so it is only a dump
	stray  string // place of the first line of a pure dump that belongs to no goroutine
	strays int
}

func decodeStackDump(text string, lim Limits) (*Profile, error) {
	p := &stackDumpParser{r: lineReader{text: text}, b: newDumpBuilder("goroutine", lim)}
	seen := false
	for {
		line, ok := p.r.next()
		if !ok {
			break
		}
		h, problem, isHeader := parseGoroutineHeader(line)
		if problem != "" {
			if p.r.unterminated {
				isHeader = false // the end of the line is missing
			} else {
				p.b.warn("%s: %s: %.100q", p.r.here(), problem, line)
				if p.open {
					continue // without a blank line before, it may be output of the program
				}
			}
		}
		if (isHeader || line == "") && p.open {
			if err := p.finish(); err != nil {
				return nil, err
			}
		}
		switch {
		case isHeader:
			// Goroutine 0 is a thread's scheduler, in crashes of the runtime.
			p.open, p.header, p.problem, p.at = h.id != 0, h, problem, p.r.n
			seen = seen || p.open
			p.pure = p.pure || p.r.n == 1
		case p.open:
			p.line(line)
			if len(p.b.stack) > p.b.lim.Frames {
				return nil, &LimitError{"frames", int64(p.b.lim.Frames)}
			}
		case p.r.unterminated && strings.HasPrefix(line, "goroutine "):
			p.b.warn("cut off in line %d: its goroutine is missing", p.r.n)
		case p.pure && p.header.id != 0 && line != "":
			if p.strays++; p.strays == 1 {
				p.stray = fmt.Sprintf("%s: not of a goroutine, skipped: %.100q", p.r.here(), line)
			}
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
	case p.strays == 1:
		p.b.warn("%s", p.stray)
	case p.strays > 1:
		p.b.warn("%s and %d lines more", p.stray, p.strays-1)
	}
	switch {
	case !seen:
		return nil, &SyntaxError{0, "line 1: no goroutine in the dump"}
	case len(p.b.in.p.Stacks) == 0:
		return nil, p.r.errorf("the dump is cut off within its only goroutine")
	}
	return p.b.profile(), nil
}

// line parses a line of a goroutine after its header.
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

// place parses an indented line, without its indent.
func (p *stackDumpParser) place(s string) {
	switch {
	case s == "goroutine running on other thread; stack unavailable":
		p.pseudo(unavailableFrame)
		return
	case p.createdBy != "":
		p.rooted = true
		return // the position of the go statement
	case p.call == "":
		p.b.warn("%s: skipped, no call before it", p.r.here())
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
		p.b.warn("%s: not a frame: %.100q", p.r.here(), s)
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

// pseudo adds a frame that replaces missing ones.
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

// finish adds the goroutine that was read.
func (p *stackDumpParser) finish() error {
	p.flush(0)
	b, h := p.b, &p.header
	if p.problem != "" && len(b.stack) == 0 {
		p.open = false // the line only looked like a header
		return nil
	}
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

// callWithoutPlace warns about a call whose second line is missing. Lines that don't
// look like calls are output of the program, or of the tool that ran it.
func (p *stackDumpParser) callWithoutPlace() {
	if _, _, isGo := goCall(p.call); isGo {
		p.b.warn("%s: no file and line of the call before", p.r.here())
	}
	p.call = ""
}

// cutOff reports, at the end of the dump, whether the last goroutine is truncated.
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

// A place is the second line of a frame: "/src/main.go:31 +0x51", followed by
// " fp=0x… sp=0x… pc=0x…" in a crash of the runtime. A C frame has "/src/c.c:12
// pc=0x…" or only the address.
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
