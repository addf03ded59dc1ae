package conditions

import "bytes"

// negative panics with the name of what is asked to grow.
func negative(n int) string {
	// want B: Check that n is never negative or too large: the message of the panic in Grow differs. (end)
	var b bytes.Buffer
	b.Grow(n)
	b.WriteString("x")
	return b.String() // hot: bytes.(*Buffer).String
}

// large is more than zero, and may be more than there is.
func large(n int) string {
	if n <= 0 {
		return ""
	}
	if n > 3 {
		// want B: Check that n is never negative or too large: the message of the panic in Grow differs. (end)
		var b bytes.Buffer
		b.Grow(n)
		b.WriteString("x")
		return b.String() // hot: bytes.(*Buffer).String
	}
	return ""
}

func twice(s string) string {
	// want A: a strings.Builder returns them without a copy. (end)
	var b bytes.Buffer
	b.Grow(2 * len(s))
	b.WriteString(s)
	b.WriteString(s)
	return b.String() // hot: bytes.(*Buffer).String
}

func length(s string) string {
	// want A: a strings.Builder returns them without a copy. (end)
	var b bytes.Buffer
	b.Grow(len(s) + 2)
	b.WriteString(s)
	return b.String() // hot: bytes.(*Buffer).String
}

// copied would panic as a Builder.
func copied(s string) string {
	var b bytes.Buffer
	b.WriteString(s)
	c := b
	c.WriteString(s)
	return b.String() // hot: bytes.(*Buffer).String
}
