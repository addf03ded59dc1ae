package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"main", "main", 0}, {"mian", "main", 2}, {"", "ab", 2}, {"v1.2", "v1.3", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestClosest(t *testing.T) {
	known := []string{"role", "rate", "service", "seconds", "max-size", "max-answer", "cum", "o", "json", "bench"}
	for word, want := range map[string]string{
		"roel": "role", "roles": "role", "rte": "rate", "servce": "service", "jsno": "json", "jso": "json", "mux-answer": "max-answer",
		"sec":       "seconds", // the start of one
		"benchmark": "bench",   // and more
		"max":       "",        // the start of two
		"num":       "",        // so short a word has to begin alike
		"out":       "", "x": "", "": "", "colour": "",
	} {
		if got := Closest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
