package regexpcode

// Options say which function to write.
type Options struct {
	Name    string // of the function
	Pattern string // the variable with the pattern, for comments
	Method  string // of regexp.Regexp, which the function replaces
	Test    string // the test that compares both, for comments
	// Unused returns an unused name for another function, based on one. With nil, names are unused.
	Unused func(want string) string
}

// A want says what a function returns.
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
