package p

func join(a, b, c []string) []string {
	// want B: allocates once
	return append(append(append([]string{}, a...), b...), c...) // alloc: 128 256
}

func path(parent []int, child []int) []int {
	// want B: allocates once
	full := append(append([]int(nil), parent...), child...) // hot: runtime.growslice
	return full
}

func clipped(a, b []byte) []byte {
	// want B: allocates once
	return append(a[:len(a):len(a)], b...) // alloc
}
