package numbers

import "fmt"

// width has numbers that fmt takes without allocating.
func width(n uint8, unit int) (string, string) {
	// want A: without allocating, where strconv would
	s := fmt.Sprintf("%dpx", n) // alloc: fmt.Sprintf
	// want A: in a buffer on the stack
	return s, fmt.Sprintf("at %x;", unit) // alloc: fmt.Sprintf
}

// way has an id of many digits, which is longer as a string than as a number.
func way(id int64, scale float64) (string, string) {
	// want A: longer as a string than as the number
	s := fmt.Sprintf("way/%d", id) // alloc: fmt.Sprintf only 16 here 8
	// want A: "s=" + strconv.FormatFloat(scale, 'g', -1, 64)
	return s, fmt.Sprintf("s=%v", scale) // alloc: fmt.Sprintf only 8 here 8
}

// box has two numbers of many digits.
func box(from, to int64) string {
	// want C: longer as a string than as the number
	return fmt.Sprintf("%d,%d", from, to) // alloc: fmt.Sprintf only 24 here 8 8
}
