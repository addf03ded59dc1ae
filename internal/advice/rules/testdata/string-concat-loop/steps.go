package steps

// Few statements, and alternatives of which one is run.
func steps(a, b string, kind int) (string, string) {
	s := a
	s += b // hot: runtime.concatstring2
	if kind > 3 {
		s += "!" // hot: runtime.concatstring2
	}
	t := b
	switch kind {
	case 0:
		t += a // hot: runtime.concatstring2
	case 1:
		t += "1" // hot: runtime.concatstring2
	case 2:
		t += "2" // hot: runtime.concatstring2
	case 3:
		t += "3" // hot: runtime.concatstring2
	default:
		t += s // hot: runtime.concatstring2
	}
	return s, t
}

// rows are a few, each of which is long.
func rows(names []string, row func(string) string) (page string) {
	for _, n := range names {
		// want C: there are few
		page += row(n) // alloc: only 96 144
	}
	return page
}
