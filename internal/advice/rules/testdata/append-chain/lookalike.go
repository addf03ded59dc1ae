package p

// One copy of one slice allocates once, as slices.Clone does.
func clone(a []int) []int {
	return append([]int(nil), a...) // alloc
}

// What is appended to may have room.
func more(a, b, c []int) []int {
	return append(append(a, b...), c...) // hot: runtime.growslice
}

type names []string

// The result is of another type than the pieces.
func typed(a, b names) []string {
	return append(append([]string{}, a...), b...) // alloc
}
