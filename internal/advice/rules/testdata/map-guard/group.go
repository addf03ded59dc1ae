package p

type group struct{ members map[string][]string }

func (g *group) add(key, name string) {
	// want A: the zero value
	if _, ok := g.members[key]; ok { // hot: runtime.mapaccess2_faststr
		g.members[key] = append(g.members[key], name)
	} else {
		g.members[key] = []string{name}
	}
}

func count(words []string) map[string]int {
	n := make(map[string]int)
	for _, w := range words {
		// want A: the zero value
		if _, ok := n[w]; ok {
			n[w]++ // hot: runtime.mapassign_faststr
		} else {
			n[w] = 1
		}
	}
	return n
}

// floats are added to nothing, or counted.
func floats(m map[string][]float64, n map[string]float64, key string, v []float64, i int) {
	// want A: the zero value
	if _, ok := m[key]; ok { // hot: runtime.mapaccess2_faststr
		m[key] = append(m[key], v[i])
	} else {
		m[key] = []float64{v[i]}
	}
	// want A: the zero value
	if _, ok := n[key]; ok { // hot: runtime.mapaccess2_faststr
		n[key]++
	} else {
		n[key] = 1
	}
}
