package later

import "regexp"

var whole = regexp.MustCompile(`^GET$`)

var verb string

func setVerb(v string) bool { verb = v; return true }

func inOneStatement(v string) (bool, bool) {
	// want B: Check that later calls in the statement don't change verb
	return whole.MatchString(verb), setVerb(v) // hot: regexp.(*Regexp).MatchString
}
