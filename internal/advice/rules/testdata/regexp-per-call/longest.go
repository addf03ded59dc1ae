package longest

import "regexp"

// Longest changes a pattern, for all who share it.
func longest(s string) string {
	// want C: compiles the same pattern
	re := regexp.MustCompile("a|ab") // hot: regexp.MustCompile
	re.Longest()
	return re.FindString(s)
}

func Äußerste(s string) bool {
	// want B: compiles the same pattern
	return regexp.MustCompile("ä+").MatchString(s) // hot: regexp.MustCompile
}

func explained(s string) bool {
	// want C: compiles the same pattern
	re := regexp.MustCompile( // hot: regexp.MustCompile
		// A word and a number.
		`^\w+\d$`,
	)
	return re.MatchString(s)
}
