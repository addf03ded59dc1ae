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
	// want B: strings.Fields
	text = spaces.ReplaceAllString(text, " ") // hot: regexp.(*Regexp).ReplaceAllString
	// want C: every match contains " took "
	n += len(line.FindStringSubmatch(text)) // hot: regexp.(*Regexp).FindStringSubmatch
	// want B: takes much of the time The regexp engine tries any
	n += len(any.FindString(text)) // hot: regexp.(*Regexp).FindString
	// want B: strings.Map
	n += len(vowels.ReplaceAllString(text, "*")) // hot: regexp.(*Regexp).ReplaceAllString
	// want C: much of the time The regexp engine runs r.re step by step
	if r.re.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
