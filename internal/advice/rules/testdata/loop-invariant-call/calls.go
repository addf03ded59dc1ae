package calls

import "strings"

type index struct{ names []string }

// What is given changes, is made before, may be called from elsewhere or without a loop.
func (x *index) search(queries []string, word string) (found []string) {
	for i, name := range x.names {
		if contains(name, queries[i]) || trimmed(name) == "" || Exported(name, word) || once(word) != "" || assigned(word) != "" {
			found = append(found, name)
		}
		word += name
	}
	for _, name := range x.names {
		if once(word) == name {
			return append(found, last(word))
		}
	}
	once(word)
	valued(word)
	for range found {
		assigned(word)
		valued(word)
	}
	each(found, valued)
	return found
}

func contains(name, query string) bool {
	return strings.Contains(name, strings.ToLower(query)) // hot: strings.ToLower
}

func trimmed(name string) string {
	return strings.TrimSpace(name) // hot: strings.TrimSpace
}

func Exported(name, word string) bool {
	return name == strings.ToLower(word) // hot: strings.ToLower
}

func once(word string) string {
	return strings.ToLower(word) // hot: strings.ToLower
}

func assigned(word string) string {
	word = word[1:]
	return strings.ToLower(word) // hot: strings.ToLower
}

func last(word string) string {
	return strings.ToLower(word) // hot: strings.ToLower
}

func valued(word string) {
	print(strings.ToLower(word)) // hot: strings.ToLower
}

func each(words []string, f func(string)) {
	for _, w := range words {
		f(w)
	}
}
