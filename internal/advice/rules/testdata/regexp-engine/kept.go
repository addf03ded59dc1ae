package kept

import "regexp"

var (
	wordRE   = regexp.MustCompile(`^[a-z]+$`)
	hiddenRE = regexp.MustCompile(`^[A-Z]+$`)
	loneRE   = regexp.MustCompile(`^[0-9]+$`)
	changeRE = regexp.MustCompile(`^[a-f]+$`)
	givenRE  = regexp.MustCompile(`^[g-k]+$`)
)

func together(s string) bool {
	re, n := wordRE, len(s)
	// want C: re would be left unused. (end)
	return n > 1 && re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}

func hidden(s string) (string, bool) {
	re := hiddenRE
	{
		hiddenRE := "hidden"
		s += hiddenRE + re.FindString(s)
	}
	// want B: matchHidden
	return s, re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}

func lone(s string) bool {
	if re := loneRE; s != "" {
		// want C: re would be left unused. (end)
		return re.MatchString(s) // hot: regexp.(*Regexp).MatchString
	}
	return false
}

func changed(s string) bool {
	re := changeRE
	if s == "" {
		re = nil
	}
	// want C: it isn't in a package variable. (end)
	return re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}

func given(s string, change func(*regexp.Regexp)) bool {
	re := givenRE
	change(re)
	// want C: passes givenRE on. (end)
	return re.MatchString(s) // hot: regexp.(*Regexp).MatchString
}
