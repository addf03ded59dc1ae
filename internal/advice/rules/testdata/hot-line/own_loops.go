package hotline

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		// want look: The loop on line 4 handles one byte of s per iteration.
		if s[i] >= 0x80 { // hot
			return false
		}
	}
	return true
}

func sum(xs []float32, from int) (n float32) {
	for i := range len(xs) - from {
		// want look: The loop on line 14 handles one element (float32) of xs per iteration.
		n += xs[from+i] // hot
	}
	return n
}

func applied(xs []float32, f func(float32) float32) (n float32) {
	for _, x := range xs {
		// want look: what is inlined there. It runs up to len(xs) times
		n += f(x) // hot
	}
	return n
}

func counted(xs []int, m map[int]int) (n int) {
	for _, x := range xs {
		// want look: what is inlined there. It runs up to len(xs) times
		n += m[x] // hot
	}
	return n
}

type node struct{ left, right *node }

func (n *node) count() int {
	// want look: at most once per call of count, which calls itself (lines 44, 45). (end)
	if n == nil { // hot
		return 0
	}
	c := n.left.count()
	return c + n.right.count() + 1
}
