package local

import "regexp"

// The rewrites here use the package variable itself, so that nothing hides the pattern from other rules.

func declared(s string) bool {
	// Names begin with a letter.
	// want B: in a package variable
	var name *regexp.Regexp = regexp.MustCompile("^[a-z]") // hot: regexp.MustCompile

	return (name).MatchString(s)
}

func blank(s string) int {
	n := len(s)

	// want B: in a package variable
	re, _ := regexp.Compile("a+b") // hot: regexp.Compile

	count := func() int { return len(re.FindAllString(s, n)) }
	return count()
}

func checked(s string) (string, error) {
	// want B: in a package variable
	digits, err := regexp.Compile("[0-9]+") // hot: regexp.Compile
	if err != nil {
		return digits.String(), err
	}

	return digits.FindString(s), nil
}

func failed(s string) (string, error) {
	// want B: in a package variable
	digits, err := regexp.Compile("[0-9]+") // hot: regexp.Compile
	return digits.FindString(s), err
}

// These keep their variable.

func inCondition(s string) bool {
	// want B: in a package variable
	if re := regexp.MustCompile("a+b"); re.MatchString(s) { // hot: regexp.MustCompile
		return true
	}
	return false
}

func setAgain(s, pattern string) bool {
	// want B: in a package variable
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	if pattern != "" {
		re = find(pattern)
	}
	return re.MatchString(s)
}

func byAddress(s string, change func(**regexp.Regexp)) bool {
	// want B: in a package variable
	re := regexp.MustCompile("a+b") // hot: regexp.MustCompile
	change(&re)
	return re.MatchString(s)
}

func twoOfThem(s string) bool {
	// want B: in a package variable
	re, n := regexp.MustCompile("a+b"), len(s) // hot: regexp.MustCompile
	return n > 2 && re.MatchString(s)
}

func otherType(s string) bool {
	// want B: in a package variable
	var re interface{ MatchString(string) bool } = regexp.MustCompile("a+b") // hot: regexp.MustCompile
	return re.MatchString(s)
}

// want B: in a package variable
func oneLine(s string) bool { re := regexp.MustCompile("a+b"); return re.MatchString(s) } // hot: regexp.MustCompile

func find(pattern string) *regexp.Regexp { return nil }
