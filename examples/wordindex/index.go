package main

import (
	"regexp"
	"sort"
	"strings"
)

// An index maps a word to the numbers of the lines it occurs on, as text:
// "3,17,17,40". The first line is line 1.
type index map[string]string

// indexText is the program as it was first written: right, and slow in three
// ways that a CPU profile names line by line.
func indexText(text string) index {
	ix := make(index)
	for i, line := range strings.Split(text, "\n") {
		addLine(ix, line, i+1)
	}
	return ix
}

// addLine adds the words of one line.
func addLine(ix index, line string, number int) {
	word := regexp.MustCompile(`[A-Za-z]+`)
	for _, w := range word.FindAllString(line, -1) {
		w = strings.ToLower(w)
		if ix[w] != "" {
			ix[w] += ","
		}
		ix[w] += decimal(number)
	}
}

// decimal formats n > 0.
func decimal(n int) string {
	s := ""
	for ; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s
}

// A count is a word and the number of its occurrences.
type count struct {
	word string
	n    int
}

// topWords returns the n most frequent words, most frequent first, equals in
// alphabetical order.
func topWords(ix index, n int) []count {
	var all []count
	for w, lines := range ix {
		all = append(all, count{w, strings.Count(lines, ",") + 1})
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].n != all[j].n {
			return all[i].n > all[j].n
		}
		return all[i].word < all[j].word
	})
	return all[:min(n, len(all))]
}
