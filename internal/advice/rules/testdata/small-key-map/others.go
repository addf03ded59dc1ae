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

var (
	Exported   = map[int]string{1: "one"}
	registered = map[int]string{1: "one"}
	aliased    = map[int]string{1: "one"}
	sparse     = map[int]string{200: "OK", 404: "not found"}
	letters    = map[rune]string{'а': "a", 'б': "b", 'x': "x"}
	pages      = map[byte][4096]byte{}
)

func register(m map[int]string, i int) { m[i] = "more" }

// changed asks maps that others may change, large ones, and such that ASCII is not in.
func changed(i int, r rune, b byte) (n int) {
	register(registered, i)
	m := aliased
	m[i] = "more"
	n += len(Exported[i])   // hot: runtime.mapaccess1_fast64
	n += len(registered[i]) // hot: runtime.mapaccess1_fast64
	n += len(aliased[i])    // hot: runtime.mapaccess1_fast64
	n += len(sparse[i])     // hot: runtime.mapaccess1_fast64
	n += len(letters[r])    // hot: runtime.mapaccess1_fast32
	page := pages[b]        // hot: runtime.mapaccess1
	return n + len(page)
}

// two are maps of which one takes the time.
func two(set map[rune]bool, r rune, s string) bool {
	local := map[rune]bool{'a': true}
	return local[r] && texts[s] != "" // hot: runtime.mapaccess1_faststr
}

type counts[V any] map[byte]V

func made(n int) counts[int] {
	return make(counts[int], n) // hot: runtime.mapassign
}

type trie map[rune]trie

func (t trie) has(s string) bool {
	for _, r := range s {
		if t = t[r]; t == nil { // hot: runtime.mapaccess1_fast32
			return false
		}
	}
	return true
}

type node struct{ next map[rune]*node }

func (n *node) after(r rune) *node {
	next := n.next
	return next[r] // hot: runtime.mapaccess1_fast32
}

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
