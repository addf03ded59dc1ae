package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Label is a name and its value.
type Label struct{ Name, Value string }

// Labels are labels with distinct names, sorted by name. A label with an empty value is
// the same as no label, and left out.
type Labels []Label

// Names of labels that hone uses. The first two are required.
const (
	LabelService  = "service"
	LabelKind     = "kind" // what was profiled: cpu, wall, heap, allocs, mutex, block, goroutine, goroutineleak, threadcreate, ...
	LabelVersion  = "version"
	LabelZone     = "zone"
	LabelInstance = "instance"
)

// NewLabels sorts labels. If several have the same name, the last one wins. It fails if a
// name is not valid (see CheckName) or a text is not UTF-8.
func NewLabels(ls ...Label) (Labels, error) {
	out := make(Labels, 0, len(ls))
	for i, l := range ls {
		if err := CheckName(l.Name); err != nil {
			return nil, err
		}
		if !utf8.ValidString(l.Value) {
			return nil, fmt.Errorf("the value of label %s is not UTF-8", l.Name)
		}
		later := func(m Label) bool { return m.Name == l.Name }
		if l.Value != "" && !slices.ContainsFunc(ls[i+1:], later) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// CheckName returns an error unless name is a valid label name: UTF-8 without characters
// that control terminals or turn the direction of text.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("empty label name")
	case !utf8.ValidString(name):
		return fmt.Errorf("invalid label name %q: it is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
		return fmt.Errorf("invalid label name %q: use characters that can be printed", name)
	}
	return nil
}

// IsPlain reports whether selectors can have a label name, or a kind, without quotes: it has
// a letter or underscore, then letters, digits, underscores, dots and dashes.
func IsPlain(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i], i == 0) {
			return false
		}
	}
	return name != ""
}

// quoteName returns a label name as selectors have it.
func quoteName(name string) string {
	if IsPlain(name) {
		return name
	}
	return strconv.Quote(name)
}

// Get returns the value of a label, or "".
func (ls Labels) Get(name string) string {
	i, ok := slices.BinarySearchFunc(ls, name, func(l Label, name string) int { return cmp.Compare(l.Name, name) })
	if !ok {
		return ""
	}
	return ls[i].Value
}

// Select returns the labels with the given names.
func (ls Labels) Select(names []string) Labels {
	var out Labels
	for _, l := range ls {
		if slices.Contains(names, l.Name) {
			out = append(out, l)
		}
	}
	return out
}

// Compare orders labels: name by name, then value by value.
func (ls Labels) Compare(other Labels) int {
	return slices.CompareFunc(ls, other, func(a, b Label) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
}

// String returns the labels as a selector that matches them.
func (ls Labels) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, l := range ls {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteName(l.Name) + "=" + strconv.Quote(l.Value))
	}
	b.WriteByte('}')
	return b.String()
}

// LabelValues are the values of one label.
type LabelValues struct {
	Name   string
	Values []string
}

// A LabelSet collects label names and values for the Labels method of a [Store].
type LabelSet map[string]map[string]bool

// Add adds labels.
func (s LabelSet) Add(labels Labels) {
	for _, l := range labels {
		if s[l.Name] == nil {
			s[l.Name] = map[string]bool{}
		}
		s[l.Name][l.Value] = true
	}
}

// List returns names and values, both sorted.
func (s LabelSet) List() []LabelValues {
	out := make([]LabelValues, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		out = append(out, LabelValues{name, slices.Sorted(maps.Keys(s[name]))})
	}
	return out
}
