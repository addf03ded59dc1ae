// Package spelling compares words that people type with known words.
package spelling

import (
	"slices"
	"strings"
)

// Closest returns the known word that a mistyped or shortened one probably stands for, or
// "" if none is similar enough.
func Closest(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		d := Distance(word, k)
		if sameLetters(word, k) {
			d = 1
		}
		if len(word) <= 3 && !strings.HasPrefix(k, word[:min(1, len(word))]) {
			continue // so short a word is one letter away from many
		}
		if d < least && d < len(word) {
			best, least = k, d
		}
	}
	if best == "" {
		best = onlyLonger(word, known)
	}
	if best == "" {
		best = longestStart(word, known)
	}
	return best
}

func sameLetters(a, b string) bool {
	sorted := func(s string) []byte { return slices.Sorted(slices.Values([]byte(s))) }
	return len(a) == len(b) && slices.Equal(sorted(a), sorted(b))
}

// onlyLonger returns the known word that begins with word, if there is only one.
func onlyLonger(word string, known []string) string {
	found := ""
	for _, k := range known {
		if len(word) < 2 || !strings.HasPrefix(k, word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// longestStart returns the longest known word of three letters or more that word begins
// with: bench for benchmark.
func longestStart(word string, known []string) string {
	found := ""
	for _, k := range known {
		if len(k) >= 3 && len(k) > len(found) && strings.HasPrefix(word, k) {
			found = k
		}
	}
	return found
}

// Distance returns the Levenshtein distance of two words: how many bytes to change, add
// or remove to turn one into the other.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
