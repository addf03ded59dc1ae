package prepend

import "slices"

type node struct {
	name   string
	parent *node
}

func path(n *node) []string {
	var names []string
	for ; n != nil; n = n.parent {
		// want A: copies all of names
		names = append([]string{n.name}, names...) // hot: runtime.growslice
	}
	return names
}

func chain(n *node) []*node {
	all := []*node{}
	for n != nil && len(all) < 100 {
		// want A: reverse all after the loop
		all = append([]*node{n}, all...) // alloc
		if n = n.parent; n == all0 {
			break
		}
	}
	return all
}

var all0 *node

func inserted(xs []int, most int) ([]int, error) {
	out := make([]int, 0)
	for _, x := range xs {
		if x > most {
			return nil, nil
		}
		if x%2 == 0 {
			continue
		}
		// want B: spare capacity of out
		out = slices.Insert(out, 0, x) // hot: slices.Insert[...] runtime.memmove
	}
	return slices.Clip(append(out, 7)), nil
}
