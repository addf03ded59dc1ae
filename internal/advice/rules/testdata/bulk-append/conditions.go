package conditions

// given may append to the beginning of something, where the loop writes to the room behind.
func given(dst []byte, s string) []byte {
	// want B: Check that no other slice uses the spare capacity of dst, which may be written to a different extent before the slice is reallocated. (end)
	for _, c := range []byte(s) {
		dst = append(dst, c) // hot
	}
	return dst
}

// own is a slice that nothing else leads to.
func own(s string, b []byte) []byte {
	var dst []byte
	// want A: a single append copies them all. (end)
	for _, c := range []byte(s) {
		dst = append(dst, c) // hot
	}
	// want A: a single append copies them all. (end)
	for _, c := range b {
		dst = append(dst, c) // hot
	}
	return dst
}

// behind has read from the room that it appends to.
func behind(s string) []byte {
	dst := make([]byte, 0, 8)
	part := dst[:4]
	// want B: Check that part isn't part of dst or its spare capacity
	for _, c := range part {
		dst = append(dst, c) // hot
	}
	return dst
}

type writer struct{ buf []byte }

func (w *writer) field(b []byte) {
	// want B: Check that b isn't part of w.buf or its spare capacity
	for _, c := range b {
		w.buf = append(w.buf, c) // hot
	}
}
