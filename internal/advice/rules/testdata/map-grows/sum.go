package sum

import "maps"

func merged(a, b map[string]string, extra []string) map[string]string {
	m := make(map[string]string)
	for k, v := range a {
		// want B: len(a)+len(b)+len(extra), unless many keys are the same
		m[k] = v // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	for k, v := range b {
		m[k] = v
	}
	for _, e := range extra {
		m[e] = ""
	}
	return m
}

func copied(a, b map[string]int) map[string]int {
	m := map[string]int{}
	// want B: a size of len(a)+len(b)
	maps.Copy(m, a) // hot: maps.Copy[...] internal/runtime/maps.(*table).rehash
	maps.Copy(m, b)
	return m
}

func some(a, b map[string]int, known map[string]bool) map[string]int {
	m := map[string]int{}
	for k, v := range a {
		// want A: to len(a) keys
		m[k] = v // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	for k, v := range b {
		if known[k] {
			m[k] = v
		}
	}
	return m
}

func changed(a, b map[string]int, load func() map[string]int) map[string]int {
	m := map[string]int{}
	for k, v := range a {
		// want A: to len(a) keys
		m[k] = v // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	b = load()
	for k, v := range b {
		m[k] = v
	}
	return m
}
