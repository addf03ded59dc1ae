package others

import "strings"

type flag bool

func looks(a, b string) (bool, string) {
	lower := strings.ToLower(a)                          // hot: strings.ToLower
	ok := strings.ToLower(a) == strings.ToUpper(b)       // hot: strings.ToLower
	ok = ok || strings.ToLower(a) == "Never"             // hot: strings.ToLower
	ok = ok || strings.ToLower(a) == b                   // hot: strings.ToLower
	ok = ok || strings.ToLower(a) == "straße"            // hot: strings.ToLower
	ok = ok || strings.ToLower(a) < strings.ToLower(b)   // hot: strings.ToLower
	ok = ok || strings.Contains(strings.ToLower(a), "x") // hot: strings.ToLower
	var f flag = strings.ToLower(a) == "x"               // hot: strings.ToLower
	return ok || bool(f), lower
}
