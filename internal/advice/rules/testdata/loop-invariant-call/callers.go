package callers

import "strings"

func Search(query string, names []string) (found []string) {
	for _, name := range names {
		if contains(name, query) {
			found = append(found, name)
		}
	}
	return found
}

func contains(name, query string) bool {
	// want C: strings.ToLower gets query, and contains is called with the same in each turn of the loop on line 6, as
	return strings.Contains(name, strings.ToLower(query)) // hot: strings.ToLower
}
