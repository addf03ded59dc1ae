package keys

import "strings"

type table struct {
	routes map[string]string
	join   func([]string, string) string
	sep    string
}

func newTable() *table { return &table{routes: map[string]string{}, join: strings.Join} }

func (t *table) find(method, path string) (string, bool) {
	// want B: of a few known strings t.join is always strings.Join
	handler, ok := t.routes[t.join([]string{method, path}, " ")] // hot: strings.Join
	return handler, ok
}

func (t *table) key(parts ...string) string {
	// want B: t.sep doesn't panic
	return strings.Join([]string{"route", parts[0], strings.ToUpper(parts[1])}, t.sep) // hot: strings.Join
}

var joined = strings.Join

func path(dir, name string) string {
	// want B: of a few known strings joined is always strings.Join
	return joined([]string{dir, name + ".go"}, "/") // hot: strings.Join
}

func lines(head, body string) string {
	// want A: no slice
	return strings.Join([]string{head, "", body, "--\n"}, "\n") // hot: strings.Join strings.(*Builder).grow
}

func together(a, b string) byte {
	// want A: no slice
	first := strings.Join([]string{a, b}, "")[0] // hot: strings.Join
	// want A: no slice
	one := strings.Join([]string{a}, ", ") // hot: strings.Join
	return first + one[0]
}

func (t *table) pair(key, value string) string {
	// want A: known here
	return strings.Join([]string{key, t.sep, value}, t.sep) // hot: strings.Join
}

var last string

func remember(text string) string { last = text; return text }

func then(a string) string {
	// want B: Check that later calls in the statement don't change last
	return strings.Join([]string{last, a}, a) + remember(a) // hot: strings.Join
}

func after(a string) string {
	// want A: no slice
	return remember(a) + strings.Join([]string{last, a}, "/") // hot: strings.Join
}

func given(a string) string {
	// want A: no slice
	return remember(strings.Join([]string{last, a}, "/")) + remember(a) // hot: strings.Join
}

func alone(t *table, a string) string {
	// want B: it is no longer evaluated
	return strings.Join([]string{a}, t.sep) // hot: strings.Join
}

func first(a, b string) string {
	// want B: it is now evaluated after later calls in the statement
	return strings.Join([]string{a, b[3:]}, "/") + remember(a) // hot: strings.Join
}
