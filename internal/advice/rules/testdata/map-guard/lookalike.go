package p

// An absent key begins elsewhere.
func count(words []string) map[string]int {
	n := make(map[string]int)
	for _, w := range words {
		if _, ok := n[w]; ok { // hot: runtime.mapaccess2_faststr
			n[w]++
		} else {
			n[w] = 100
		}
	}
	return n
}

// The time is in making the slice.
func add(m map[string][]string, key, name string) {
	if _, ok := m[key]; ok {
		m[key] = append(m[key], name)
	} else {
		m[key] = []string{name} // hot: runtime.newobject
	}
}

// A sum of nothing but -0 is 0.
func sums(m map[string]float64, key string, v float64) {
	if _, ok := m[key]; ok { // hot: runtime.mapaccess2_faststr
		m[key] += v
	} else {
		m[key] = v
	}
}

// One holds them, the other one is of them.
func nested(m map[string][]any, key string, vs []any) {
	if _, ok := m[key]; ok { // hot: runtime.mapaccess2_faststr
		m[key] = append(m[key], vs...)
	} else {
		m[key] = []any{vs}
	}
}
