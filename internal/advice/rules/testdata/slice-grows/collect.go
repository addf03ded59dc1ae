package collect

import (
	"sort"
	"strconv"
)

type node struct {
	name string
	kids []*node
}

func (n *node) Children() []*node { return n.kids }

type names []string

func ids(nodes []*node) []string {
	var out []string
	for _, n := range nodes {
		// want A: to len(nodes) elements
		out = append(out, n.name) // hot: runtime.growslice
	}
	return out
}

func sorted(set map[string]bool) int {
	keys := []string{}
	total := 0
	for k := range set {
		// want A: to len(set) elements
		keys = append(keys, k) // alloc: 16 32 128
	}
	sort.Strings(keys)
	for i, k := range keys {
		total += i * len(k)
	}
	return total
}

func unseen(nodes []*node) (n int) {
	var out names // of all
	for _, n := range nodes {
		// want A: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	for _, o := range out {
		n += len(o)
	}
	return n + len(out)
}

func later(n *node) []*node {
	all, mark := make([]*node, 0), n.name
	_ = all
	out := make([]*node, 0)
	if n.name == mark {
		for _, k := range n.kids {
			// want A: len(n.kids)
			out = append(out, k) // hot: runtime.growslice
		}
	}
	return out
}

func parse(fields []string) ([]int, error) {
	var out []int
	for _, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil {
			return nil, err
		}
		// want B: len(fields)
		out = append(out, v) // hot: runtime.growslice
	}
	return out, nil
}

func squares(n int) []int {
	squares := []int{}
	for i := 0; i < n; i++ {
		// want A: to n elements
		squares = append(squares, i*i) // hot: runtime.growslice
		for j := range 3 {
			if j == 2 {
				break
			}
			if i < 0 {
				continue
			}
		}
	}
	return squares
}

func several(xs []int8, n uint8) (sum int) {
	var a []int
	for i, x := range xs {
		// want A: 2*len(xs)
		a = append(a, i, int(x)) // hot: runtime.growslice
		sum += a[len(a)-1]
	}
	var c []uint8
	for i := range n {
		// want A: to n elements
		c = append(c, i) // hot: runtime.growslice
	}
	switch {
	case sum == 0:
		var (
			d []rune
			e []string = nil
		)
		for i := len(xs) - 1; i >= 0; i-- {
			// want C: slices.Grow(d, len(xs))
			d = append(d, rune(xs[i])) // hot: runtime.growslice
		}
		sum += len(d) + len(e)
	case sum > 1:
		var d = []rune(nil)
		for i := len(xs) - 1; i >= 0; i-- {
			// want A: len(xs)
			d = append(d, rune(xs[i])) // hot: runtime.growslice
		}
		var e []string = nil
		for range 400 {
			// want A: to 400 elements
			e = append(e, "") // hot: runtime.growslice
		}
		keep(e)
		var f []byte
		for _, b := range []byte(string(d)) {
			// want C: element by element f is copied as it grows step by step
			f = append(f, b) // hot: runtime.growslice
		}
		for _, b := range [...]int{1, 2, 3} {
			// want C: element by element f is copied as it grows step by step
			f = append(f, byte(b)) // hot: runtime.growslice
		}
	}
	return sum + len(a) + len(c)
}

func keep(s []string) {}

// called ranges over what a call returns.
func called(n *node) []string {
	var out []string
	for _, c := range n.Children() {
		// want A: len(n.Children())
		out = append(out, c.name) // hot: runtime.growslice
	}
	for range out {
		kids := []*node{}
		for _, c := range n.Children() {
			// want A: len(n.Children())
			kids = append(kids, c, nil) // hot: runtime.growslice
		}
	}
	return out
}

func each[T, U any](xs []T, f func(T) U) []U {
	var us []U
	for _, x := range xs {
		// want B: Check that len(xs) isn't inflated
		us = append(us, f(x)) // hot: runtime.growslice
	}
	return us
}

type index struct {
	words []string
	next  *index
}

func (x *index) add(words []string, more ...[]string) {
	for _, w := range words {
		// want B: slices.Grow(x.words, len(words))
		x.words = append(x.words, w) // hot: runtime.growslice
	}
	for _, m := range more {
		// want B: pieces of different length
		x.words = append(x.words, m...) // hot: runtime.growslice
	}
	for x := x; x != nil; x = x.next {
		for x.words[0] != "" {
			// want C: call slices.Grow(words
			words = append(words, x.words[0]) // hot: runtime.growslice
		}
	}
}

