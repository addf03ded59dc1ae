package escaping

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
)

type node struct {
	name string
	kids []node
	text [64]byte
}

type selection struct{ nodes []*node }

func (s *selection) filter(f func(int, *node) bool) *selection { return s }

func not(s *selection, nodes []*node, keep bool) *selection {
	// says: func literal escapes to heap
	// want C: is allocated each time The function literal uses nodes
	return s.filter(func(_ int, n *node) bool { // alloc
		for _, o := range nodes {
			if o == n {
				return !keep
			}
		}
		return keep
	})
}

func counter() func() int {
	n := 0
	// says: func literal escapes to heap
	// want C: The function literal uses n and is allocated on each call
	return func() int { // alloc
		n++
		return n
	}
}

type logger struct{ w io.Writer }

func (l *logger) print(args ...any) {}

func (l *logger) level(n int, v any) {}

func info(l *logger, text string, id int) {
	// says: ... argument escapes to heap | text escapes to heap | id + 1 escapes to heap
	// want C: text, id+1 are copied to the heap
	l.print(text, id+1) // alloc
	// says: text escapes to heap
	// want C: to be passed as an interface l.level takes an interface
	l.level(id, text) // alloc
	var e error
	// says: ... argument escapes to heap
	// want C: a slice is allocated
	l.print(e, l) // alloc
}

var errEmpty = errors.New("empty")

type diagnostic struct{ at *node }

// says: n escapes to heap
// want C: a variable moves to the heap Line 71 takes its address
func check(n node) *diagnostic { // alloc
	if n.name == "" {
		return &diagnostic{at: &n}
	}
	return nil
}

func addresses(nodes []node) (out []*node) {
	// says: n escapes to heap
	// want C: &nodes[i]
	for _, n := range nodes { // alloc
		out = append(out, &n)
	}
	// says: n escapes to heap
	// want C: so the loop variable is allocated here each time
	for _, n := range nodes { // alloc
		switch n.name {
		case "a":
			out = append(out, &n)
		}
	}
	return out
}

func sum(h hash.Hash, text []byte) byte {
	// says: buf escapes to heap
	// want C: slices it
	var buf [64]byte // alloc
	h.Write(text)
	return h.Sum(buf[:0])[0]
}

type exporter interface{ Export([]node) error }

func export(e exporter, n node) error {
	// says: []node{...} escapes to heap
	// want C: A slice for one element
	return e.Export([]node{n}) // alloc
}

func create(name string, size int) (*node, []byte) {
	// says: make([]byte, size) escapes to heap
	// want C: If it isn't needed after the call
	b := make([]byte, size) // alloc
	// says: &node{...} escapes to heap
	// want C: A node is allocated
	return &node{name: name}, b // alloc
}

func (l *logger) with(f func(string)) {
	_ = f
}

func (l *logger) line(string) {}

func (l *logger) each() {
	// says: l.line escapes to heap
	// want C: value is allocated each time l.line is a method value
	l.with(l.line) // alloc
}

type buffer struct{ b []byte }

func (b *buffer) add(c byte) {
	// says: append(b.b, c) escapes to heap
	// want C: b.b is full
	b.b = append(b.b, c) // alloc: 8 16 32
}

func format(n int) string {
	return fmt.Sprint(n)
}

func reversed(a, b, c int) string {
	// says: strconv.Itoa(a) + "." + strconv.Itoa(b) + "." + strconv.Itoa(c) escapes to heap
	// want C: each time A new string is built from 5 pieces each time
	return strconv.Itoa(a) + "." + strconv.Itoa(b) + "." + strconv.Itoa(c) // alloc
}
