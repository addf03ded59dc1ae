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

func lines(text string) (words []string) {
	// want A: strings.SplitSeq yields
	all := strings.Split(text, "\n") // hot: strings.genSplit
	text = ""
	for _, line := range all {
		// want A: strings.FieldsSeq yields
		for _, word := range strings.Fields(line) { // hot: strings.Fields
			words = append(words, word+text)
		}
	}
	return words
}
