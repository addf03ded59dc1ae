package strings

import (
	"fmt"
	"strconv"
	"unicode"
)

type line []rune

func runes(n int) []rune {
	return []rune(fmt.Sprintf("%3d", n)) // hot: fmt.Sprintf
}

func named(n int) line {
	return line(fmt.Sprintf("%3d", n)) // hot: fmt.Sprintf
}

func list(all []string, n int) []string {
	return append(all, fmt.Sprintf("%3d", n)) // hot: fmt.Sprintf
}

func upper(n int) string {
	return string(unicode.ToUpper(rune(fmt.Sprintf("%x", n)[0]))) // hot: fmt.Sprintf
}

func done(n int) []byte {
	return fmt.Appendf(nil, "%3d", n) // hot: fmt.Appendf
}

// escaped is of three bytes, which stay on the stack: there is the string alone to allocate.
func escaped(dst, text []byte) int {
	n := 0
	for _, b := range text {
		n += copy(dst[n:], []byte(fmt.Sprintf("=%02X", b))) // alloc: fmt.Sprintf 3 3
	}
	return n
}

func results(s string) []byte {
	return []byte(fmt.Sprintln(strconv.Atoi(s))) // hot: fmt.Sprintln
}
