package parts

type property uint8

const (
	any property = iota
	letter
	mark
)

var next = map[[2]int]struct{ state, rule int }{
	{0, int(any)}:    {0, 1},
	{0, int(letter)}: {1, 3},
	{1, int(mark)}:   {2, 9},
}

func step(state int, p property) (int, bool) {
	// want C: its keys are 2 small numbers
	to, ok := next[[2]int{state, int(p)}] // hot: runtime.mapaccess2
	return to.state, ok
}
