package quiet

var all = map[string]int{}

func count(words []string) (n int) {
	seen := make(map[string]int)
	for _, w := range words { // hot: runtime.mapIterNext
		seen[w]++
	}
	for range seen { // hot: runtime.mapIterNext
		n++
	}
	return n
}

func expire(least int) {
	for k, v := range all { // hot: runtime.mapIterNext
		if v < least {
			delete(all, k)
		}
	}
}

func body(m map[string]int, f func(int)) {
	for _, v := range m { // hot: quiet.f runtime.mallocgc
		f(v)
	}
}

func init() {
	for range all { // hot: runtime.mapIterNext
	}
}
