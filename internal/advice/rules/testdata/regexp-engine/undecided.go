package undecided

import "regexp"

var (
	undecided = regexp.MustCompile(`(a+b|a+c)`)
	slow      = regexp.MustCompile(`[a-c]x[a-z]*=`)
	letters   = regexp.MustCompile(`^\pL+$`)
)

func refused(text string) (n int) {
	// want C: the next character doesn't decide between alternatives: two begin with [a]. (end)
	n += len(undecided.FindString(text)) // hot: regexp.(*Regexp).FindString
	// want C: could take quadratic time
	n += len(slow.FindString(text)) // hot: regexp.(*Regexp).FindString
	// want C: it tells more than 100 ranges of characters apart. (end)
	if letters.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
