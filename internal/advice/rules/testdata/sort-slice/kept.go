package kept

import "sort"

type item struct {
	name   string
	weight int
	hits   int
}

func (it *item) rank() int { it.hits++; return it.weight }

func (it item) before(other item) bool { return it.weight < other.weight }

func order(all []item, ranks []int, order []int) {
	// Methods that change what they are called on.
	// want C: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { return all[i].rank() < all[j].rank() }) // hot: sort.Slice
	// Another slice goes by the same numbers.
	// want C: slices.SortFunc
	sort.Slice(order, func(i, j int) bool { return ranks[i] < ranks[j] }) // hot: sort.Slice
	// Who is less isn't seen.
	// want C: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { return all[i].before(all[j]) }) // hot: sort.Slice
	// Not the same of both.
	// want C: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { return all[i].weight < all[j].hits }) // hot: sort.Slice
	// Not strict.
	// want C: slices.SortFunc
	sort.Slice(order, func(i, j int) bool { return order[i] <= order[j] }) // hot: sort.Slice
	// A part of it.
	// want C: slices.SortFunc
	sort.Slice(order[1:], func(i, j int) bool { return order[1:][i] < order[1:][j] }) // hot: sort.Slice
}

func unlike(all []item) {
	// want C: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		return all[i].weight < all[j].weight || all[i].hits == all[j].hits && all[i].name < all[j].name
	})
	// want C: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		if all[i].weight < all[j].weight {
			return true
		}
		if all[i].weight < all[j].weight {
			return false
		}
		return all[i].name < all[j].name
	})
}

// cmp is of another kind.
func cmp() int { return 0 }

func taken(all []int, slices int) {
	// want C: swaps
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // hot: sort.Slice
}

func shadowed(all []item) {
	// want C: swaps
	sort.Slice(all, func(i, j int) bool { return all[i].weight < all[j].weight }) // hot: sort.Slice
}

func local() {
	type pair struct{ a, b int }
	var pairs []pair
	a := 1
	// want C: swaps
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].a*a < pairs[j].a*a }) // hot: sort.Slice
}

func ints() []int { return nil }

type ranks []int

func (r ranks) Len() int           { return len(r) }
func (r ranks) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r ranks) Less(i, j int) bool { return r[i] < r[j] }

// What is sorted isn't complete yet.
func deferred(p *ranks, numbers []int) {
	// want C: slices.SortFunc
	defer sort.Sort(p) // hot: sort.Sort
	// want C: slices.SortStableFunc
	defer sort.Stable(p) // hot: sort.Stable
	// want C: slices.SortFunc
	defer sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] }) // hot: sort.Slice
	*p = append(*p, 3, 2, 1)
	numbers = []int{1}
	// want C: slices.SortFunc
	go sort.Sort(p) // hot: sort.Sort
}

type named struct{ key string }

type byKey []named

func (s byKey) Len() int      { return len(s) }
func (s byKey) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s byKey) Less(i, j int) bool {
	strings, other := s[i], s[j]
	return strings.key < other.key
}

// An element has the name of the package that would compare them.
func packages(all byKey) {
	// want C: slices.SortStableFunc
	sort.Stable(all) // hot: sort.Stable
}
