package replace

import "regexp"

var abc = regexp.MustCompile(`abc`)

func replaced(s string) string {
	// want C: with "abc" does the same if the replacement has no $
	s = abc.ReplaceAllString(s, "$0$0") // hot: regexp.(*Regexp).ReplaceAllString
	// want C: find "abc" without a pattern
	return abc.ReplaceAllStringFunc(s, func(t string) string { return t + t }) // hot: regexp.(*Regexp).ReplaceAllStringFunc
}
