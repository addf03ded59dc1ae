package fill

import "io"

func left(s string, width int) string {
	count := width - len(s)
	if count > 0 {
		// want A: Repeat fills it with block copies
		b := make([]byte, count)
		for i := range b {
			b[i] = ' ' // hot: fill.left
		}
		return string(b) + s
	}
	return s
}

func rule(w io.Writer, n int) error {
	// says: make([]byte, n) escapes to heap
	// want B: Check that n is never negative: Repeat panics with another message than make. (end)
	line := make([]byte, n)
	for i := 0; i < n; i++ {
		line[i] = '-' // hot: fill.rule
	}
	line[0] = '+'
	_, err := w.Write(line)
	return err
}

func pad(s, t string, n int) (string, string) {
	// want A: strings.Repeat makes
	for len(s) < n {
		s += " " // hot: runtime.concatstring2
	}
	// want A: strings.Repeat makes
	for len(t) < n-1 {
		t = "0" + t // hot: runtime.concatstring2
	}
	return s, t
}
