package conditions

import (
	"bufio"
	"fmt"
	"os"
)

var lines []byte

func reset() string { lines = nil; return "" }

// both append to the same bytes, which may have room for the first.
func both(n int) ([]byte, []byte) {
	// want B: Check that no code uses the spare capacity of b. (end)
	b := []byte(fmt.Sprintf("%d", n)) // hot: fmt.Sprintf
	return append(b, 'x'), append(b, 'y')
}

// meanwhile is appended to lines as they are before or after reset, who knows.
func meanwhile() {
	// want B: Check that reset() doesn't set lines. (end)
	lines = append(lines, fmt.Sprintf("%3s", reset())...) // hot: fmt.Sprintf
}

func buffered(w *bufio.Writer, n int) {
	// want A: fmt.Fprintf writes it directly
	w.Write([]byte(fmt.Sprintf("%3d", n))) // hot: fmt.Sprintf
	// want A: fmt.Fprintf writes it directly
	os.Stdout.Write([]byte(fmt.Sprintf("%3d", n))) // hot: fmt.Sprintf
}
