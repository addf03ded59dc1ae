package entries

type entry struct {
	name string
	n    int
}

func swap[K comparable, V comparable](in map[string]int, f func(string, int) (K, V)) map[K]V {
	out := make(map[K]V, len(in))
	// want B: in[k] is looked up although the range already has the value
	for k := range in {
		k2, v2 := f(k, in[k]) // hot: runtime.mapaccess1_faststr
		out[k2] = v2
	}
	return out
}

func swapAny[K, V comparable](in map[K]V) map[V]K {
	out := make(map[V]K, len(in))
	// want C: in[k] is looked up although the range already has the value
	for k := range in {
		out[in[k]] = k // hot: runtime.mapaccess1
	}
	return out
}

type table struct{ entries map[int]*entry }

func (t *table) sum() (n int) {
	// want B: is looked up although the range already has the value
	for id := range t.entries {
		if t.entries[id] != nil { // hot: runtime.mapaccess1_fast64
			n += t.entries[id].n // hot: runtime.mapaccess1_fast64
		}
	}
	return n
}

func names(m map[string]entry, value string) (all []string) {
	// want B: m[k] is looked up although the range already has the value
	for k := range m {
		if k != value {
			all = append(all, m[k].name) // hot: runtime.mapaccess1_faststr
		}
	}
	// want B: m[k] is looked up although the range already has the value
	for k, e := range m {
		if e.n > 0 {
			all = append(all, m[k].name) // hot: runtime.mapaccess1_faststr
		}
	}
	return all
}
