package p

type named struct{ name string }

var names = map[string]int{}

func register(s string) int { names[s]++; return 1 }

// divided was evaluated behind the key, which is looked up after it now.
func divided(m map[string]int, p *named, a, b int) {
	// want B: that m[p.name] doesn't panic: it is now evaluated after a / b. (end)
	if _, ok := m[p.name]; ok { // hot: runtime.mapaccess2_faststr
		m[p.name] += a / b
	} else {
		m[p.name] = a / b
	}
}

func counts(m map[string]int, s string) {
	// want B: Check that register(s) doesn't change m[s], which is now looked up after it. (end)
	if _, ok := m[s]; ok { // hot: runtime.mapaccess2_faststr
		m[s] += register(s)
	} else {
		m[s] = register(s)
	}
}

func fields(m map[string][]string, p, q *named) {
	// want A: the zero value
	if _, ok := m[p.name]; ok { // hot: runtime.mapaccess2_faststr
		m[p.name] = append(m[p.name], q.name)
	} else {
		m[p.name] = []string{q.name}
	}
}
