package p

func join(a, b, c []string) []string {
	// want B: allocates once
	return append(append(append([]string{}, a...), b...), c...) // alloc: 128 256
}

func path(parent []int, child []int) []int {
	// want B: allocates once
	full := append(append([]int(nil), parent...), child...) // hot: runtime.growslice
	return full
}

func clipped(a, b []byte) []byte {
	// want B: allocates once
	return append(a[:len(a):len(a)], b...) // alloc
}

type part struct{ list []string }

// index comes behind the slice expression, which is evaluated with the calls, in one call.
func index(lists [][]string, b []string, i int) []string {
	// want B: that lists[i] doesn't panic: it is now evaluated after b[1:]. (end)
	return append(append([]string{}, lists[i]...), b[1:]...) // hot: runtime.growslice
}

func fields(p, q *part) []string {
	// want B: Also check that the result doesn't have to share memory with the first slice: it is now always a copy. (end)
	return append(append([]string{}, p.list...), q.list...) // hot: runtime.growslice
}

func changed(p *part, next func(*part) []string) []string {
	// want B: Also check that next(p) doesn't change p.list
	return append(append([]string{}, p.list...), next(p)...) // hot: runtime.growslice
}
