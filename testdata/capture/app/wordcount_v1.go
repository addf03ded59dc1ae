//go:build !v2

package main

import (
	"regexp"
	"strings"
)

var wordPattern = regexp.MustCompile(`[A-Za-z]+`)

func countWords(text string) map[string]int {
	counts := map[string]int{}
	for _, w := range wordPattern.FindAllString(text, -1) {
		counts[normalize(w)]++
	}
	return counts
}

func normalize(w string) string {
	out := ""
	for _, r := range w {
		out += strings.ToLower(string(r))
	}
	return out
}
