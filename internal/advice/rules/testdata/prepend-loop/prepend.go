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

// It returns what it has so far.
func early(xs []int) ([]int, int) {
	var out []int
	for _, x := range xs {
		// want A: copies all of out to it. Append, and reverse out before each return and after the loop.
		out = append([]int{x}, out...) // hot: runtime.growslice
		if x == 3 {
			return out, len(out)
		}
	}
	return out, 0
}

// It is only left by returns.
func digits(n, base int, minus bool) ([]byte, bool) {
	var digits []byte
	for {
		switch {
		case n > 0:
			// want A: reverse digits before each return.
			digits = append([]byte{byte('0' + n%base)}, digits...) // hot: runtime.growslice
			n /= base
		case n == 0 && minus:
			return append([]byte("-"), digits...), true
		case n == 0:
			return digits, true
		default:
			return nil, false
		}
	}
}
