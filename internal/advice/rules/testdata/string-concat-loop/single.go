package single

// cell has a step for the first part, and seldom another: of an empty string and another
// one + makes none.
func cell(parts []string, width func(string) int) (cell string, all []string) {
	w := 0
	for w == 0 && len(parts) > 0 {
		cell += parts[0] // hot: runtime.concatstring2
		w = width(parts[0])
		parts = parts[1:]
	}
	return cell, append(all, parts...) // alloc
}
