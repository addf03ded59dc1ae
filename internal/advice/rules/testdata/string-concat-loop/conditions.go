package conditions

import "strconv"

// rescued has the pieces before the one that panics.
func rescued(xs []string, n int) (s string) {
	defer func() { recover() }()
	for i := range n {
		// want B: Also check that no code uses the result s after a panic in the loop: it doesn't have the pieces yet. (end)
		s += xs[i] // alloc: runtime.concatstring2 64 128 256 512
	}
	return s
}

func plain(xs []string) string {
	s := ""
	for _, x := range xs {
		// want B: a strings.Builder allocates as much. (end)
		s += x // alloc: runtime.concatstring2 64 128 256 512
	}
	return s
}

// captured is seen by a function.
func captured(xs []string, show func()) (s string) {
	each := func() { s += "," }
	for _, x := range xs {
		// want C: copies each piece about twice
		s += x // alloc: runtime.concatstring2 64 128 256 512
		each()
	}
	return s
}

// hidden has another thing called string.
func hidden(xs []string, string func(string) string) (s string) {
	for _, x := range xs {
		// want C: copies each piece about twice
		s += x // alloc: runtime.concatstring2 64 128 256 512
	}
	return string(s)
}

// counted asks for the length in a function that the loop calls.
func counted(xs []string) string {
	s := ""
	length := func() int { return len(s) }
	for range xs {
		// want B: Also check that no function literal uses s during the loop
		s += strconv.Itoa(length()) // alloc: runtime.concatstring2 64 128 256 512
	}
	return s
}

func callsBesideIndex(list []string, next func() string) string {
	s := ""
	for range 100 {
		// want B: that list[3] doesn't panic: it is now evaluated before next()
		s += list[3] + next() // alloc: runtime.concatstring3 64 128 256 512
	}
	return s
}
