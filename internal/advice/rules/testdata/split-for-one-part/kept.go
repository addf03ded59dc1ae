package kept

import (
	"sort"
	"strings"
)

func index(text string) (all []string, n int) {
	all = strings.Split(text, "\n")                 // hot: strings.Split
	for i, line := range strings.Split(text, ",") { // hot: strings.Split
		n += i * len(line)
	}
	for i := range strings.Split(text, ",") { // hot: strings.Split
		n += i
	}
	for _, part := range strings.SplitN(text, ",", 3) { // hot: strings.SplitN
		n += len(part)
	}
	words := strings.Fields(text) // hot: strings.Fields
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
	return all, n
}

func date(text string) (y, m, d string) {
	parts := strings.Split(text, "-") // hot: strings.Split
	if len(parts) != 3 {
		return "", "", ""
	}
	return parts[0], parts[1], parts[2]
}

func pair(text string) (string, string) {
	parts := strings.Split(text, "=") // hot: strings.Split
	if len(parts) != 2 {
		return "", ""
	}
	return parts[0], parts[1]
}

func pairs(text, sep string) string {
	parts := strings.SplitN(text, sep, 2) // hot: strings.SplitN
	if len(parts) == 2 {
		return parts[1]
	}
	limited := strings.SplitN(text, "=", 3) // hot: strings.SplitN
	if len(limited) == 2 {
		return limited[0]
	}
	given := strings.SplitN(text, "=", 2) // hot: strings.SplitN
	return strings.Join(given, sep) + given[0]
}
