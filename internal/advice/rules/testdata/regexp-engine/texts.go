package texts

import "regexp"

var (
	suffix = regexp.MustCompile(`\.html$`)
	whole  = regexp.MustCompile(`^GET$`)
	header = regexp.MustCompile(`^\xef\xbb`)
)

func texts(name string, b []byte) (n int) {
	// want A: strings.HasSuffix
	if suffix.MatchString(name) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want A: strings.HasSuffix
	if suffix.Match(b) { // hot: regexp.(*Regexp).Match
		n++
	}
	// want A: a comparison with "GET" does the same
	if !whole.MatchString(name + "T") { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want A: a comparison with "GET" does the same
	if whole.Match(b[1:]) { // hot: regexp.(*Regexp).Match
		n++
	}
	// want A: strings.HasPrefix
	if header.MatchString(name) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
