package calls

import (
	"fmt"
	"strings"
)

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

type record struct{ number int }

type matcher interface{ matches(name, query string) bool }

type fold struct{}

func (fold) matches(name, query string) bool {
	return strings.Contains(name, strings.ToLower(query)) // hot: strings.ToLower
}

// What is behind the pointer, in a part, or among several changes, and calls by an interface.
func write(r *record, values []int, names []string, query string, all []matcher) (n int) {
	var last struct{ name [1]string }
	for i, v := range values {
		n += len(number(r, i)) + len(printed("value", v)) + len(named(last, v))
	}
	for _, name := range names {
		for _, m := range all {
			if m.matches(name, query) || (fold{}).matches(name, query) || plain.asked(plain{}, name, query) {
				n++
			}
		}
	}
	return n
}

type plain struct{}

func (plain) asked(name, query string) bool {
	return strings.Contains(name, strings.ToLower(query)) // hot: strings.ToLower
}

func number(r *record, n int) string {
	r.number = n
	return fmt.Sprint(r) // hot: fmt.Sprint
}

func printed(args ...any) string {
	return fmt.Sprint(args) // hot: fmt.Sprint
}

func named(of struct{ name [1]string }, v int) string {
	of.name[0] = strings.Repeat("a", v)
	return fmt.Sprint(of) // hot: fmt.Sprint
}
