package casers

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

func capitalize(s string) string {
	// want C: looks up the language and allocates a Caser per call
	return cases.Title(language.English).String(s) // hot: golang.org/x/text/cases.Title golang.org/x/text/cases.makeTitle
}

// Kept: what takes the time is the text.
var title = cases.Title(language.English)

func kept(s string) string {
	return title.String(s) // hot: golang.org/x/text/cases.Caser.String golang.org/x/text/transform.String
}
