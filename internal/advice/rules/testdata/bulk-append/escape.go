package escape

func escape(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		default:
			// want C: one by one Each unchanged byte of s is appended separately
			dst = append(dst, s[i]) // hot: runtime.growslice
		}
	}
	return dst
}

func clean(dst, text []byte) []byte {
	for i := range text {
		c := text[i]
		if c < ' ' {
			continue
		}
		// want C: by one Each unchanged byte of text is appended separately
		dst = append(dst, c) // hot: escape.clean
	}
	// want B: Check that text isn't part of dst or its spare capacity
	for _, c := range text {
		dst = append(dst, c) // hot: escape.clean
	}
	// want B: Check that no other slice uses the spare capacity of dst
	for _, c := range []byte("text") {
		dst = append(dst, c) // hot: escape.clean
	}
	return dst
}

func stepwise(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if b := s[i]; b < 0x80 {
			switch b {
			case '"', '\\':
				dst = append(dst, '\\', b)
			default:
				// want C: one by one Each unchanged byte of s is appended separately
				dst = append(dst, b) // hot
			}
			i++
			continue
		}
		dst = append(dst, s[i:i+2]...)
		i += 2
	}
	return dst
}

type raw []byte

// shared is of a conversion that makes no copy.
func shared(dst []byte, r raw) []byte {
	// want B: Check that []byte(r) isn't part of dst or its spare capacity
	for _, c := range []byte(r) {
		dst = append(dst, c) // hot: escape.shared
	}
	return dst
}
