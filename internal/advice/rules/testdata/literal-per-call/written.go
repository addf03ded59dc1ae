package written

import (
	"bytes"
	"hash"
	"io"
)

const (
	leaf = 0
	node = 1
)

type kept struct{ data []byte }

func (k *kept) Write(p []byte) (int, error) { k.data = p; return len(p), nil }

func hashLeaf(h hash.Hash, data []byte) []byte {
	h.Reset()
	// says: []byte{...} escapes to heap
	// want B: Check that the method doesn't change or keep its argument
	h.Write([]byte{leaf}) // alloc
	h.Write(data)
	return h.Sum(nil)
}

func (k *kept) end(w io.Writer) error {
	// says: []byte{...} escapes to heap
	// want B: in a package variable
	if _, err := w.Write([]byte{'\r', '\n', node}); err != nil { // alloc
		return err
	}
	return nil
}

func others(k *kept, buf *bytes.Buffer, w io.Writer, n byte) {
	// says: []byte{...} escapes to heap
	k.Write([]byte{1, 2}) // alloc
	buf.Write([]byte{3})  // alloc
	// says: []byte{...} escapes to heap
	w.Write([]byte{n}) // alloc
	// says: []byte{...} escapes to heap
	defer w.Write([]byte{4}) // alloc
	w.Write([]byte{5})       // alloc
}
