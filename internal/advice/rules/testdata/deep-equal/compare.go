package compare

import (
	"reflect"
	"strings"
)

type key struct {
	name string
	n    [2]int
}

type node struct {
	name string
	next *node
}

func compare(a, b []string, k, l key, m, n map[key]bool, x, y []byte, p, q [][]int, f, g []float64, r, t node) int {
	// want B: slices.Equal compares
	if reflect.DeepEqual(a, b) { // hot: reflect.DeepEqual reflect.deepValueEqual
		return 1
	}
	// want A: == gives the same result
	if !reflect.DeepEqual(k, l) { // hot: reflect.DeepEqual
		return 2
	}
	// want A: == gives the same result
	if reflect.DeepEqual(k, key{name: strings.ToLower("A")}) { // hot: reflect.DeepEqual
		return 3
	}
	// want B: maps.Equal
	same := reflect.DeepEqual(m, n) // hot: reflect.DeepEqual
	// want B: bytes.Equal
	same = same || reflect.DeepEqual(x, y) // hot: reflect.DeepEqual
	// want C: write an Equal method that compares the fields that matter
	same = same || reflect.DeepEqual(p, q) // hot: reflect.DeepEqual
	// want C: write an Equal method that compares the fields that matter
	same = same || reflect.DeepEqual(f, g) // hot: reflect.DeepEqual
	// want C: write an Equal method that compares the fields that matter
	same = same && reflect.DeepEqual(r, t) // hot: reflect.DeepEqual
	// want C: write an Equal method that compares the fields that matter
	if same || reflect.DeepEqual(&r, &t) { // hot: reflect.DeepEqual
		return 4
	}
	return 0
}

func taken(a, b []string, slices int) bool {
	// want C: slices.Equal
	return reflect.DeepEqual(a, b) // hot: reflect.DeepEqual
}

var last = "none"

func next() string {
	last += "+"
	return last
}

func stays() bool {
	// want B: next() doesn't change last
	return reflect.DeepEqual(last, next()) // hot: reflect.DeepEqual
}

var latest key

func renew() bool { latest.name += "'"; return true }

func inOneStatement(k key) (bool, bool) {
	// want B: Check that later calls in the statement don't change latest
	return reflect.DeepEqual(latest, k), renew() // hot: reflect.DeepEqual
}

func decided(k key) bool {
	// want A: == gives the same result
	return reflect.DeepEqual(latest, k) && renew() // hot: reflect.DeepEqual
}
