package samecode

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// A listing reads what the compiler prints with -S=2, as it is written:
//
//	# example.com/m [example.com/m.test]
//	example.com/m.F<1> STEXT size=24 args=0x0 locals=0x8 funcid=0x0 align=0x0
//		0x0000 00000 (example.com/m/m.go:10)	TEXT	example.com/m.F(SB), ABIInternal, $48-0
//		0x0012 00018 (example.com/m/m.go:11)	PCDATA	$1, $0
//		0x0000 49 3b 66 10 0f 86 8d 00 00 00 55 48 89 e5 48 83  I;f.......UH..H.
//		rel 19+4 t=R_CALL runtime.makemap_small<1>+0
//	example.com/m..stmp_0<0> SRODATA static size=1
//		0x0000 61                                               a
//	aux for example.com/m.F<0> SDWARFFCN size=64
//		rel 19+4 t=R_DWARFSECREF go:info.example.com/m.G$abstract<0>+0
//
// The instructions themselves, which have the lines, are passed over, but for what
// is not in the bytes: PCDATA and FUNCDATA. Nothing depends on the processor.
type listing struct {
	names  *names
	wanted map[string]*unit
	seen   map[string]bool
	err    error

	rest    []byte  // an unfinished line
	unit    *unit   // nil: not wanted
	symbol  *symbol // nil: passed over
	filled  bool    // the symbol has bytes that are not listed, those of an embedded file
	hashed  []byte  // of the symbol
	refs    []int32 // of the symbol
	inliner int32   // "aux for": of which function; else -1
	line    int
}

func newListing(wanted map[string]*unit, n *names) *listing {
	return &listing{names: n, wanted: wanted, seen: make(map[string]bool), inliner: -1}
}

func (l *listing) Write(p []byte) (int, error) {
	n := len(p)
	for l.err == nil {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.rest = append(l.rest, p...)
			break
		}
		line := p[:i]
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		l.line++
		l.read(line)
		l.rest, p = l.rest[:0], p[i+1:]
	}
	return n, nil // the go command need not end early
}

// close returns an error if the text was of another form, or does not have a unit.
func (l *listing) close() error {
	l.flush()
	if l.err == nil && len(l.rest) > 0 {
		l.fail(l.rest)
	}
	if l.err != nil {
		return l.err
	}
	for name := range l.wanted {
		if !l.seen[name] {
			return fmt.Errorf("%w: the compiler printed nothing of %s", ErrUnknown, name)
		}
	}
	return nil
}

func (l *listing) fail(line []byte) {
	if len(line) > 200 {
		line = line[:200]
	}
	l.err = fmt.Errorf("%w: line %d of what the compiler printed is %q", ErrUnknown, l.line, line)
}

func (l *listing) read(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("# ")):
		l.flush()
		l.unit = l.wanted[string(line[2:])]
		if l.unit == nil {
			return
		}
		if l.seen[l.unit.name] {
			l.fail(line)
			return
		}
		l.seen[l.unit.name] = true
		l.unit.symbols, l.unit.inlined = make(map[int32][]*symbol), make(map[int32][]int32)
	case l.unit == nil: // of a unit that nobody wants, or what the go command says first
	case len(line) > 0 && line[0] != '\t':
		l.flush()
		l.begin(line)
	case l.symbol == nil && l.inliner < 0:
	case bytes.HasPrefix(line, []byte("\trel ")):
		l.relocation(line)
	case l.symbol == nil:
	case bytes.HasPrefix(line, []byte("\t0x")):
		l.text(line)
	default:
		l.fail(line)
	}
}

// flush ends a symbol.
func (l *listing) flush() {
	if s := l.symbol; s != nil {
		if l.filled {
			l.hashed = append(l.hashed, l.unit.embedded[:]...)
		}
		s.content = sha256.Sum256(l.hashed)
		s.refs = slices.Clone(l.refs)
		l.unit.symbols[s.name] = append(l.unit.symbols[s.name], s)
	}
	l.symbol, l.filled, l.inliner, l.hashed, l.refs = nil, false, -1, l.hashed[:0], l.refs[:0]
}

