package sets

import "strings"

func both() (s, chars string)

func spread() bool {
	return strings.ContainsAny(both()) // hot: strings.ContainsAny
}

func sets(s, set string) (bool, int, int) {
	ok := strings.ContainsAny(s, set)            // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "abcdef")  // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "äö")      // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "")        // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "/")       // hot: strings.ContainsAny
	i := strings.IndexAny(s, ":")                // hot: strings.IndexAny
	return ok, i, strings.LastIndexAny(s, "/\\") // hot: strings.LastIndexAny
}
