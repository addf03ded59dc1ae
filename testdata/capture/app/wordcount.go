package main

import (
	"context"
	"sort"
	"strings"
)

// wordcount counts words; countWords and normalize differ between the two
// versions of the program, and the rest does not.
func wordcount(ctx context.Context) error {
	text := strings.Repeat("It was the best of times, it was the worst of times, it was the age of wisdom... ", 400)
	for ctx.Err() == nil {
		counts := countWords(text)
		keep = topWords(counts, 5)
	}
	return nil
}

func topWords(counts map[string]int, n int) []string {
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		if counts[words[i]] != counts[words[j]] {
			return counts[words[i]] > counts[words[j]]
		}
		return words[i] < words[j]
	})
	return words[:min(n, len(words))]
}
