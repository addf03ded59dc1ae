package store

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Selector selects the profiles whose labels match all its conditions.
type Selector []Matcher

// A Matcher is a condition on one label. NewMatcher makes one; without it only
// the Ops that don't match a pattern work.
type Matcher struct {
	Name  string
	Op    Op
	Value string // what is compared with; a pattern for the Ops that match
	of    *pattern
}

// Op is how a Matcher compares.
type Op uint8

// The comparisons. A label that a profile doesn't have is the empty string.
const (
	Equal    Op = iota // =
	NotEqual           // !=
	Match              // =~, of the whole value
	NotMatch           // !~
)

// String returns the Op as selectors write it.
func (o Op) String() string { return [...]string{"=", "!=", "=~", "!~"}[o] }

// NewMatcher returns a Matcher. It fails if name is not a valid label name (see
// CheckName). If op needs a pattern, it also fails if value is not a valid pattern or is
// too expensive.
func NewMatcher(name string, op Op, value string) (Matcher, error) {
	m := Matcher{Name: name, Op: op, Value: value}
	if err := CheckName(name); err != nil {
		return m, err
	}
	if !utf8.ValidString(value) {
		return m, fmt.Errorf("the value of label %s is not UTF-8", name)
	}
	if op == Match || op == NotMatch {
		of, err := newPattern(value)
		if err != nil {
			return m, fmt.Errorf("the pattern of label %s: %w", name, err)
		}
		m.of = of
	}
	return m, nil
}

// NewMatchFunc returns a Matcher for the values that a function accepts. value is an
// equivalent pattern, for stores that can't call the function. NewMatchFunc doesn't check
// how expensive the pattern is.
func NewMatchFunc(name, value string, accepts func(value string) bool) (Matcher, error) {
	return Matcher{Name: name, Op: Match, Value: value, of: &pattern{is: accepts}}, CheckName(name)
}

// Matches reports whether labels are selected.
func (s Selector) Matches(ls Labels) bool {
	for i := range s {
		if !s[i].Matches(ls.Get(s[i].Name)) {
			return false
		}
	}
	return true
}

// Matches reports whether a value is what the Matcher asks for.
func (m *Matcher) Matches(value string) bool {
	switch m.Op {
	case Equal:
		return value == m.Value
	case NotEqual:
		return value != m.Value
	case Match:
		return m.of.matches(value)
	}
	return !m.of.matches(value)
}

// String returns the Matcher as selectors write it.
func (m *Matcher) String() string { return quoteName(m.Name) + m.Op.String() + strconv.Quote(m.Value) }

// String returns the selector in a form that ParseSelector reads.
func (s Selector) String() string {
	var b strings.Builder
	if len(s) > 0 && s[0].Name == LabelKind && s[0].Op == Equal && IsPlain(s[0].Value) {
		b.WriteString(s[0].Value)
		if s = s[1:]; len(s) == 0 {
			return b.String()
		}
	}
	b.WriteByte('{')
	for i := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s[i].String())
	}
	b.WriteByte('}')
	return b.String()
}

// A SelectorError tells where a selector can't be read, and why.
type SelectorError struct {
	Text   string // of the whole selector
	Offset int    // in bytes
	Msg    string
}

func (e *SelectorError) Error() string {
	return fmt.Sprintf("selector %s: at byte %d: %s", strconv.Quote(cutText(e.Text)), e.Offset, e.Msg)
}

