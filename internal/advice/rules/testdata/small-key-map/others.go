package others

import "strings"

type code int32

var (
	texts  = map[string]string{"a": "b"}
	ids    = map[int]string{1: "one", 1 << 20: "many"}
	below  = map[int]string{-1: "none", 1: "one"}
	grown  = map[int]string{1: "one"}
	empty  = map[int]string{}
	codes  = map[code]bool{}
	floats = map[float64]bool{1: true}
)

func add(i int) { grown[i] = "more" }

// look asks maps whose keys are no small numbers, or not known.
func look(s string, i int, c code, f float64, local map[int]string) bool {
	n := len(texts[s])   // hot: runtime.mapaccess1_faststr
	n += len(ids[i])     // hot: runtime.mapaccess1_fast64
	n += len(below[i])   // hot: runtime.mapaccess1_fast64
	n += len(grown[i])   // hot: runtime.mapaccess1_fast64
	n += len(empty[i])   // hot: runtime.mapaccess1_fast64
	n += len(local[i])   // hot: runtime.mapaccess1_fast64
	ok := codes[c]       // hot: runtime.mapaccess1_fast32
	ok = ok || floats[f] // hot: runtime.mapaccess1
	return ok && n > 0
}

type node struct{ next map[rune]*node }

// find goes down a tree, whose nodes have few entries each.
func (n *node) find(s string) bool {
	for _, r := range s {
		if n = n.next[r]; n == nil { // hot: runtime.mapaccess1_fast32
			return false
		}
	}
	return true
}

// few looks so seldom that nothing comes of it.
func few(s string, set map[rune]bool) (n int) {
	for _, r := range s {
		if strings.ContainsRune(s, r) && set[r] { // hot: strings.ContainsRune
			n++
		}
	}
	return n
}
