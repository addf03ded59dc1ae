package stored

// Two slices have the same spare capacity.
func stored(xs []int) (a, b []int) {
	var s []int
	for _, x := range xs {
		// want B: spare capacity of s
		s = append([]int{x}, s...) // hot: runtime.growslice
	}
	y := s
	a = append(y, 1)
	b = append(y, 2)
	return a, b
}
