package quoted

import "regexp"

func anyCase(line, query string) (bool, error) {
	// want B: package strings does that
	return regexp.MatchString("(?i)"+regexp.QuoteMeta(query), line) // hot: regexp.MatchString regexp.Compile
}

func contains(lines []string, query string) (n int) {
	for _, line := range lines {
		// want B: package strings does that
		if ok, _ := regexp.MatchString(regexp.QuoteMeta(query), line); ok { // hot: regexp.MatchString regexp.Compile
			n++
		}
	}
	return n
}

func whole(line, query string) bool {
	// want B: package strings does that
	return !regexp.MustCompile("^" + regexp.QuoteMeta(query) + "$").MatchString(line) // hot: regexp.MustCompile regexp.compile
}

func wholeAnyCase(line, query string) bool {
	// want B: package strings does that
	return regexp.MustCompile("(?i)^" + (regexp.QuoteMeta(query) + "$")).MatchString(line) // hot: regexp.MustCompile regexp.compile
}

func begins(line, query string) (bool, error) {
	// want B: package strings does that
	ok, err := regexp.MatchString("^"+regexp.QuoteMeta(query), line) // hot: regexp.MatchString regexp.Compile
	return ok, err
}

func ends(line, query string) (ok bool, err error) {
	// want B: package strings does that
	ok, err = regexp.MatchString(regexp.QuoteMeta(query)+"$", line) // hot: regexp.MatchString regexp.Compile
	return ok, err
}

// constant needs no rewriting into strings: the pattern is compiled once.
func constant(line string) (bool, error) {
	// want B: the same pattern
	return regexp.MatchString("^[a-z]+$", line) // hot: regexp.MatchString regexp.Compile
}

// Neither of these is a text alone, or is asked for more than whether it is there.
func word(line, query string) (bool, error) {
	// want C: compiles a pattern that is built at run time
	return regexp.MatchString(`\b`+regexp.QuoteMeta(query)+`\b`, line) // hot: regexp.MatchString regexp.Compile
}

func beginsAnyCase(line, query string) (bool, error) {
	// want C: compiles a pattern on each call only to find a fixed text
	return regexp.MatchString("(?i)^"+regexp.QuoteMeta(query), line) // hot: regexp.MatchString regexp.Compile
}

func find(line, query string) string {
	// want C: compiles a pattern on each call only to find a fixed text
	return regexp.MustCompile(regexp.QuoteMeta(query)).FindString(line) // hot: regexp.MustCompile regexp.compile
}

func swapped(line, query func() string) (bool, error) {
	// want C: compiles a pattern on each call only to find a fixed text
	return regexp.MatchString(regexp.QuoteMeta(query()), line()) // hot: regexp.MatchString regexp.Compile
}
