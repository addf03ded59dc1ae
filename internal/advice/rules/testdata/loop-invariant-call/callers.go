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
	// want C: loop returns the same each time strings.ToLower gets query
	return strings.Contains(name, strings.ToLower(query)) // hot: strings.ToLower
}

type list struct{ names []string }

func (l *list) search(query string) (found []string) {
	for _, name := range l.names {
		if l.has(name, query) {
			found = append(found, name)
		}
	}
	return found
}

func (l *list) has(name, query string) bool {
	// want C: the same values in each iteration of the loop on line 22
	return strings.Contains(name, strings.ToUpper(query)) // hot: strings.ToUpper
}
