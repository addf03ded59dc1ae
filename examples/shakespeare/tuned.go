package main

import (
	"context"
	"math"
	"slices"
	"strings"
)

// openCached reads the works once and keeps them as they are searched: in lower
// case. The lines of a text are not cut apart, as a match tells its line.
func openCached(dir string) (counter, error) {
	texts, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		texts[i] = strings.ToLower(text)
	}
	return func(_ context.Context, query string) (int64, error) {
		query = strings.ToLower(query)
		n := int64(0)
		for _, text := range texts {
			n += linesWith(text, query)
		}
		return n, nil
	}, nil
}

// linesWith returns the number of lines of text that query is in.
func linesWith(text, query string) int64 {
	n := int64(0)
	for {
		i := strings.Index(text, query)
		if i < 0 {
			return n
		}
		n++
		end := strings.IndexByte(text[i:], '\n')
		if end < 0 {
			return n
		}
		text = text[i+end+1:]
	}
}

// index tells which lines of the works have a word.
type index struct {
	lines []string  // of all works, in lower case
	words string    // all different ones, one per line, between line ends
	start []int     // where in words each of them begins, rising
	where [][]int32 // the lines that have it, rising
}

// openIndexed looks only at lines that have a word which the question's rarest
// part can be of. A question is any text: it may start and end within words.
func openIndexed(dir string) (counter, error) {
	texts, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	x := newIndex(texts)
	return func(_ context.Context, query string) (int64, error) {
		return x.count(strings.ToLower(query)), nil
	}, nil
}

func newIndex(texts []string) *index {
	x := &index{}
	place := map[string]int{} // of a word in x.where
	words := []byte("\n")
	for _, text := range texts {
		for line := range strings.Lines(strings.ToLower(text)) {
			n := int32(len(x.lines))
			x.lines = append(x.lines, strings.TrimSuffix(line, "\n"))
			for word := range strings.SplitSeq(x.lines[n], " ") {
				i, ok := place[word]
				if !ok {
					i = len(x.where)
					place[word] = i
					x.start, x.where = append(x.start, len(words)), append(x.where, nil)
					words = append(append(words, word...), '\n')
				}
				if at := x.where[i]; len(at) == 0 || at[len(at)-1] != n {
					x.where[i] = append(at, n)
				}
			}
		}
	}
	x.words = string(words)
	return x
}

func (x *index) count(query string) int64 {
	parts := strings.Split(query, " ")
	if len(parts) == 1 {
		return int64(x.union(x.wordsWith(query), func(int32) bool { return true }))
	}
	// The first part ends a word, the last one begins one, and those between
	// are whole words.
	var rarest []int
	fewest := math.MaxInt
	for i, part := range parts {
		if i > 0 {
			part = "\n" + part
		}
		if i < len(parts)-1 {
			part += "\n"
		}
		words, lines := x.wordsWith(part), 0
		for _, w := range words {
			lines += len(x.where[w])
		}
		if lines < fewest {
			rarest, fewest = words, lines
		}
	}
	return int64(x.union(rarest, func(line int32) bool { return strings.Contains(x.lines[line], query) }))
}

// wordsWith returns the words that text is in; a line end stands for the start
// or the end of a word.
func (x *index) wordsWith(text string) []int {
	var found []int
	for at := 0; ; {
		i := strings.Index(x.words[at:], text)
		if i < 0 {
			return found
		}
		word, _ := slices.BinarySearch(x.start, at+i+1)
		if strings.HasPrefix(text, "\n") {
			word++ // it begins behind the line end that was found
		}
		found = append(found, word-1)
		if word == len(x.start) {
			return found
		}
		at = x.start[word] - 1
	}
}

// union returns the number of different lines of words that are good.
func (x *index) union(words []int, good func(line int32) bool) int {
	seen := make([]uint64, len(x.lines)/64+1)
	n := 0
	for _, w := range words {
		for _, line := range x.where[w] {
			if bit := uint64(1) << (line % 64); seen[line/64]&bit == 0 {
				seen[line/64] |= bit
				if good(line) {
					n++
				}
			}
		}
	}
	return n
}
