package words

import "regexp"

var (
	word   = regexp.MustCompile(`[A-Za-z]+`)
	name   = regexp.MustCompile(`^[a-z]+$`)
	prefix = regexp.MustCompile(`^/api/`)
	fixed  = regexp.MustCompile(`error`)
)

func words(text string) (n int) {
	// want B: strings.FieldsFunc
	n += len(word.FindAllString(text, -1)) // hot: regexp.(*Regexp).FindAllString regexp.(*Regexp).allMatches
	// want B: checks whether each character is in [a-z] does the same
	if name.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want A: strings.HasPrefix
	if prefix.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want A: strings.Contains with "error" does the same
	if fixed.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	digits := regexp.MustCompile(`[0-9]+`)
	// want C: strings.FieldsFunc
	return n + len(digits.FindString(text)) // hot: regexp.(*Regexp).FindString
}
