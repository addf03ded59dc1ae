package regexpcode

import (
	"errors"
	"fmt"
	"go/format"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Code is what replaces a pattern.
type Code struct {
	Text    string   // functions, formatted
	Imports []string // what they use
}

// Generate returns a function that has the parameters and the results of a method of regexp.Regexp for a
// pattern. FindAllString and FindAllStringIndex lose the number of matches, and find all. A replacement
// is taken as it is, also if it has a $. The error is the reason, as the end of a sentence.
func Generate(pattern string, o Options) (Code, error) {
	m, ok := methods[o.Method]
	if !ok {
		return Code{}, fmt.Errorf("%s is not supported", o.Method)
	}
	w := &writer{Options: o, method: m}
	if err := w.generate(pattern); err != nil {
		return Code{}, err
	}
	text, err := format.Source([]byte(w.body.String() + w.helperTexts()))
	if err != nil {
		return Code{}, fmt.Errorf("internal error: the function for %q does not parse: %w", pattern, err)
	}
	return Code{strings.TrimSpace(string(text)), w.imports}, nil
}

// hasSurrogate reports whether a pattern has half of a UTF-16 pair, alone or at the end of a range.
func hasSurrogate(re *syntax.Regexp) bool {
	return slices.ContainsFunc(re.Rune, func(r rune) bool { return !utf8.ValidRune(r) }) || slices.ContainsFunc(re.Sub, hasSurrogate)
}

func (w *writer) generate(pattern string) error {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err
	}
	if hasSurrogate(re) {
		return errors.New("it has a surrogate, which no text has")
	}
	p := &parser{submatches: w.wantsGroups(), optional: make(map[int]bool)}
	q, notSequence := p.parse(re)
	if w.want != wantMatch {
		if notSequence != nil {
			return notSequence
		}
		return writeSequence(w, p, q, re.MaxCap())
	}
	if notSequence == nil && len(q) > 0 {
		if writeSequence(w, p, q, 0) == nil {
			return nil
		}
		*w = writer{Options: w.Options, method: w.method}
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return err
	}
	a, err := newAutomaton(prog)
	if err != nil {
		return err
	}
	prefix, _ := prog.Prefix()
	a.write(w, prefix)
	return nil
}
