package quotes

import "fmt"

// long is quoted, and more than would do on the stack; short alone.
func long(key string, n int) (string, string, string) {
	// want C: strconv.Quote would put the text together in memory of its own
	a := fmt.Sprintf("key=%q", key) // alloc: fmt.Sprintf only 96 here 16
	// want C: strconv.Quote would put the text together in memory of its own
	b := fmt.Sprintf("%q: %d", key, n) // alloc: fmt.Sprintf only 32 here 16
	// want A: strconv.Quote(key) is the same string
	return a, b, fmt.Sprintf("%q", key) // alloc: fmt.Sprintf only 16 here 16
}
