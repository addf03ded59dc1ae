package order

import "strings"

func index(xs []string, i int, next func() string) bool {
	// want B: that xs[i] doesn't panic: it is now evaluated after next(). (end)
	return strings.ToLower(xs[i]) == strings.ToLower(next()) // hot: strings.ToLower
}

var current string

func global(next func() string) bool {
	// want B: Also check that next() doesn't change current, which is now read after it. (end)
	return strings.ToLower(current) == strings.ToLower(next()) // hot: strings.ToLower
}

func both(a, b string) bool {
	// want B: s and ſ are equal, for example. (end)
	return strings.ToLower(a) == strings.ToLower(b) // hot: strings.ToLower
}

func set(s string) { current = s }
