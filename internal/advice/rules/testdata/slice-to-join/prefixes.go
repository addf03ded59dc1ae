package prefixes

import "strings"

func prefixes(parts []string) map[string]bool {
	all := make(map[string]bool, len(parts))
	for i := range parts {
		// want C: each prefix is text[:end], without a copy
		all[strings.Join(parts[:i+1], ".")] = true // hot: strings.Join
	}
	return all
}

func suffixes(parts []string, known map[string]int) int {
	for i := len(parts) - 1; i > 0; i-- {
		// want C: each suffix is text[begin:], without a copy
		if n, ok := known[strings.Join(parts[i:], ".")]; ok { // hot: strings.Join
			return n
		}
	}
	return 0
}
