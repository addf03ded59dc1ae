package workspace

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"main", "main", 0}, {"mian", "main", 2}, {"", "ab", 2}, {"v1.2", "v1.3", 1}} {
		if got := EditDistance(c.a, c.b); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
