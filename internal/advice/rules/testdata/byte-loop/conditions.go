package conditions

func negative(n int) string {
	// want B: Check that n is never negative: Repeat panics with another message than make. (end)
	b := make([]byte, n)
	for i := range b {
		b[i] = '-' // hot
	}
	return string(b)
}

func length(s string) string {
	// want A: Repeat fills it with block copies. (end)
	b := make([]byte, len(s)+2)
	for i := range b {
		b[i] = '-' // hot
	}
	return string(b)
}

func asked(n int) string {
	if n <= 80 && 0 < n {
		// want A: Repeat fills it with block copies. (end)
		b := make([]byte, n)
		for i := range b {
			b[i] = '-' // hot
		}
		return string(b)
	}
	return ""
}

// least must not be more than the length for the least integer.
func least(s string, n int) string {
	// want A: strings.Repeat makes the padding in one call. (end)
	for len(s) < n {
		s += " " // hot: runtime.concatstring2
	}
	return s
}

// own is a slice that nothing else leads to.
func own(n int) []int {
	var xs []int
	xs = append(xs, 1)
	// want A: without a temporary slice. (end)
	for len(xs) < n {
		xs = append(xs, 0) // hot
	}
	return xs
}

func given(xs []int, n int) []int {
	// want B: Check that no other slice uses the spare capacity of xs
	for len(xs) < n {
		xs = append(xs, 0) // hot
	}
	return xs
}
