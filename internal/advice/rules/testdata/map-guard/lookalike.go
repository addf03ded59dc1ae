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
