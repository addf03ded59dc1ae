package owners

import "fmt"

type node struct{ name string }

type buffer struct{ b []byte }

func (b *buffer) Write(p []byte) (int, error) { return len(p), nil }

func describe(v any) string {
	// says: b escapes to heap
	// want C: so it is allocated here each time
	var b buffer // alloc
	fmt.Fprint(&b, v)
	return string(b.b)
}

func cloned(xs []*node) []*node {
	// says: append([]*node(nil), xs...) escapes to heap
	// want C: A copy is allocated each time
	return append([]*node(nil), xs...) // alloc: 16 32 64
}

// says: n escapes to heap
// want C: or have the caller pass a pointer
func first(n node) *node { // alloc
	return &n
}
