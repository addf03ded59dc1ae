package group

// The declaration has a comment that a shorter one would lose.
func lines(all []string) int {
	var (
		// lines are those of all.
		lines []string
	)
	for _, s := range all {
		// want C: call slices.Grow(lines
		lines = append(lines, s) // hot: runtime.growslice
	}
	return len(lines)
}
