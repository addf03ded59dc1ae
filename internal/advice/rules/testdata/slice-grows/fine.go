package fine

type item struct{ n int }

// room is there.
func room(xs []int) []int {
	out := make([]int, 0, len(xs))
	for _, x := range xs {
		out = append(out, x*x) // alloc
	}
	return out
}

// pointers are what is allocated, not room for them: the blocks are of one size.
func pointers(xs []int) []*item {
	var items []*item
	for _, x := range xs {
		items = append(items, &item{x}) // alloc
	}
	return items
}

// once is no loop.
func once(xs []int) []int {
	var out []int
	out = append(out, xs...) // hot: runtime.growslice
	out = append(out, 1)     // hot: runtime.growslice
	return out
}

// kept is for the rule of slices that are filtered.
func kept(xs []int) []int {
	var out []int
	for _, x := range xs {
		if x > 0 {
			out = append(out, x) // hot: runtime.growslice
		}
	}
	return out
}

// other is another slice each time.
func other(rows [][]int) (n int) {
	for _, row := range rows {
		var out []int
		out = append(out, row[0], row[1]) // hot: runtime.growslice
		n += len(out)
	}
	return n
}

// moved gives it to another variable.
func moved(rows [][]int, base []int) (out [][]int) {
	for _, row := range rows {
		sum := append(base, row...) // hot: runtime.growslice
		out = [][]int{sum}
	}
	return out
}

type node struct{ fields [8]int }

// elements are what is allocated, not the slice.
func elements(n int) []*node {
	var nodes []*node
	for i := range n {
		nodes = append(nodes, &node{fields: [8]int{i}}) // alloc: 72
	}
	return nodes
}
