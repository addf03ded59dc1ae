package sum

type part struct {
	head, tail []string
	rest       []*part
}

func both(a, b []int) int {
	out := make([]int, 0)
	out = append(out, a...)
	// want A: len(a)+len(b) elements first
	out = append(out, b...) // hot: runtime.growslice
	n := 0
	for _, x := range out {
		n += x
	}
	return n
}

func all(p part, name string) []string {
	var out []string
	out = append(out, p.head...)
	// want A: allocate len(p.head)+len(p.tail)+2 elements first
	out = append(out, name, "and") // hot: runtime.growslice
	out = append(out, p.tail...)
	return out
}

func perhapsNil(a, b []string) []string {
	var out []string
	out = append(out, a...)
	// want A: allocated and copied again
	out = append(out, b...) // hot: runtime.growslice
	return out
}

func text(head string, body []byte) []byte {
	b := []byte{}
	b = append(b, head...)
	// want A: len(head)+len(body)
	b = append(b, body...) // hot: runtime.growslice
	return b
}

// The second isn't known yet, or changes.
func unknown(p *part, load func() []string) []string {
	var out []string
	out = append(out, p.head...)
	out = append(out, load()...) // hot: runtime.growslice
	other := []string{}
	other = append(other, load()...)
	other = append(other, p.tail...) // hot: runtime.growslice
	var third []string
	third = append(third, out...)
	if len(third) > 3 {
		third = append(third, other...) // hot: runtime.growslice
	}
	return third
}

// weightless may have so many elements that the sum overflows.
func weightless(a, b []struct{}) []struct{} {
	var out []struct{}
	out = append(out, a...)
	out = append(out, b...) // hot: runtime.growslice
	return out
}
