package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFitName: what tells least goes first.
func TestFitName(t *testing.T) {
	long := "connectrpc.com/connect.(*Client[go.shape.struct { a int; B []string },go.shape.map[string]int]).CallUnary"
	for _, c := range []struct {
		name string
		room int
		want string
	}{
		{"net/http.(*conn).serve", 22, "net/http.(*conn).serve"},
		{"net/http.(*conn).serve", 21, "http.(*conn).serve"},
		{long, 200, long},
		{long, 60, "connectrpc.com/connect.(*Client[…]).CallUnary"},
		{long, 40, "connect.(*Client[…]).CallUnary"},
		{long, 20, "connect…]).CallUnary"},
	} {
		got := FitName(c.name, c.room)
		if got != c.want || utf8.RuneCountInString(got) > c.room {
			t.Errorf("%s in %d: %s, want %s", c.name, c.room, got, c.want)
		}
	}
	if got := FitName(strings.Repeat("é", 100), 10); got != "ééé…éééééé" {
		t.Errorf("%s", got)
	}
}
