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
	// want C: strings.HasPrefix
	if Shared.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: most of the time The regexp engine tries tag at every byte
	if tag.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: takes most of the time The regexp engine tries lower
	if lower.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: strings.Contains
	if odd.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	local := regexp.MustCompile(`^/api/`)
	// want C: strings.HasPrefix
	if local.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