func flat(rows [][]int, least int) (flat, large []int) {
	var firsts []int
	for _, row := range rows {
		for _, v := range row {
			// want C: before the outer loop
			flat = append(flat, v) // hot: runtime.growslice
		}
		if len(row) == 0 {
			continue
		}
		// want B: that most of the len(rows) iterations append to it
		firsts = append(firsts, row[0]) // hot: runtime.growslice
	}
	for _, row := range rows {
		if row[0] > least {
			// want C: Not all of the len(rows) iterations append to it
			large = append(large, row[0]) // hot: runtime.growslice
		}
	}
	return flat, large
}

// decode gets a number that nothing has checked.
func decode(n int, next func() (int, error)) ([]int, error) {
	var out []int
	for i := 0; i < n; i++ {
		v, err := next()
		if err != nil {
			return nil, err
		}
		// want C: slices.Grow(out, n)
		out = append(out, v) // hot: runtime.growslice
	}
	return out, nil
}

func partial(fields []string) ([]int, error) {
	var out []int
	for _, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil {
			return out, err
		}
		// want C: slices.Grow(out, len(fields))
		out = append(out, v) // hot: runtime.growslice
	}
	return out, nil
}

func shadowed(xs []int) []int {
	var out []int
	len := 3
	for _, x := range xs {
		// want C: slices.Grow(out
		out = append(out, x+len) // hot: runtime.growslice
	}
	return out
}

func moved(n *node) []string {
	out := []string{}
	seen := make(map[string]bool)
	for _, c := range n.Children() {
		seen[c.name] = true
		// want A: len(n.Children())
		out = append(out, c.name) // hot: runtime.growslice
	}
	// kept has what is not empty.
	kept := []*node{}
	last := n
	for _, c := range n.Children() {
		last = c
		// want A: len(n.Children())
		kept = append(kept, c) // hot: runtime.growslice
	}
	seen[last.name] = len(kept) > 0
	return out
}

func unpack(data []byte, to *[]uint64) {
	for len(data) > 0 {
		n := uint64(data[0])
		data = data[1:]
		// want C: element by element *to is copied as it grows step by step
		*to = append(*to, n) // hot: runtime.growslice
	}
}

// short panics where there are fewer than somebody claims.
func short(n int, next func() (int, bool)) []int {
	out := []int{}
	for i := 0; i < n; i++ {
		v, ok := next()
		if !ok {
			panic("too short")
		}
		// want C: slices.Grow(out, n)
		out = append(out, v) // hot: runtime.growslice
	}
	return out
}

// typed keeps its type.
func typed(nodes []*node) (names, int) {
	var out names = []string{}
	n := len(nodes)
	some := nodes[n%2:]
	for _, n := range some {
		// want A: len(some)
		out = append(out, n.name) // hot: runtime.growslice
	}
	return out, n
}

// branches has two that begin alike.
func branches(nodes []*node) ([]string, []string) {
	out := []string{}
	for _, n := range nodes {
		// want C: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	return append(out, "left"), append(out, "right")
}

// path ends with what is none of the parts.
func path(nodes []*node) []string {
	out := []string{}
	for _, n := range nodes {
		// want A: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	out = append(out, "", "end")
	return append(out, ".")
}

// ended has one more sometimes, which would double what has room for the rest.
func ended(nodes []*node, last string) []string {
	out := []string{}
	for _, n := range nodes {
		// want C: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	if last != "" {
		out = append(out, last)
	}
	return out
}

// sides has two, of which one is appended to first.
func sides(nodes []*node) (left, right []string) {
	out := []string{}
	for _, n := range nodes {
		// want C: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	left = append(out, "left")
	out = append(out, "right")
	return left, out
}

// summary returns before it appends, at times.
func summary(nodes []*node, all bool) []string {
	out := []string{}
	for _, n := range nodes {
		// want C: len(nodes)
		out = append(out, n.name) // hot: runtime.growslice
	}
	if !all {
		return out
	}
	return append(out, "and", "so", "on")
}

func counted() []string {
	out := []string{}
	for i := range 400 {
		// want A: 400
		out = append(out, strconv.Itoa(i)) // hot: runtime.growslice
	}
	return append(out, "and so on")
}
