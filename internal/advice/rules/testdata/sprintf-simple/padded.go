package padded

import (
	"bufio"
	"fmt"
	"time"
)

type id uint64

func (i id) String() string { return fmt.Sprintf("%016x", uint64(i)) } // hot: time.Sleep

func stamp(t time.Time) string {
	// want A: the numbers need no strings of their own
	return fmt.Sprintf("%02d:%02d", t.Hour(), t.Minute()) // hot: fmt.Sprintf
}

func ids(name string, n uint64, i id, b byte, w int, list []byte) []string {
	// want A: a concatenation
	a := fmt.Sprintf("%s-%08x.%d", name, n, w) // hot: fmt.Sprintf
	// want A: formats a single value
	c := fmt.Sprintf("%012d", i) // hot: fmt.Sprintf
	// want A: Appended to a buffer on the stack
	d := fmt.Sprintf("%03d/%02x", b, w)                                               // hot: fmt.Sprintf
	e := fmt.Sprintf("%016x%05s%08.3f%-04d%+04d%08x%0d", i, name, 1.5, w, w, list, w) // hot: fmt.Sprintf
	return []string{a, c, d, e}
}

func write(w *bufio.Writer, n int) {
	// want B: accepts the same bytes
	fmt.Fprintf(w, "%06d\n", n) // hot: fmt.Fprintf
}
