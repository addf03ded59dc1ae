package distinct

func unique[V comparable](in []V) []V {
	out := []V{}
	present := map[V]struct{}{}
	for _, v := range in {
		if _, ok := present[v]; !ok {
			out = append(out, v)
			// want B: present is rebuilt as it grows; make it with a size of len(in), unless many keys are the same.
			present[v] = struct{}{} // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return out
}

func seen(words []string) (n int) {
	known := make(map[string]bool)
	for _, w := range words {
		if known[w] {
			continue
		}
		// want B: make it with a size of len(words), unless many keys are the same.
		known[w] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		n++
	}
	return n
}

// Other conditions say nothing of how many keys there are.
func long(words []string) map[string]bool {
	known := make(map[string]bool)
	for _, w := range words {
		if len(w) < 10 {
			continue
		}
		if known[w] {
			continue
		}
		// want C: Not all of the len(words) iterations store a key
		known[w] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	return known
}

func others(words []string, skip map[string]bool) map[string]bool {
	known := make(map[string]bool)
	for _, w := range words {
		if !skip[w] {
			// want C: Not all of the len(words) iterations store a key
			known[w] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return known
}
