package conditions

// claims takes a number from its input for the truth.
func claims(n int, next func() string) map[int]string {
	m := make(map[int]string)
	for i := 0; i < n; i++ {
		// want B: Check that n is no more than a few times what there really is
		m[i] = next() // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}

func counts(n int) map[int]bool {
	m := make(map[int]bool)
	for i := 0; i < n; i++ {
		// want A: make it with room for all. (end)
		m[i] = true // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}

func elements(xs []string, next func() string) map[int]string {
	m := make(map[int]string)
	for i := range xs {
		// want A: make it with room for all. (end)
		m[i] = next() // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}
