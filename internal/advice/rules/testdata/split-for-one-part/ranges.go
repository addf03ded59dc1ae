package ranges

import (
	"bytes"
	"strings"
)

func find(header, want string) bool {
	// want A: strings.SplitSeq yields
	for _, part := range strings.Split(header, ",") { // hot: strings.Split strings.genSplit
		if strings.TrimSpace(part) == want {
			return true
		}
	}
	return false
}

func count(text []byte) (n int) {
	// want B: bytes.FieldsSeq yields
	for _, word := range bytes.Fields(text) { // hot: bytes.Fields
		n += len(word)
	}
	return n
}

func words(text string) (n int) {
	// want A: strings.SplitSeq yields
	all := strings.Split(text, "\n") // hot: strings.genSplit
	text = ""
	for _, line := range all {
		// want A: strings.FieldsSeq yields
		for _, word := range strings.Fields(line) { // hot: strings.Fields
			n += len(word) + len(text)
		}
	}
	return n
}

// lines has a slice that begins on the stack, as long as no closure has it.
func lines(text string) string {
	var kept []string
	// want C: make kept with a capacity first
	for _, line := range strings.Split(text, "\n") { // hot: strings.genSplit
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

func roomy(text string) []string {
	kept := make([]string, 0, 8)
	// want A: strings.SplitSeq yields them one by one
	for _, line := range strings.Split(text, "\n") { // hot: strings.genSplit
		kept = append(kept, line)
	}
	return kept
}

func later(text string, n int) []string {
	var kept []string
	if n > 0 {
		kept = make([]string, 0, n)
	}
	// want A: strings.SplitSeq yields them one by one
	for _, line := range strings.Split(text, "\n") { // hot: strings.genSplit
		kept = append(kept, line)
	}
	return kept
}

type row struct{ name, kind, unit string }

func rows(text string) []row {
	var all []row // too large for the stack
	// want A: strings.SplitSeq yields them one by one
	for _, line := range strings.Split(text, "\n") { // hot: strings.genSplit
		all = append(all, row{name: line})
	}
	return all
}
