package copies

import "regexp"

var (
	schemeRE = regexp.MustCompile(`^https?:`)
	tagRE    = regexp.MustCompile(`^v[0-9]+$`)
	getRE    = regexp.MustCompile(`^GET$`)
)

func scheme(s string) bool {
	re := schemeRE
	// want B: matchScheme
	return re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}

func both(s, t string) bool {
	// The tags.
	var re = tagRE // as git has them

	// want B: matchTag
	if re.MatchString(s) { // hot: regexp.(*Regexp).MatchString
		return true
	}
	return func() bool { return re.MatchString(t) }()
}

func fixed(s string) bool {
	re := getRE
	// want A: a comparison with "GET" does the same
	return re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}
