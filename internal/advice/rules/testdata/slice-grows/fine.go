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

type source struct {
	used  []int
	stack []int
	code  []byte
}

// elsewhere is another slice in each step.
func elsewhere(all []source, at []int, of *source) {
	for i, k := range at {
		all[k].used = append(all[k].used, i) // hot: runtime.growslice
	}
	for range at {
		of.used = append(of.used, len(at)) // hot: runtime.growslice
		of = &all[0]
	}
}

// run pushes and pops.
func (s *source) run() {
	for _, op := range s.code {
		switch op {
		case 0:
			s.stack = append(s.stack, 1) // hot: runtime.growslice
		case 1:
			s.stack = s.stack[:len(s.stack)-1]
		}
	}
}

// entries has room, and allocates what it appends.
func entries(xs []int, names []string) ([]map[string]int, []string) {
	out := make([]map[string]int, 0, len(xs))
	for _, x := range xs {
		out = append(out, map[string]int{"x": x}) // alloc: 48 272
	}
	var texts []string
	for _, n := range names {
		texts = append(texts, n+"!") // alloc: 8 16 48
	}
	return out, texts
}
