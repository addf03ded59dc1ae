package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The works are made up: as many files, lines and words as a poet of the
// sixteenth century left behind, drawn with a fixed seed, so that every count is
// the same everywhere.
const (
	allFiles = 42
	allLines = 2900 // of a file, and a famous one at its end
)

// syllables make the rare words of the works.
var syllables = strings.Fields("ba ther con lo mi ver an que ro gen ti mor sel du wick har fen il ous per ta nor wil de sha ke pe re")

// frequent are the frequent words, the most frequent ones first.
var frequent = strings.Fields(`the and I to of a you my in that is not with it me for be his your this but he have as
	thou him so will what thy all her no do by shall if are we thee lord our on king good now sir from at come they
	or enter let would was she there here more well love then man than hath an like one upon know say make may us
	did were yet must art night death sleep sweet heart friend crown ghost sea world morrow hello insolence soul
	eyes blood heaven fair honour noble father mother brother sword battle peace rose summer winter stars`)

// writeWorks writes works to a directory: fewer and shorter ones for a test.
func writeWorks(dir string, files, lines int) error {
	words := vocabulary()
	r := rand.New(rand.NewPCG(1564, 1616))
	// Words are as frequent as Zipf's law has it; see [rand.Zipf].
	zipf := rand.NewZipf(r, 1.07, 8, uint64(len(words)-1))
	for f := range files {
		if err := writeWork(filepath.Join(dir, fmt.Sprintf("work%02d.txt", f)), lines, words, r, zipf); err != nil {
			return err
		}
	}
	return nil
}

func writeWork(name string, lines int, words []string, r *rand.Rand, zipf *rand.Zipf) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for range lines {
		n := max(1, int(math.Round(8+2.5*r.NormFloat64())))
		for i := range n {
			word := words[zipf.Uint64()]
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			} else {
				w.WriteByte(' ')
			}
			w.WriteString(word)
		}
		w.WriteString([]string{"", ",", ".", ";", "?", "!"}[r.IntN(6)])
		w.WriteByte('\n')
	}
	w.WriteString("To be, or not to be, that is the question.\n")
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// vocabulary returns the words of the works, the most frequent ones first.
func vocabulary() []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := slices.Clone(frequent)
	seen := map[string]bool{}
	for len(words) < 18_000 {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if !seen[b.String()] {
			seen[b.String()] = true
			words = append(words, b.String())
		}
	}
	return words
}

// works returns the files of the works, sorted.
func works(dir string) ([]string, error) {
	return filepath.Glob(filepath.Join(dir, "*.txt"))
}
