package others

import "regexp"

// Shared may be set by another package.
var Shared = regexp.MustCompile(`^/api/`)

var (
	tag   = regexp.MustCompile(`^/v1/`)
	lower = regexp.MustCompile(`(?i)^api$`)
	odd   = regexp.MustCompile("\ufffd")
)

func configure(pattern string) { tag = regexp.MustCompile(pattern) }

func others(text string) (n int) {
	// want C: No function is generated from the pattern: another package may set Shared.
	if Shared.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: tag is assigned more than once. (end)
	if tag.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want B: takes much of the time The regexp engine runs lower, "(?i)^api$", step by step.
	if lower.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want B: strings.Contains
	if odd.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	local := regexp.MustCompile(`^/api/`)
	// want C: it isn't in a package variable. (end)
	if local.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
