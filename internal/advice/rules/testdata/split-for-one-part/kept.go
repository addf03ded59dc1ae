package kept

import (
	"sort"
	"strings"
)

type record struct{ parts []string }

func (r *record) index(text string, show func([]string)) (all []string, n int) {
	all = strings.Split(text, "\n") // hot: strings.Split
	words := strings.Fields(text)   // hot: strings.Fields
	sort.Strings(words)
	for _, w := range words {
		n += len(w)
	}
	columns := strings.Split(text, ",") // hot: strings.Split
	for range 3 {
		for _, c := range columns {
			n += len(c)
		}
	}
	r.parts = strings.Split(text, ";") // hot: strings.Split
	lines := strings.Split(text, "\n") // hot: strings.Split
	show(lines[1:])
	kept := [][]string{strings.Fields(text)} // hot: strings.Fields
	return all, n + len(kept)
}

func pairs(text, sep string) string {
	given := strings.SplitN(text, "=", 2) // hot: strings.SplitN
	return strings.Join(given, sep) + given[0]
}
