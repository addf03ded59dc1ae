package pairs

import "fmt"

// box has two numbers of many digits, and hop of few.
func box(from, to int64) string {
	// want A: format and takes its arguments as interfaces on each call
	return fmt.Sprintf("%d,%d", from, to) // alloc: fmt.Sprintf only 32 here 8 8
}

func hop(from, to int) string {
	// want A: makes the same string
	return fmt.Sprintf("request from node %d to shard %d", from, to) // alloc: fmt.Sprintf only 48 here 8 8
}
