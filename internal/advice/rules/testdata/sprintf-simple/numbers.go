package numbers

import "fmt"

// width has numbers that fmt takes without allocating.
func width(n uint8, unit int) (string, string) {
	// want A: It doesn't allocate for numbers below 256
	s := fmt.Sprintf("%dpx", n) // alloc: fmt.Sprintf
	// want A: in a buffer on the stack
	return s, fmt.Sprintf("at %x;", unit) // alloc: fmt.Sprintf
}

// way has an id of many digits, which is longer as a string than as a number.
func way(id int64, scale float64) (string, string) {
	// want A: For a number of more than eight digits
	s := fmt.Sprintf("way/%d", id) // alloc: fmt.Sprintf only 16 here 8
	// want A: "the scale=" + strconv.FormatFloat(scale, 'g', -1, 64)
	return s, fmt.Sprintf("the scale=%v", scale) // alloc: fmt.Sprintf only 16 here 8
}

// quoted has no number.
func quoted(key string) string {
	// want A: strconv.Quote would use its own memory and allocate more
	return fmt.Sprintf("key=%q", key) // alloc: fmt.Sprintf only 32 here 16
}
