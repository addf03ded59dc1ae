package profile

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// ParseFolded reads folded stacks: one sample per line, its frames from the
// root to the leaf separated by semicolons, then blanks and its value.
//
//	main;parse;read 120
//	main;parse 30
//	# a comment
//
// The profile has the sample type samples/count. When the first line ends in
// two values, as the stacks of a comparison do, every line must, and there are
// two types: base/count and head/count. Values are integers or decimal
// fractions, which are rounded. A stack may occur more than once. A name is the text
// between semicolons, without spaces around it; an empty name means an unknown
// function.
//
// Errors are of type [*SyntaxError], with line and byte offset, and [*LimitError].
func ParseFolded(r io.Reader, lim Limits) (*Profile, error) {
	lim = lim.withDefaults()
	m := meter{budget: lim.Budget, limit: lim.Memory}
	p, err := parseFolded(r, lim, &m)
	if err != nil {
		m.give(m.used)
	}
	return p, err
}

// parseFolded is ParseFolded with memory from m.
func parseFolded(r io.Reader, lim Limits, m *meter) (*Profile, error) {
	f := foldedReader{textLines: newTextLines(r, lim.TextBytes, m), lim: lim}
	for {
		line, err := f.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := f.add(line); err != nil {
			return nil, err
		}
	}
	if f.b == nil {
		return nil, &SyntaxError{Offset: -1, Msg: "no folded stacks"}
	}
	if err := f.hold(); err != nil {
		return nil, err
	}
	return f.b.Profile(), nil
}

// A foldedReader parses folded stacks, line by line.
type foldedReader struct {
	textLines
	lim  Limits
	held int64 // memory taken from mem

	b       *Builder // nil until the first sample
	columns int      // 1 or 2
	frames  int      // number of frames in all lines
	stack   []uint32
}

func (f *foldedReader) hold() error {
	return f.mem.hold(&f.held, f.b.in.bytes()+bytesOf[uint32](cap(f.stack)))
}

// add adds the sample of a line, if it has one.
func (f *foldedReader) add(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	stack, last, ok := cutNumber(line)
	if !ok {
		return f.fail("the line doesn't end with a value")
	}
	first, two := int64(0), false
	var outer []byte
	if f.b == nil || f.columns == 2 {
		outer, first, two = cutNumber(stack)
	}
	switch {
	case f.b == nil && two:
		f.columns = 2
		f.b = NewBuilder(ValueType{"base", "count"}, ValueType{"head", "count"})
	case f.b == nil:
		f.columns = 1
		f.b = NewBuilder(ValueType{"samples", "count"})
	case f.columns == 2 && !two:
		return f.fail("it has one value, but the lines before have two")
	}
	if f.columns == 2 {
		stack = outer
	}
	if err := f.addFrames(stack); err != nil {
		return err
	}
	if f.columns == 2 {
		f.b.Sample(f.stack, nil, first, last)
	} else {
		f.b.Sample(f.stack, nil, last)
	}
	if p := f.b.in.p; len(p.Stacks) > f.lim.Samples {
		return &LimitError{"samples", int64(f.lim.Samples)}
	}
	if f.line%64 == 0 {
		return f.hold()
	}
	return nil
}

// addFrames sets f.stack to the locations of the frames in text.
func (f *foldedReader) addFrames(text []byte) error {
	f.stack = f.stack[:0]
	p := f.b.in.p
	for end := len(text); len(text) > 0 && end >= 0; {
		// Leaf first, from the end of the line.
		from := bytes.LastIndexByte(text[:end], ';') + 1
		name := bytes.TrimSpace(text[from:end])
		end = from - 1
		if f.frames++; f.frames > f.lim.Frames {
			return &LimitError{"frames", int64(f.lim.Frames)}
		}
		if f.frames%1024 == 0 { // a line may have any number
			if err := f.hold(); err != nil {
				return err
			}
		}
		if !utf8.Valid(name) {
			name = bytes.ToValidUTF8(name, []byte("\uFFFD"))
		}
		f.stack = append(f.stack, f.location(unsafe.String(unsafe.SliceData(name), len(name))))
		if len(p.Locations) > min(f.lim.Locations, f.lim.Functions) || len(p.Strings) > f.lim.Strings {
			return &LimitError{"functions", int64(min(f.lim.Locations, f.lim.Functions, f.lim.Strings))}
		}
	}
	return nil
}

// location returns the location of a name. It copies a name that it keeps.
func (f *foldedReader) location(name string) uint32 {
	if name == "" {
		return f.b.Location(0, 0)
	}
	return f.b.Location(0, 0, Line{Function: f.b.Function(name, name, "", 0)})
}

func (f *foldedReader) fail(msg string) error { return f.errorf("folded stacks", "%s", msg) }

// cutNumber cuts the last blank-separated field off line, if it is a number,
// and rounds it. A line with only a number is a sample without frames.
func cutNumber(line []byte) (rest []byte, v int64, ok bool) {
	i := bytes.LastIndexAny(line, " \t")
	field := line[i+1:]
	if len(field) == 0 || len(field) > 40 || bytes.ContainsAny(field, "xX_") {
		return nil, 0, false // not a decimal number
	}
	if c := field[len(field)-1]; (c < '0' || c > '9') && c != '.' {
		return nil, 0, false // also keeps Inf and NaN out
	}
	v, err := strconv.ParseInt(string(field), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(field), 64)
		if err != nil || math.Abs(f) >= 1<<63 {
			return nil, 0, false
		}
		v = int64(math.Round(f))
	}
	return bytes.TrimRight(line[:max(i, 0)], " \t"), v, true
}

// looksFolded reports whether a file that begins with prefix may hold folded
// stacks: text whose complete lines all end in a number, with a semicolon in
// one of them.
func looksFolded(prefix []byte) bool {
	if bytes.IndexByte(prefix, 0) >= 0 {
		return false
	}
	semicolon, lines := false, 0
	for len(prefix) > 0 {
		line, rest, complete := bytes.Cut(prefix, []byte("\n"))
		prefix = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if _, _, ok := cutNumber(line); !ok {
			if complete {
				return false
			}
			// The line goes on behind the prefix; alone, it has to be as long
			// as a stack is.
			return semicolon || lines == 0 && len(line) > 1024 && bytes.IndexByte(line, ';') > 0
		}
		lines++
		semicolon = semicolon || bytes.IndexByte(line, ';') > 0
	}
	return semicolon
}
