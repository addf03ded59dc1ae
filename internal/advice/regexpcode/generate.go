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

// Options say which function to write.
type Options struct {
	Name    string // of the function
	Pattern string // the variable with the pattern, for comments
	Method  string // of regexp.Regexp whose place the function takes
	Test    string // the test that compares both, for comments
	// Unused returns an unused name for another function, based on one. With nil, names are unused.
	Unused func(want string) string
}

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

// A want is what a function returns.
type want byte

const (
	wantMatch want = iota
	wantText
	wantIndex
	wantSubmatch
	wantSubmatchIndex
	wantAll
	wantAllIndex
	wantReplace
)

// every reports whether a function goes on after the first match.
func (w want) every() bool { return w >= wantAll }

// A method is one of regexp.Regexp.
type method struct {
	want      want
	bytesText bool // the text is a []byte
}

var methods = map[string]method{
	"MatchString": {wantMatch, false}, "Match": {wantMatch, true},
	"FindString": {wantText, false}, "Find": {wantText, true},
	"FindStringIndex": {wantIndex, false}, "FindIndex": {wantIndex, true},
	"FindStringSubmatch": {wantSubmatch, false}, "FindSubmatch": {wantSubmatch, true},
	"FindStringSubmatchIndex": {wantSubmatchIndex, false}, "FindSubmatchIndex": {wantSubmatchIndex, true},
	"FindAllString": {wantAll, false}, "FindAllStringIndex": {wantAllIndex, false},
	"ReplaceAllString": {wantReplace, false}, "ReplaceAllLiteralString": {wantReplace, false},
}

// Supports reports whether Generate knows a method of regexp.Regexp.
func Supports(name string) bool {
	_, ok := methods[name]
	return ok
}

func (m method) wantsGroups() bool { return m.want == wantSubmatch || m.want == wantSubmatchIndex }

func (m method) textType() string {
	if m.bytesText {
		return "[]byte"
	}
	return "string"
}

// nothing is the text of a submatch that takes no part.
func (m method) nothing() string {
	if m.bytesText {
		return "nil"
	}
	return `""`
}

// result is the type of the function's result.
func (m method) result() string {
	switch m.want {
	case wantMatch:
		return "bool"
	case wantText:
		return m.textType()
	case wantReplace:
		return "string"
	case wantSubmatch, wantAll:
		return "[]" + m.textType()
	case wantAllIndex:
		return "[][]int"
	}
	return "[]int"
}

// arguments are those of the function and of the method, for a text.
func (m method) arguments(text string) (function, method string) {
	if m.bytesText {
		text = "[]byte(" + text + ")"
	}
	switch m.want {
	case wantAll, wantAllIndex:
		return text, text + ", -1"
	case wantReplace:
		return text + `, "<>"`, text + `, "<>"`
	}
	return text, text
}

// none is the result without a match.
func (m method) none() string {
	switch m.want {
	case wantMatch:
		return "false"
	case wantText:
		return m.nothing()
	}
	return "nil"
}

// head writes the comment of the function and its first line.
func (w *writer) head() {
	v := w.v()
	does := map[want]string{
		wantMatch:         "reports whether %[1]s matches %[2]s",
		wantText:          "returns the first match of %[2]s in %[1]s, or " + w.none(),
		wantIndex:         "returns where the first match of %[2]s in %[1]s begins and ends, or nil",
		wantSubmatch:      "returns the first match of %[2]s in %[1]s and its submatches, or nil",
		wantSubmatchIndex: "returns where the first match of %[2]s in %[1]s and its submatches begin and end, or nil",
		wantAll:           "returns all matches of %[2]s in %[1]s, or nil",
		wantAllIndex:      "returns where each match of %[2]s in %[1]s begins and ends, or nil",
		wantReplace:       "returns %[1]s with all matches of %[2]s replaced",
	}[w.want]
	w.printf("// %s %s.\n", w.Name, fmt.Sprintf(does, v, w.Pattern))
	if w.Test != "" {
		w.printf("// It does without package regexp; %s compares both.\n", w.Test)
	}
	if w.want == wantReplace {
		v += ", with"
	}
	w.printf("func %s(%s %s) %s {\n", w.Name, v, w.textType(), w.result())
}

func (w *writer) unused(want string) string {
	if w.Unused == nil {
		return want
	}
	return w.Unused(want)
}
