package generated

import "regexp"

var (
	versionRE = regexp.MustCompile(`^v(\d+)\.(\d+)$`) // as tags have it
	reLevel   = regexp.MustCompile(`\b(ERROR|WARN)\b`)
	number    = regexp.MustCompile(`\d+(?:\.\d+)?`)
)

// versions has two calls that share a function.
func versions(a, b string, c []byte) (n int) {
	// want B: matchVersion
	if versionRE.MatchString(a) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want B: matchVersion
	if !versionRE.MatchString(b + "0") { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want B: findVersionSubmatch
	if m := versionRE.FindStringSubmatch(a); m != nil { // hot: regexp.(*Regexp).FindStringSubmatch
		n += len(m[1])
	}
	// want B: TestLevelBytesMatchesItsPattern compares the two. Review the function, and fuzz it: go test -fuzz FuzzLevelBytesMatchesItsPattern. (end)
	if reLevel.Match(c) { // hot: regexp.(*Regexp).Match
		n++
	}
	// want B: findNumberIndex
	return n + len(number.FindStringIndex(a)) // hot: regexp.(*Regexp).FindStringIndex
}
