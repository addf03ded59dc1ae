package store

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// What a selector may cost. The time that a pattern takes is that of its text,
// times its steps: (x{100}){100} has 10,000. All series are matched, so a pattern
// of 440 bytes took 1.6 s for each value of 1000 bytes.
const (
	maxSelectorText = 16 << 10
	maxMatchers     = 64
	maxPatternText  = 4 << 10 // maximum length of a pattern that is not a list of texts
	maxSteps        = 500     // of all patterns of a selector
)

// A pattern is what =~ and !~ compare with.
type pattern struct {
	texts map[string]bool // all that it matches, if it is a list of texts
	re    *regexp.Regexp  // if not
	is    func(value string) bool
	steps int
}

// newPattern reads a pattern of package regexp.
func newPattern(text string) (*pattern, error) {
	if texts, ok := alternatives(text); ok {
		return &pattern{texts: texts}, nil
	}
	n, err := cost(text)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile("^(?s:" + text + ")$")
	return &pattern{re: re, steps: n}, err
}

// CheckPattern returns an error unless a text is a pattern of package regexp that
// costs no more than one of a selector may.
func CheckPattern(text string) error {
	_, err := cost(text)
	return err
}

// cost returns how many steps a pattern has.
func cost(text string) (int, error) {
	if len(text) > maxPatternText {
		return 0, fmt.Errorf("the pattern has %d bytes, the limit is %d", len(text), maxPatternText)
	}
	// Alone: "a)(b" would be a pattern inside of parentheses.
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := steps(tree)
	if n > maxSteps {
		return 0, fmt.Errorf("the pattern has more than %d steps, repetitions multiplied out", maxSteps)
	}
	return n, nil
}

func (p *pattern) matches(value string) bool {
	switch {
	case p.texts != nil:
		return p.texts[value]
	case p.is != nil:
		return p.is(value)
	}
	return p.re.MatchString(value)
}

// alternatives returns the texts that a pattern is a list of: a|b\.c|d.
func alternatives(text string) (map[string]bool, bool) {
	texts := map[string]bool{}
	var one []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '|':
			texts[string(one)] = true
			one = one[:0]
		case c == '\\':
			// What follows is itself if it is punctuation.
			if i++; i == len(text) || text[i] >= utf8.RuneSelf || regexp.QuoteMeta(text[i:i+1]) == text[i:i+1] {
				return nil, false
			}
			one = append(one, text[i])
		case strings.IndexByte(`.+*?()[]{}^$`, c) >= 0:
			return nil, false
		default:
			one = append(one, c)
		}
	}
	texts[string(one)] = true
	return texts, true
}

// steps returns how many steps a pattern has as a program, or some number above
// maxSteps.
func steps(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCapture:
		n = 2
	case syntax.OpRepeat:
		times := max(re.Min, re.Max, 1)
		n = 1 + times
		if once := steps(re.Sub[0]); once > maxSteps/times {
			n = maxSteps + 1
		} else {
			n += times * once
		}
		return n
	case syntax.OpAlternate:
		n = len(re.Sub)
	}
	for _, sub := range re.Sub {
		if n > maxSteps {
			break
		}
		n += steps(sub)
	}
	return n
}
