package hosts

import "fmt"

// host has numbers below 256, and boxes the text alone.
func host(parts [4]int64, rest string) string {
	// want C: below 256
	return fmt.Sprintf("%d.%d.%d.%d%s", parts[0], parts[1], parts[2], parts[3], rest) // alloc: fmt.Sprintf only 24 here 16
}

// large boxes its numbers, too, two to a block.
func large(a, b int64, rest string) string {
	// want A: makes the same string
	return fmt.Sprintf("%d.%d%s", a, b, rest) // alloc: fmt.Sprintf only 32 here 16 16
}
