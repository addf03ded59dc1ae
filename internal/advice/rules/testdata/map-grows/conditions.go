package conditions

// claims takes a number from its input for the truth.
func claims(n int, next func() string) map[int]string {
	m := make(map[int]string)
	for i := 0; i < n; i++ {
		// want B: Check that n isn't inflated
		m[i] = next() // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}

func counts(n int) map[int]bool {
	m := make(map[int]bool)
	for i := 0; i < n; i++ {
		// want A: a map grows key by key m is rebuilt as it grows to n keys; make it with that size. (end)
		m[i] = true // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}

func elements(xs []string, next func() string) map[int]string {
	m := make(map[int]string)
	for i := range xs {
		// want A: a map grows key by key m is rebuilt as it grows to len(xs) keys; make it with that size. (end)
		m[i] = next() // hot: runtime.mapassign internal/runtime/maps.(*table).rehash
	}
	return m
}
