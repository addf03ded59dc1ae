package p

// Something else happens where there was one.
func drop(m map[string]int, key string) bool {
	if _, ok := m[key]; ok { // hot: runtime.mapaccess2_faststr
		delete(m, key)
		return true
	}
	return false
}

// The key is asked for once more.
func next(m map[string]int, key func() string) {
	if _, ok := m[key()]; ok { // hot: runtime.mapaccess2_faststr
		delete(m, key())
	}
}