// begin reads the line of a symbol: NAME<ABI> KIND ATTRIBUTES size=N, in which a name
// may have anything, but the rest no ">".
func (l *listing) begin(line []byte) {
	aux, isAux := bytes.CutPrefix(line, []byte("aux for "))
	end := bytes.LastIndex(line, []byte("> "))
	start := bytes.LastIndexByte(line[:max(0, end)], '<')
	if start < 0 {
		l.fail(line)
		return
	}
	name, attributes := line[:end+1], line[end+2:]
	kind, _, _ := bytes.Cut(attributes, []byte(" "))
	switch {
	case !bytes.Contains(attributes, []byte("size=")):
		l.fail(line)
	case isAux && string(kind) == "SDWARFFCN":
		l.inliner = l.names.add(aux[:start-len("aux for ")])
	case isAux || bytes.HasPrefix(kind, []byte("SDWARF")) || start == 0:
	default:
		l.symbol = &symbol{
			name: l.names.add(name), file: -1,
			function: bytes.HasPrefix(kind, []byte("STEXT")),
			shared:   bytes.Contains(attributes, []byte("dupok ")),
			variable: slices.Contains([]string{"SDATA", "SNOPTRDATA", "SBSS", "SNOPTRBSS", "STLSBSS"}, string(kind)),
		}
		l.hashed = append(l.hashed, attributes...)
		l.filled = bytes.HasSuffix(kind, []byte("DATA")) && !bytes.HasSuffix(attributes, []byte("size=0"))
	}
}

// text reads a line of bytes, or of an instruction.
func (l *listing) text(line []byte) {
	space := bytes.IndexByte(line, ' ')
	if space < 0 || len(line) < space+4 {
		l.fail(line)
		return
	}
	if line[space+3] == ' ' { // sixteen bytes as numbers, then as characters
		l.filled = false
		l.hashed = append(append(l.hashed, line[:min(len(line), space+1+3*16)]...), '\n')
		return
	}
	_, instruction, ok := bytes.Cut(line, []byte(")\t"))
	open := bytes.IndexByte(line, '(')
	if !ok || open < 0 || open > len(line)-len(instruction)-3 || !l.symbol.function {
		l.fail(line)
		return
	}
	name, operands, _ := bytes.Cut(instruction, []byte("\t"))
	switch string(name) {
	case "TEXT":
		file := line[open+1 : len(line)-len(instruction)-2]
		if i := bytes.LastIndexByte(file, ':'); i > 0 && !bytes.Contains(file, []byte("<autogenerated>")) {
			l.symbol.file = l.names.add(file[:i])
		}
	case "PCDATA":
		l.hashed = append(append(append(l.hashed, line[:space]...), operands...), '\n')
	case "FUNCDATA": // $4, NAME(SB)
		which, data, ok := bytes.Cut(operands, []byte(", "))
		data, ok2 := bytes.CutSuffix(data, []byte("(SB)"))
		if !ok || !ok2 {
			l.fail(line)
			return
		}
		l.hashed = append(append(l.hashed, which...), '\n')
		l.refs = append(l.refs, l.names.add(append(slices.Clip(data), "<0>"...)))
	}
}

// relocation reads "rel OFFSET+SIZE t=KIND NAME<ABI>+ADDEND"; some have no name.
func (l *listing) relocation(line []byte) {
	kind := bytes.Index(line, []byte(" t="))
	plus := bytes.LastIndexByte(line, '+')
	if kind < 0 || plus < kind {
		l.fail(line)
		return
	}
	space := bytes.IndexByte(line[kind+3:], ' ')
	if space < 0 || kind+3+space+1 > plus {
		l.fail(line)
		return
	}
	what, name, addend := line[:kind+3+space], line[kind+3+space+1:plus], line[plus:]
	if l.inliner >= 0 {
		if f, ok := bytes.CutPrefix(name, []byte("go:info.")); ok {
			if f, ok := bytes.CutSuffix(f, []byte("$abstract<0>")); ok {
				l.unit.inlined[l.inliner] = append(l.unit.inlined[l.inliner], l.names.add(f))
			}
		}
		return
	}
	l.hashed = append(append(append(l.hashed, what...), addend...), '\n')
	l.refs = append(l.refs, l.names.add(name))
}
