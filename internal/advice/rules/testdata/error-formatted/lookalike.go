package lookalike

import (
	"fmt"
	"os"
	"sync"
)

// The same each time: it can be a variable.
func fixed() error {
	return fmt.Errorf("not found") // hot: fmt.Errorf fmt.errorf
}

var once = sync.OnceValue(func() error {
	return fmt.Errorf("no %s", os.Args[0]) // hot: fmt.Errorf fmt.errorf
})

// Made, but something else is what takes the time.
func cold(s string) (string, error) {
	if s == "" {
		return "", fmt.Errorf("empty: %q", s)
	}
	return s + s, nil // hot: runtime.concatstring2
}

// Printed: the text is what it is for.
func show(s string) {
	fmt.Println(fmt.Errorf("bad: %s", s)) // hot: fmt.Errorf fmt.errorf
}
