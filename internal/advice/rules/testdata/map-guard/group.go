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
