package sorting

import (
	"bytes"
	"sort"
	"strings"
	"time"
)

type count struct {
	word string
	n    int
}

type file struct {
	dir  bool
	name string
	at   time.Time
}

func numbers(all []int) {
	// want A: slices.Sort is compiled for int
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // hot: sort.Slice sort.pdqsort_func
}

func descending(all []string) {
	// want A: slices.SortFunc
	sort.Slice(all, func(x, y int) bool { return all[x] > all[y] }) // hot: sort.Slice
}

func measured(all []float64) {
	// want B: NaN
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // hot: sort.Slice
}

func generic[T int | string](all []T) {
	// want B: slices.Sort
	sort.Slice(all, func(i, j int) bool { return all[j] > all[i] }) // hot: sort.Slice
}

func top(all []count) {
	// want B: swaps elements by reflection
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice internal/reflectlite.Swapper
		// The most frequent first.
		if all[i].n != all[j].n {
			return all[i].n > all[j].n
		}
		return all[i].word < all[j].word
	})
}

func ranked(all []count) {
	// want B: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		a, b := all[i], all[j]
		if a.n == b.n {
			return a.word < b.word
		}
		return b.n < a.n
	})
}

func either(all []count, words []count) {
	// want B: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		return all[i].n > all[j].n ||
			(all[i].n == all[j].n && all[i].word < all[j].word)
	})
	// want B: slices.SortFunc
	sort.Slice(words, func(i, j int) bool { // hot: sort.Slice
		l, r := words[i], words[j]
		if l.word < r.word {
			return true
		}
		if r.word < l.word {
			return false
		}
		return l.n < r.n
	})
}

func stable(all []*count) {
	// want A: slices.SortStableFunc
	sort.SliceStable(all, func(i, j int) bool { return all[i].n < all[j].n }) // hot: sort.SliceStable
}

func listing(l struct{ files []file }) {
	// want B: slices.SortFunc
	sort.Slice(l.files, func(i, j int) bool { // hot: sort.Slice
		f, g := l.files[i], l.files[j]
		if f.dir != g.dir {
			return f.dir
		}
		if !f.at.Equal(g.at) {
			return f.at.After(g.at)
		}
		return strings.ToLower(f.name) < strings.ToLower(g.name)
	})
}

func texts(all [][]byte, weights map[string]float64, keys []string) {
	// want B: slices.SortFunc
	sort.Slice(all, func(i, j int) bool { return bytes.Compare(all[i], all[j]) < 0 }) // hot: sort.Slice
	// want B: NaN
	sort.Slice(keys, func(a, b int) bool { return weights[keys[a]] > weights[keys[b]] }) // hot: sort.Slice
}

func anonymous() []string {
	var rows []struct {
		key string
		n   int
	}
	// want B: slices.SortFunc
	sort.Slice(rows, func(i, j int) bool { return rows[i].key < rows[j].key }) // hot: sort.Slice
	return nil
}

func forwarded(words []string, readings []float64) {
	// want C: the sort package only calls slices slices.Sort does the same
	sort.Strings(words) // hot: sort.Strings slices.Sort[...]
	// want C: the sort package only calls slices slices.Sort does the same
	sort.Float64s(readings) // hot: sort.Float64s
	// want A: through an interface
	sort.Sort(sort.StringSlice(words)) // hot: sort.Sort sort.pdqsort
	// want B: 0 and -0
	sort.Sort(sort.Reverse(sort.Float64Slice(readings))) // hot: sort.Sort
}

type byName []file

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i].name < b[j].name }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type byCount []count

func (b byCount) Len() int           { return len(b) }
func (b byCount) Less(i, j int) bool { return b[i].n < b[j].n }
func (b byCount) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func interfaces(all []count) {
	// want A: byCount through an interface
	sort.Stable(byCount(all)) // hot: sort.Stable
}

// sorter is a slice with the order of its elements.
type sorter struct {
	all  []count
	less func(a, b count) bool
}

func (s *sorter) Len() int           { return len(s.all) }
func (s *sorter) Less(i, j int) bool { return s.less(s.all[i], s.all[j]) }
func (s *sorter) Swap(i, j int)      { s.all[i], s.all[j] = s.all[j], s.all[i] }

type buffer struct{ counts byCount }

func (b *buffer) sort(less func(a, b count) bool) {
	// want B: byCount through an interface
	sort.Sort(&b.counts) // hot: sort.Sort sort.insertionSort
	// want C: sorter through an interface
	sort.Sort(&sorter{b.counts, less}) // hot: sort.Sort sort.insertionSort
}

type names struct{ all sort.StringSlice }

func (n *names) sort() {
	// want C: through an interface
	sort.Sort(&n.all) // hot: sort.Sort sort.insertionSort
	// want C: through an interface
	sort.Sort(sort.Reverse(&n.all)) // hot: sort.Sort sort.insertionSort
}
