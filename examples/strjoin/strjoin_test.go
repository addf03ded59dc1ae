package strjoin

import (
	"strings"
	"testing"
)

// steps are the versions in the order they were written.
var steps = []struct {
	name string
	find func(t *Table, method, path string) (string, bool)
}{
	{"escaping-join", (*Table).findEscapingJoin},
	{"join", (*Table).findJoin},
	{"escaping-concat", (*Table).findEscapingConcat},
	{"concat", (*Table).findConcat},
	{"buffer", (*Table).findBuffer},
}

var longPath = "/" + strings.Repeat("deep/", 50) // longer than any room on the stack

func newTable() *Table {
	return NewTable(map[string]string{
		"GET /":            "home",
		"GET /users":       "list",
		"POST /users":      "create",
		"DELETE /users/me": "delete",
		"GET " + longPath:  "deep",
	})
}

func TestSteps(t *testing.T) {
	table := newTable()
	for _, step := range steps {
		for _, test := range []struct{ method, path, want string }{
			{"GET", "/", "home"},
			{"GET", "/users", "list"},
			{"POST", "/users", "create"},
			{"DELETE", "/users/me", "delete"},
			{"GET", longPath, "deep"},
			{"PUT", "/users", ""},
			{"GET", "", ""},
			{"", "", ""},
			{"GET ", "/users", ""},
		} {
			if got, ok := step.find(table, test.method, test.path); got != test.want || ok != (test.want != "") {
				t.Errorf("%s: %q %q leads to %q, %t, want %q", step.name, test.method, test.path, got, ok, test.want)
			}
		}
	}
}

// FuzzSteps checks that all versions find what was put under a key.
func FuzzSteps(f *testing.F) {
	f.Add("GET", "/users")
	f.Add("", "")
	f.Add("GET", longPath)
	f.Fuzz(func(t *testing.T, method, path string) {
		table := NewTable(map[string]string{method + " " + path: "here"})
		for _, step := range steps {
			if got, ok := step.find(table, method, path); got != "here" || !ok {
				t.Errorf("%s: %q %q leads to %q, %t", step.name, method, path, got, ok)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) { benchmark(b, step.find) })
	}
}

// BenchmarkInUse measures the version in use.
func BenchmarkInUse(b *testing.B) { benchmark(b, (*Table).Find) }

func benchmark(b *testing.B, find func(t *Table, method, path string) (string, bool)) {
	b.ReportAllocs()
	table := newTable()
	for b.Loop() {
		if _, ok := find(table, "GET", "/users"); !ok {
			b.Fatal("no route")
		}
	}
}
