package fillup

type message struct{ raw []byte }

func (m *message) grow(n int) {
	// want B: make(…)...) adds all missing elements in one call
	for len(m.raw) < n {
		m.raw = append(m.raw, 0) // hot
	}
}

func padded(names []string, columns, extra int) []string {
	// want B: make(…)...) adds all missing elements in one call
	for len(names) < columns+extra {
		names = append(names, "") // hot
	}
	return names
}
