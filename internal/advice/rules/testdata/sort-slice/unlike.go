package unlike

import "sort"

type entry struct{ key, value string }

// counting does more than to swap.
type counting []entry

var swaps int

func (c counting) Len() int           { return len(c) }
func (c counting) Less(i, j int) bool { return c[i].key < c[j].key }
func (c counting) Swap(i, j int)      { c[i], c[j] = c[j], c[i]; swaps++ }

// first only sorts some of its elements.
type first []entry

func (f first) Len() int           { return min(len(f), 10) }
func (f first) Less(i, j int) bool { return f[i].key < f[j].key }
func (f first) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

// rotated compares other elements than it swaps.
type rotated []entry

func (r rotated) Len() int           { return len(r) }
func (r rotated) Less(i, j int) bool { return r[(i+1)%len(r)].key < r[j].key }
func (r rotated) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// ranked compares with a field.
type ranked struct {
	entries []entry
	ranks   map[string]int
}

func (r ranked) Len() int { return len(r.entries) }
func (r ranked) Less(i, j int) bool {
	return r.ranks[r.entries[i].key] < r.ranks[r.entries[j].key]
}
func (r ranked) Swap(i, j int) { r.entries[i], r.entries[j] = r.entries[j], r.entries[i] }

// lenient isn't strict.
type lenient []entry

func (l lenient) Len() int           { return len(l) }
func (l lenient) Less(i, j int) bool { return l[i].key <= l[j].key }
func (l lenient) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

func weight(e entry) int { return len(e.value) }

type byWeight []entry

func (w byWeight) Len() int           { return len(w) }
func (w byWeight) Less(i, j int) bool { return weight(w[i]) < weight(w[j]) }
func (w byWeight) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }

// of is generic.
type of[T any] []entry

func (o of[T]) Len() int           { return len(o) }
func (o of[T]) Less(i, j int) bool { return o[i].key < o[j].key }
func (o of[T]) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }

func load() []entry { swaps++; return nil }

func sorted(all []entry, ranks map[string]int) {
	// want C: counting through an interface
	sort.Sort(counting(all)) // hot: sort.Sort
	// want C: first through an interface
	sort.Sort(first(all)) // hot: sort.Sort
	// want C: rotated through an interface
	sort.Sort(rotated(all)) // hot: sort.Sort
	// want C: ranked through an interface
	sort.Sort(ranked{all, ranks}) // hot: sort.Sort
	// want C: lenient through an interface
	sort.Sort(lenient(all)) // hot: sort.Sort
	// want C: through an interface
	sort.Sort(of[int](all)) // hot: sort.Sort
	// The opposite of the opposite.
	sort.Sort(sort.Reverse(sort.Reverse(byWeight(all)))) // hot: sort.Sort
}

// hidden has a variable with the name of what Less uses.
func hidden(all []entry, weight int) {
	// want C: byWeight through an interface
	sort.Sort(byWeight(all)) // hot: sort.Sort
}
