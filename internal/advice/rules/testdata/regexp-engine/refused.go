package refused

import "regexp"

var (
	longest = regexp.MustCompile(`^(a|ab)(c|bcd)$`)
	posix   = regexp.MustCompilePOSIX(`^a+b$`)
	passed  = regexp.MustCompile(`^a+b$`)
	built   = regexp.MustCompile(`^` + hex() + `+$`)
)

func hex() string { return "[0-9a-f]" }

func use(re *regexp.Regexp) { re.Longest() }

func refused(text string) (n int) {
	longest.Longest()
	use(passed)
	// want C: step by step. Replace it with a loop, or first check for a text that every match contains. No function is generated from the pattern: line 17 calls Longest, which changes it. (end)
	if longest.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: a POSIX pattern prefers the longest match. (end)
	if posix.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: line 18 passes passed on. (end)
	if passed.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: its text isn't constant. (end)
	if built.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
