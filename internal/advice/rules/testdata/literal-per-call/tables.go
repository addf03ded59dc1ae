package tables

import "errors"

type point struct{ x, y int }

const most = 3

var errUnknown = errors.New("unknown")

func code(name string) (int, error) {
	// want A: Each call builds a map of constants
	codes := map[string]int{ // hot: runtime.mapassign_faststr
		"ok":      200,
		"missing": 404,
		"failed":  100*5 + most,
	}
	if n, ok := codes[name]; ok {
		return n, nil
	}
	return len(codes), errUnknown
}

func direct(name string) bool {
	// want A: Each call builds a map of constants
	return map[string]bool{"a": true, "b": true}[name] // hot: runtime.mapassign_faststr
}

func (p point) corner(name string) point {
	// The corners, by their names.
	// want A: Each call builds a map of constants
	var corners = map[string]point{"left": {x: 1}, "right": {2, -most}} // hot: runtime.mapassign_faststr
	found := (corners)[name]
	for _, c := range corners {
		found.x += c.x
	}
	f := func() int { return corners["left"].y }
	found.y += f()
	return found
}

func days(month int) (n int) {
	// want A: Each call builds a table of constants
	lengths := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} // hot: runtime.duffcopy
	for range lengths {
		n += lengths[month]
	}
	// want A: Each call builds a table of constants
	for _, word := range []string{"a", "b"} { // alloc
		n += len(word)
	}
	return n
}

func ports(scheme string) int {
	// want A: Each call builds a map of constants
	known := map[string]int{"http": 80, "https": 443} // hot: runtime.mapassign_faststr

	return known[scheme]
}
