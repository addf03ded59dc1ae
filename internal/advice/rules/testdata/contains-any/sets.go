package sets

import "strings"

func sets(s, set string) (bool, int) {
	ok := strings.ContainsAny(s, set)             // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "abcdef")   // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "äö")       // hot: strings.ContainsAny
	ok = ok || strings.ContainsAny(s, "")         // hot: strings.ContainsAny
	return ok, strings.LastIndexAny(s, "/\\") + 1 // hot: strings.LastIndexAny
}
