package changed

func spaced(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		dst = append(dst, s[i]) // hot: changed.spaced
		dst = append(dst, ' ')
	}
	return dst
}

func upper(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c) // hot: changed.upper
	}
	return dst
}

func numbers(dst []int, ns []int) []int {
	for _, n := range ns {
		if n > 0 {
			dst = append(dst, n) // hot: changed.numbers
		}
	}
	return dst
}

func reversed(dst, text []byte) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		dst = append(dst, text[i]) // hot: changed.reversed
	}
	return dst
}
