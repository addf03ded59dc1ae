package shared

import "regexp"

// matches hands the pattern to nobody.
func matches(s string) bool {
	// want B: into a variable of the package. Check that no variable of the package is initialized
	ok, _ := regexp.MatchString("a+b", s) // hot: regexp.MustCompile
	return ok
}

func chained(s string) bool {
	// want B: into a variable of the package. Check that no variable of the package is initialized
	return regexp.MustCompile("a+b").MatchString(s) // hot: regexp.MustCompile
}

func asked(s string) string {
	// want B: into a variable of the package. Check that no variable of the package is initialized
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	if re.MatchString(s) {
		return re.FindString(s)
	}
	return ""
}

func returned() *regexp.Regexp {
	// want B: Check that nothing calls its method Longest, which would change it for all callers, or compares it by ==. Check that no variable
	return regexp.MustCompile("a+b") // hot: regexp.MustCompile
}

func given(s string, change func(*regexp.Regexp)) bool {
	// want B: Check that nothing calls its method Longest
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	change(re)
	return re.MatchString(s)
}

func method() func(string) bool {
	// want B: Check that nothing calls its method Longest
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	return re.MatchString
}
