package store

import "regexp"

// A Selector selects profiles by their labels: those that match all of it.
type Selector []Matcher

// A Matcher is a condition on one label.
type Matcher struct {
	Name  string
	Op    Op
	Value string // what is compared with; a pattern for the Ops that match
	re    *regexp.Regexp
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
		return m.re.MatchString(value)
	}
	return !m.re.MatchString(value)
}
