package conditions

import (
	"bytes"
	"strings"
)

type line struct{ text string }

// order splits before what is evaluated first.
func order(xs []int, i int, l *line) bool {
	// want B: Check that l.text doesn't panic: it is now evaluated first. (end)
	return xs[i] > len(strings.Split(l.text, ",")[0]) // hot: strings.Split
}

func plain(x int, text string) bool {
	// want A: strings.Cut finds it without a slice. (end)
	return x > len(strings.Split(text, ",")[0]) // hot: strings.Split
}

// changed writes to what is split.
func changed(b []byte) (n int) {
	// want B: Check that no code changes b while it is split
	for _, part := range bytes.Split(b, []byte(",")) { // hot: bytes.Split
		b[len(b)-1] = ','
		n += len(part)
	}
	return n
}

func fields(text string, seen map[rune]bool) (n int) {
	// want B: Check that the function has no side effects, and that the loop doesn't change what it depends on. (end)
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { seen[r] = true; return r == ',' }) { // hot: strings.FieldsFunc
		n += len(part) * len(seen)
	}
	// want A: strings.FieldsFuncSeq yields them one by one. (end)
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) { // hot: strings.FieldsFunc
		n += len(part)
	}
	return n
}

func last(path string) string {
	// want A: which starts after strings.LastIndex of the separator. (end)
	parts := strings.Split(path, "/") // hot: strings.Split
	return parts[len(parts)-1]
}

func kept(b []byte) []byte {
	// want B: Check that no code appends to the text before the separator: that would overwrite the text after it. (end)
	parts := bytes.Split(b, []byte("/")) // hot: bytes.Split
	return parts[0]
}
