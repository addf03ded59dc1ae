package again

type color struct{ r, g, b uint8 }

func count(all []color) []color {
	counts := make(map[color]int)
	var bucket []color
	for _, c := range all {
		// want look: counts[c] is looked up again on line 13: if the map's values are pointers or indexes, one lookup is enough.
		if _, ok := counts[c]; !ok { // hot: runtime.mapaccess2
			bucket = append(bucket, c)
		}
		counts[c]++
	}
	return bucket
}

func insert(seen map[string]int, names []string) {
	for _, name := range names {
		// want look: looking up a map (11.1 %). It runs up to len(names) times per call of insert, by the bounds of the loops around it (an estimate). (end)
		if _, ok := seen[name]; !ok { // hot: runtime.mapaccess2_faststr
			seen[name] = len(seen)
		}
	}
}

func follow(next map[string]string, name string) int {
	n := 0
	for next[name] != "" {
		// want look: how often that runs per call of follow isn't known. (end)
		name = next[name] // hot: runtime.mapaccess1_faststr
		n += len(next[name])
	}
	return n
}

func once(counts map[string]int, name string, more bool) {
	// want look: counts[name] is looked up again on line 40: if the map's values are pointers or indexes, one lookup is enough.
	counts[name] += len(name) // hot: runtime.mapassign_faststr
	if counts[name] > 10 && more {
		counts[name] = 0
	}
}
