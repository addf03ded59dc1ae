package quotes

import "fmt"

// long is quoted, and more than would do on the stack; short alone.
func long(key string, n int) (string, string, string) {
	// want C: format and takes its arguments as interfaces on each call
	a := fmt.Sprintf("key=%q", key) // alloc: fmt.Sprintf only 96 here 16
	// want C: format and takes its arguments as interfaces on each call
	b := fmt.Sprintf("%q: %d", key, n) // alloc: fmt.Sprintf only 32 here 16
	// want A: strconv.Quote(key) is the same string
	return a, b, fmt.Sprintf("%q", key) // alloc: fmt.Sprintf only 16 here 16
}
