package again

type entry struct {
	name string
	n    int
}

type table struct{ entries map[string]*entry }

var counts = map[string]int{}

func inCondition(m map[string]int, key string, max int) int {
	// want A: m[key] is looked up again on line 16
	if m[key] > max {
		// a comment
		max = m[key] // hot: runtime.mapaccess1_faststr
	}
	// want A: m[key] is looked up again; keep
	if m[key] > 3 && m[key] < 7 { // hot: runtime.mapaccess1_faststr
		max++
	}
	return max
}

func (t *table) find(key string) (string, bool) {
	// want A: t.entries[key] is looked up again on line 28
	if _, ok := t.entries[key]; ok {
		return t.entries[key].name, true // hot: runtime.mapaccess1_faststr
	}
	return "", false
}

func (t *table) first(keys []string) *entry {
	for _, key := range keys {
		// want A: t.entries[key] is looked up again on line 37
		if t.entries[key] != nil {
			return t.entries[key] // hot: runtime.mapaccess1_faststr
		}
	}
	return nil
}

func assigned(key string) (sum int) {
	// want A: counts[key] is looked up again on line 49
	v, ok := counts[key]
	if !ok {
		return 0
	}
	sum += v + counts[key] // hot: runtime.mapaccess1_faststr
	return sum
}

func updated(m map[string]int, key string) {
	// want A: m[key] is looked up again on line 56
	if _, ok := m[key]; ok {
		m[key] = m[key] + 1 // hot: runtime.mapaccess1_faststr
	}
}

func shadowed(m map[string]int, key string, value int) int {
	// want A: m[key] is looked up again on line 63
	if _, ok := m[key]; ok {
		return value + m[key] // hot: runtime.mapaccess1_faststr
	}
	return 0
}
