//go:build v2

package main

import (
	"strings"
	"unicode"
)

func countWords(text string) map[string]int {
	counts := map[string]int{}
	for w := range strings.FieldsFuncSeq(text, notLetter) {
		counts[normalize(w)]++
	}
	return counts
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func normalize(w string) string { return strings.ToLower(w) }
