package bench

import (
	"fmt"
	"regexp"
	"strings"
)

// checkPatterns finds mistakes in regular expressions before anything is built.
func checkPatterns(patterns ...string) error {
	for _, p := range patterns {
		for _, element := range splitPattern(p) {
			if _, err := regexp.Compile(element); err != nil {
				return fmt.Errorf("pattern %q: %w", p, err)
			}
		}
	}
	return nil
}

// narrow returns a pattern for the matches of pattern below one top-level
// benchmark.
func narrow(pattern, name string) (string, bool) {
	elements := splitPattern(pattern)
	re, err := regexp.Compile(elements[0])
	if err != nil || !re.MatchString(name) {
		return "", false
	}
	elements[0] = "^" + name + "$"
	return strings.Join(elements, "/"), true
}

// splitPattern cuts a pattern at slashes outside of brackets, as package
// testing does.
func splitPattern(pattern string) []string {
	var elements []string
	start, square, round := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '[':
			square++
		case ']':
			square = max(0, square-1)
		case '(':
			if square == 0 {
				round++
			}
		case ')':
			if square == 0 {
				round--
			}
		case '\\':
			i++
		case '/':
			if square == 0 && round == 0 {
				elements = append(elements, pattern[start:i])
				start = i + 1
			}
		}
	}
	return append(elements, pattern[start:])
}