// cutText shortens what messages quote.
func cutText(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// SelectorOf returns a selector for the labels with the given names, which have to be valid.
func SelectorOf(ls Labels, names ...string) Selector {
	var sel Selector
	for _, name := range names {
		if v := ls.Get(name); v != "" {
			if m, err := NewMatcher(name, Equal, v); err == nil {
				sel = append(sel, m)
			}
		}
	}
	return sel
}

// ParseSelector reads a selector: conditions on labels in braces, separated by
// commas, and in front of them or alone a word, which is the kind.
//
//	cpu{service="api", version=~"v1[.].*", zone!='b', instance!~`x|y`}
//	{service="api"}
//	heap
//
// Values are quoted as in Prometheus: inside of " and ' there are the escapes of
// Go, inside of ` none. Patterns are those of package regexp and have to match
// the whole value. Names of labels may be quoted, too, and have to be unless they are
// plain (see IsPlain): {"k8s.pod.name"="a", "http/route"="/b"}. What a
// selector costs is bounded: see maxSteps. Errors are of type *SelectorError.
func ParseSelector(text string) (Selector, error) {
	p := selectorParser{text: text}
	if len(text) > maxSelectorText {
		return nil, p.fail(0, "it has %d bytes, the limit is %d", len(text), maxSelectorText)
	}
	steps := 0
	p.blanks()
	var s Selector
	if kind := p.name(); kind != "" {
		m, err := NewMatcher(LabelKind, Equal, kind)
		if err != nil {
			return nil, p.fail(0, "%v", err)
		}
		s = append(s, m)
		p.blanks()
		if p.at == len(text) {
			return s, nil
		}
		if text[p.at] != '{' {
			return nil, p.expected("{ or the end of the selector")
		}
	} else if !p.next("{") {
		return nil, p.expected("a kind of profile or {")
	}
	p.skip("{")
	for p.blanks(); !p.skip("}"); {
		at := p.at
		m, err := p.matcher()
		if err != nil {
			return nil, err
		}
		if m.of != nil {
			steps += m.of.steps
		}
		switch s = append(s, m); {
		case len(s) > maxMatchers:
			return nil, p.fail(at, "there are more than %d conditions", maxMatchers)
		case steps > maxSteps:
			return nil, p.fail(at, "with this pattern there are more than %d steps, repetitions multiplied out", maxSteps)
		}
		p.blanks()
		if p.skip(",") {
			p.blanks()
		} else if !p.next("}") {
			return nil, p.expected(", or }")
		}
	}
	if p.blanks(); p.at < len(text) {
		return nil, p.expected("the end of the selector")
	}
	return s, nil
}

// selectorParser reads a selector from position at on.
type selectorParser struct {
	text string
	at   int
}

func (p *selectorParser) fail(at int, format string, args ...any) error {
	return &SelectorError{Text: p.text, Offset: at, Msg: fmt.Sprintf(format, args...)}
}

func (p *selectorParser) expected(what string) error {
	if p.at == len(p.text) {
		return p.fail(p.at, "expected %s, but the selector ends", what)
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return p.fail(p.at, "expected %s, found %q", what, r)
}

func (p *selectorParser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *selectorParser) next(token string) bool { return strings.HasPrefix(p.text[p.at:], token) }

// skip reports whether token is next, and steps over it.
func (p *selectorParser) skip(token string) bool {
	if !p.next(token) {
		return false
	}
	p.at += len(token)
	return true
}

// name returns the longest name that is next, "" if there is none.
func (p *selectorParser) name() string {
	end := p.at
	for end < len(p.text) && isNameByte(p.text[end], end == p.at) {
		end++
	}
	name := p.text[p.at:end]
	p.at = end
	return name
}

// isNameByte reports whether a name without quotes may contain c; see IsPlain.
func isNameByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || !first && (c >= '0' && c <= '9' || c == '.' || c == '-')
}

// labelName reads the name of a label, which may be quoted, as in Prometheus 3.
func (p *selectorParser) labelName() (string, error) {
	if p.next(`"`) || p.next("'") || p.next("`") {
		return p.quoted()
	}
	name := p.name()
	if name == "" {
		return "", p.expected("the name of a label or }")
	}
	return name, nil
}

func (p *selectorParser) matcher() (Matcher, error) {
	start := p.at
	name, err := p.labelName()
	if err != nil {
		return Matcher{}, err
	}
	p.blanks()
	var op Op
	switch {
	case p.skip("=~"):
		op = Match
	case p.skip("!~"):
		op = NotMatch
	case p.skip("!="):
		op = NotEqual
	case p.skip("="):
		op = Equal
	default:
		return Matcher{}, p.expected("one of = != =~ !~ after " + name)
	}
	p.blanks()
	valueAt := p.at
	value, err := p.quoted()
	if err != nil {
		return Matcher{}, err
	}
	m, err := NewMatcher(name, op, value)
	if err != nil {
		if op == Match || op == NotMatch {
			start = valueAt
		}
		return m, p.fail(start, "%v", err)
	}
	return m, nil
}

// quoted parses a quoted text and returns its value.
func (p *selectorParser) quoted() (string, error) {
	start := p.at
	if !p.next(`"`) && !p.next("'") && !p.next("`") {
		return "", p.expected("a value in quotes")
	}
	quote := p.text[p.at]
	p.at++
	if quote == '`' {
		raw, _, ok := strings.Cut(p.text[p.at:], "`")
		if !ok {
			return "", p.fail(start, "the quote that starts here is not closed: expected `")
		}
		p.at += len(raw) + 1
		return raw, nil
	}
	var value []byte
	for {
		switch {
		case p.at == len(p.text), p.next("\n"):
			return "", p.fail(start, "the quote that starts here is not closed: expected %c", quote)
		case p.text[p.at] == quote:
			p.at++
			return string(value), nil
		case p.text[p.at] != '\\':
			value = append(value, p.text[p.at])
			p.at++
			continue
		}
		r, multibyte, rest, err := strconv.UnquoteChar(p.text[p.at:], quote)
		if err != nil {
			return "", p.fail(p.at, `expected one of \a \b \f \n \r \t \v \\ \%c, \x and 2, \u and 4, \U and 8 hexadecimal digits, or \ and 3 octal ones`, quote)
		}
		if r < utf8.RuneSelf || !multibyte {
			value = append(value, byte(r))
		} else {
			value = utf8.AppendRune(value, r)
		}
		p.at = len(p.text) - len(rest)
	}
}
