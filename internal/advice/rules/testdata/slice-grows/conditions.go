package conditions

import "errors"

type node struct {
	name string
	seen int
	self *node
	tag  [4]byte
}

func (n *node) init() { n.self = n }

func (n node) length() int { return len(n.name) }

// pointers keeps pointers to where elements were when they were appended.
func pointers(names []string) ([]node, []*node) {
	out := make([]node, 0)
	all := make([]*node, 0, len(names))
	for _, n := range names {
		// want B: Check that no code keeps a pointer to an element of out, or a part of it, while it grows: they now stay in the same array. (end)
		out = append(out, node{name: n}) // hot: runtime.growslice
		all = append(all, &out[len(out)-1])
	}
	return out, all
}

func methods(names []string) []node {
	out := make([]node, 0)
	for _, n := range names {
		// want B: Check that no code keeps a pointer to an element of out
		out = append(out, node{name: n}) // hot: runtime.growslice
		out[len(out)-1].init()
	}
	return out
}

func arrays(names []string) [][]byte {
	var out []node
	views := make([][]byte, 0, len(names))
	for _, n := range names {
		// want B: Check that no code keeps a pointer to an element of out
		out = append(out, node{name: n}) // hot: runtime.growslice
		views = append(views, out[len(out)-1].tag[:])
	}
	return views
}

// later takes pointers when nothing is appended any more.
func later(names []string) []*node {
	out := make([]node, 0)
	sum := 0
	for _, n := range names {
		// want A: allocate that capacity first. (end)
		out = append(out, node{name: n}) // hot: runtime.growslice
		out[len(out)-1].seen++
		sum += out[len(out)-1].length()
	}
	all := make([]*node, 0, len(out))
	for i := range out {
		all = append(all, &out[i])
	}
	return all
}

// between has a pointer that the last append may leave behind.
func between(names []string) (*node, []node) {
	out := make([]node, 0)
	for _, n := range names {
		// want B: Check that no code keeps a pointer to an element of out
		out = append(out, node{name: n}) // hot: runtime.growslice
	}
	first := &out[0]
	out = append(out, node{})
	first.seen++
	return first, out
}

// halves appends to a part, which may reach beyond it or not.
func halves(xs []int) ([]int, []int) {
	out := make([]int, 0)
	for _, x := range xs {
		// want B: Check that no code uses the spare capacity of out. (end)
		out = append(out, x*x) // hot: runtime.growslice
	}
	return append(out[:len(out)/2], 1, 2, 3, 4), out
}

func more(xs []int) []int { return append(xs, 1) }

// handed shares the room with two that append.
func handed(xs []int) ([]int, []int) {
	out := make([]int, 0)
	for _, x := range xs {
		// want B: Check that no code uses the spare capacity of out. (end)
		out = append(out, x*x) // hot: runtime.growslice
	}
	return more(out), more(out)
}

func handedOnce(xs []int) []int {
	out := make([]int, 0)
	for _, x := range xs {
		// want A: allocate that capacity first. (end)
		out = append(out, x*x) // hot: runtime.growslice
	}
	return more(out)
}

type decoder struct{ b []byte }

func (d *decoder) next() int {
	if len(d.b) == 0 {
		panic(errors.New("short"))
	}
	x := d.b[0]
	d.b = d.b[1:]
	return int(x)
}

// claims takes a number from its input for the truth.
func (d *decoder) claims(n int) []int {
	out := make([]int, 0)
	for i := 0; i < n; i++ {
		// want B: Check that n isn't inflated: memory for all elements is allocated before the first iteration, which may fail. (end)
		out = append(out, d.next()) // hot: runtime.growslice
	}
	return out
}

func counts(n int) []int {
	out := make([]int, 0)
	for i := 0; i < n; i++ {
		// want A: allocate that capacity first. (end)
		out = append(out, i*i) // hot: runtime.growslice
	}
	return out
}

func indexed(xs []int, n int) []int {
	out := make([]int, 0)
	for i := 0; i < n; i++ {
		// want B: Check that n isn't inflated
		out = append(out, xs[i]) // hot: runtime.growslice
	}
	return out
}

// many may have any number of elements, which take no memory.
func many(xs []struct{}, next func() int) []int {
	out := make([]int, 0)
	for range xs {
		// want B: Check that len(xs) isn't inflated
		out = append(out, next()) // hot: runtime.growslice
	}
	return out
}

// failed looks at what there is when the first turn panics.
func failed(xs []string, f func(string) int) (isNil bool) {
	var out []int
	defer func() {
		recover()
		isNil = out == nil
	}()
	for _, x := range xs {
		// want C: slices.Grow
		out = append(out, f(x)) // hot: runtime.growslice
	}
	return isNil
}

// itself ranges over what it appends to, which is empty.
func itself() []int {
	var out []int
	for range out {
		// want C: slices.Grow
		out = append(out, 1) // hot: runtime.growslice
	}
	return out
}
