package conditions

// given may append to the beginning of something, where the loop writes to the room behind.
func given(dst []byte, s string) []byte {
	// want B: Check that nothing else uses the room behind dst, which may be written to a different extent before the slice moves. (end)
	for _, c := range []byte(s) {
		dst = append(dst, c) // hot
	}
	return dst
}

// own is a slice that nothing else leads to.
func own(s string, b []byte) []byte {
	var dst []byte
	// want A: one append copies all of them. (end)
	for _, c := range []byte(s) {
		dst = append(dst, c) // hot
	}
	// want A: one append copies all of them. (end)
	for _, c := range b {
		dst = append(dst, c) // hot
	}
	return dst
}

// behind has read from the room that it appends to.
func behind(s string) []byte {
	dst := make([]byte, 0, 8)
	part := dst[:4]
	// want B: that part is no part of dst
	for _, c := range part {
		dst = append(dst, c) // hot
	}
	return dst
}

type writer struct{ buf []byte }

func (w *writer) field(b []byte) {
	// want B: that b is no part of w.buf
	for _, c := range b {
		w.buf = append(w.buf, c) // hot
	}
}
