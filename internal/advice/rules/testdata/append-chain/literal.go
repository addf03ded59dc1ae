package p

type name string

const leaf = 0

func prefixed(data []byte) []byte {
	// want A: allocates once. (end)
	return append([]byte{leaf}, data...) // hot: runtime.growslice
}

func node(left, right []byte) []byte {
	// want A: allocates once. (end)
	return append(append([]byte{1}, left...), right...) // alloc: 64
}

func called(next func() []byte, data []byte) []byte {
	// want B: Check that next() doesn't change data
	return append(append([]byte{1}, data...), next()...) // hot: runtime.growslice
}

func text(data string) []byte {
	return append([]byte{leaf}, data...) // hot: runtime.growslice
}
