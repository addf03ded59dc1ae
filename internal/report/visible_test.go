package report

import "testing"

// The web's are in web/src/model/visible.test.ts.
func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"main.main":                            "main.main",
		"شعلة.Flame":                           "شعلة.Flame",
		"right-to-left \u202eeltrut\u202c":     `right-to-left \u202eeltrut\u202c`,
		"\u2066\u200f\u061c":                   `\u2066\u200f\u061c`,
		"\u200e\u202a\u202b\u202d\u2067\u2068": `\u200e\u202a\u202b\u202d\u2067\u2068`,
		"zero\u200dwidth":                      "zero\u200dwidth",
	} {
		if got := Visible(s); got != want {
			t.Errorf("%+q: got %+q, want %+q", s, got, want)
		}
	}
}
