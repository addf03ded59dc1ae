package filled

type message struct {
	raw  []byte
	want int
}

func (m *message) size() int { return m.want }

// Other values, lengths that may change or that the loop changes, and more than one at a
// time.
func (m *message) fill(names []string, next func() string, n int) []string {
	for len(m.raw) < m.want {
		m.raw = append(m.raw, 0) // hot
	}
	for len(m.raw) < m.size() {
		m.raw = append(m.raw, 0) // hot
	}
	for len(names) < n {
		names = append(names, next()) // hot
	}
	for len(m.raw) < n {
		m.raw = append(m.raw, 0, 0) // hot
	}
	for len(names) < n {
		names = append(names, "") // hot
		n--
	}
	return names
}
