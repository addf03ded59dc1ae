package p

func slices(dst, src []int) {
	// want B: copy moves many bytes per instruction
	for i, x := range src { // hot
		dst[i] = x // hot
	}
}

func part(dst, src []string) {
	// want B: copy moves many bytes per instruction
	for i := range src {
		dst[i] = src[i] // hot
	}
}

func array(src [64]byte) (dst [64]byte) {
	// want B: copy moves many bytes per instruction
	for i, x := range src {
		dst[i] = x // hot
	}
	return dst
}

func repeated(buf []byte, from, to, n int) {
	dst, src := buf[to:], buf[from:from+n]
	// want C: copy moves many bytes per instruction
	for i := range src {
		dst[i] = src[i] // hot
	}
}

func smeared(buf []byte) {
	dst, src := buf[1:], buf
	// want C: copy moves many bytes per instruction
	for i := range src {
		dst[i] = src[i] // hot
	}
}

type halves struct{ buf, other []byte }

func (h *halves) move(n int) {
	dst, src := h.buf[:n], h.other[:n]
	// want B: copy moves many bytes per instruction
	for i := range src {
		dst[i] = src[i] // hot
	}
}
