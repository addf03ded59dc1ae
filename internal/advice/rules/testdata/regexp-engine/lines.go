package lines

import "regexp"

var (
	spaces = regexp.MustCompile(`\s+`)
	line   = regexp.MustCompile(`(\d+) took (\d+)ms`)
	any    = regexp.MustCompile(`(?i)(a|b)+c`)
	vowels = regexp.MustCompile(`[aeiou]`)
)

type rule struct{ re *regexp.Regexp }

func lines(text string, r rule) (n int) {
	// want C: strings.Fields
	text = spaces.ReplaceAllString(text, " ") // hot: regexp.(*Regexp).ReplaceAllString
	// want C: each match has " took " in it
	n += len(line.FindStringSubmatch(text)) // hot: regexp.(*Regexp).FindStringSubmatch
	// want C: the engine tries any, "(?i)(a|b)+c"
	n += len(any.FindString(text)) // hot: regexp.(*Regexp).FindString
	// want C: strings.Map
	n += len(vowels.ReplaceAllString(text, "*")) // hot: regexp.(*Regexp).ReplaceAllString
	// want C: the engine tries r.re
	if r.re.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
