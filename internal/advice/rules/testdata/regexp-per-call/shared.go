package shared

import "regexp"

// matches hands the pattern to nobody.
func matches(s string) bool {
	// want B: in a package variable
	ok, _ := regexp.MatchString("a+b", s) // hot: regexp.MustCompile
	return ok
}

func chained(s string) bool {
	// want B: in a package variable
	return regexp.MustCompile("a+b").MatchString(s) // hot: regexp.MustCompile
}

func asked(s string) string {
	// want B: in a package variable
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	if re.MatchString(s) {
		return re.FindString(s)
	}
	return ""
}

func returned() *regexp.Regexp {
	// want B: Check that no code calls its Longest method
	return regexp.MustCompile("a+b") // hot: regexp.MustCompile
}

func given(s string, change func(*regexp.Regexp)) bool {
	// want B: Check that no code calls its Longest method
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	change(re)
	return re.MatchString(s)
}

func method() func(string) bool {
	// want B: Check that no code calls its Longest method
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	return re.MatchString
}
