// Package strjoin finds a route by its method and path, which joins two
// strings: as it was first written, and once per tuning step. README.md tells
// how each step was found.
package strjoin

import "strings"

// A Table finds the handler of a request. It is for one goroutine.
type Table struct {
	routes map[string]string // handlers by "METHOD /path"

	join func(parts []string, separator string) string
	last string // the route looked up last
}

// NewTable returns a table of routes: handlers by "METHOD /path".
func NewTable(routes map[string]string) *Table {
	return &Table{routes: routes, join: strings.Join}
}

// Find returns the handler for a request, if there is one.
//
// It is the version in use. A step of the loop changes this one line;
// BenchmarkInUse of two revisions then tells what the step gave.
func (t *Table) Find(method, path string) (string, bool) { return t.findBuffer(method, path) }

// findEscapingJoin is the lookup as it was first written: whoever makes a
// table may choose how to join. The compiler cannot see what the function
// does with the slice, so the slice is allocated, and so is the string.
func (t *Table) findEscapingJoin(method, path string) (string, bool) {
	handler, ok := t.routes[t.join([]string{method, path}, " ")]
	return handler, ok
}
