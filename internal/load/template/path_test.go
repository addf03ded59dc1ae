package template

import (
	"strings"
	"testing"
)

// TestPathAt: the mark ^ is where the path is asked for.
func TestPathAt(t *testing.T) {
	for text, want := range map[string]string{
		`^{"a":1}`:                               "",
		`{"a":^1}`:                               "a",
		`{^"a":1}`:                               "a",
		`{"a":{"b":[1,{"c":^true}]}}`:            "a.b[1].c",
		`{"a":{"b":[1,{"c":1},^2]}}`:             "a.b[2]",
		`{"a":[[],[^]]}`:                         "a[1][0]",
		`{"a":{"x":1},^"b":2}`:                   "b",
		`{"a":{"x":1},"b":^2}`:                   "b",
		`{"a b":{"":{"c-d":^1}}}`:                `["a b"].c-d`,
		`{"a":"b\",^{[:,","c":1}`:                "a",
		`{"a":"{[,:\"","c":^1}`:                  "c",
		`[{"a":1}, {"txt": ^"x"}]`:               "[1].txt",
		`{"a":1} {"b":^2}`:                       "b",
		`{"a":[1,2^`:                             "a[1]",
		"":                                       "",
		`{"` + strings.Repeat("x", 3) + `":^nul`: "xxx",
	} {
		at := max(0, strings.IndexByte(text, '^'))
		if got := PathAt([]byte(strings.Replace(text, "^", "", 1)), at); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
