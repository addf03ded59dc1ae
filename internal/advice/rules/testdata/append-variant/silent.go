package silent

import (
	"io"
	"strconv"
	"strings"
)

type point struct{ x, y int }

// Its callers keep the text.
func (p point) String() string {
	return strconv.Itoa(p.x) + "," + strconv.Itoa(p.y) // hot: runtime.concatstring3
}

func kept(p point, names map[string]point) string {
	names[p.String()] = p
	return p.String()
}

// What the writer does with the bytes isn't known.
func write(w io.Writer, p point) { io.WriteString(w, p.String()) }

type named struct{ name, unit string }

// Nothing is built in one case.
func (n named) label() string {
	if n.unit != "" {
		if len(n.name) > 3 {
			return n.name
		}
	}
	return n.name + " " + n.unit // hot: runtime.concatstring3
}

// The text is kept as well.
func (n named) logged(log func(string)) string {
	var sb strings.Builder
	sb.WriteString(n.name)
	sb.WriteString(n.unit) // hot: strings.(*Builder).WriteString
	log(sb.String())
	return sb.String()
}

// It would run when the variant returns.
func (n named) closed(done func()) string {
	defer done()
	return n.name + " " + n.unit // hot: runtime.concatstring3
}

// What it has built is read.
func (n named) trimmed() string {
	s := n.name + ", "
	s += n.unit + ", " // hot: runtime.concatstring2
	return strings.TrimSuffix(s, ", ")
}

// A variant of it would not have the type's parameters.
type pair[T any] struct {
	name string
	v    T
}

func (p pair[T]) text() string {
	return p.name + ":" + p.name // hot: runtime.concatstring3
}

func all(n named, p pair[int]) []byte {
	var b []byte
	b = append(b, n.label()...)
	b = append(b, n.logged(func(string) {})...)
	b = append(b, n.closed(func() {})...)
	b = append(b, n.trimmed()...)
	return append(b, p.text()...)
}

type frame struct{ raw []byte }

// Its caller changes bytes of the frame.
func (f *frame) bytes() []byte {
	if f.raw != nil {
		return f.raw
	}
	var b []byte
	return append(b, "none"...) // alloc
}

func mark(f *frame) {
	b := f.bytes()
	b[0] = '!'
}
