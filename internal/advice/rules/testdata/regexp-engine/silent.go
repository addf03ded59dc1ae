package silent

import (
	"regexp"
	"strings"
)

var word = regexp.MustCompile(`[A-Za-z]+`)

type matcher struct{}

func (matcher) MatchString(s string) bool { return strings.Contains(s, "a") }

func match(text string) bool {
	if (matcher{}).MatchString(text) { // hot: strings.Contains
		return true
	}
	if word.NumSubexp() > 0 { // hot: regexp.(*Regexp).NumSubexp
		return false
	}
	return word.MatchString(text)
}
