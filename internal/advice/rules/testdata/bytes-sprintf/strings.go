package strings

import (
	"fmt"
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
