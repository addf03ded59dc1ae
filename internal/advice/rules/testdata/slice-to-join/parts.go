package parts

import (
	"bytes"
	"strconv"
	"strings"
)

type key []string

func quoted(s string) string { return strconv.Quote(s) }

func (k key) String() string {
	parts := make([]string, len(k))
	for i := range parts {
		parts[i] = quoted(k[i])
	}
	// want C: only to be joined parts is filled only for strings.Join
	return strings.Join(parts, ".") // hot: strings.Join strings.(*Builder).WriteString
}

func groups(n int) string {
	parts := []string{"", "", ""}
	i := len(parts) - 1
	for ; n > 999 && i > 0; i-- {
		parts[i] = strconv.Itoa(n % 1000)
		if len(parts[i]) < 3 {
			parts[i] = "0" + parts[i]
		}
		n /= 1000
	}
	parts[i] = strconv.Itoa(n)
	// want C: numbers with strconv.Append functions
	return "n=" + strings.Join(parts[i:], ",") // hot: strings.Join
}

func lines(texts map[string][]byte) []byte {
	var all [][]byte
	for name, text := range texts {
		all = append(all, []byte(name))
		all = append(all, text)
	}
	// want C: filled only to be joined all is filled only for bytes.Join
	return bytes.Join(all, []byte("\n")) // hot: bytes.Join
}

func kept(names map[string]bool) string {
	// says: make([]string, 0, len(names)) escapes to heap
	parts := make([]string, 0, len(names))
	for name := range names {
		parts = append(parts, name)
	}
	// want C: only to be joined parts is filled only for strings.Join
	return strings.Join(parts, " ") // hot: strings.Join
}
