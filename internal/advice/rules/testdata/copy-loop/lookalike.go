package p

// Each element changes.
func add(dst, src []int) {
	for i, x := range src {
		dst[i] = x + 1 // hot
	}
}

// They become something else.
func convert(dst []any, src []int) {
	for i, x := range src {
		dst[i] = x // hot: runtime.convT64
	}
}

// They are put in another order.
func backwards(dst, src []int) {
	for i, x := range src {
		dst[len(src)-1-i] = x // hot
	}
}

// The time is in what the loop goes through.
func fill(dst []int, src func() []int) {
	for i, x := range src() { // hot: p.source
		dst[i] = x
	}
}
