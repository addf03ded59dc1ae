package fnmetrics

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/store"
)

// labels returns the labels of a series.
func (r *Rule) labels(group store.Labels, of member) []store.Label {
	out := make([]store.Label, len(r.By))
	for i, name := range r.By {
		out[i].Name = name
		switch name {
		case ByFunction:
			out[i].Value = of.function
		case ByPackage:
			out[i].Value = of.pkg
		default:
			out[i].Value = group.Get(name)
		}
		out[i].Value = printable(out[i].Value)
	}
	return out
}

// groupID identifies the group of profiles that a series is from.
func (r *Rule) groupID(labels []store.Label) string {
	return seriesID(slices.DeleteFunc(slices.Clone(labels), func(l store.Label) bool { return l.Name == ByFunction || l.Name == ByPackage }))
}

// otherLabels returns the labels of the series other, none if the rule has no labels.
func (r *Rule) otherLabels() []store.Label {
	var out []store.Label
	for _, name := range r.By {
		out = append(out, store.Label{Name: name, Value: OtherValue})
	}
	return out
}

// seriesID identifies labels of a rule.
func seriesID(labels []store.Label) string {
	var b strings.Builder
	for _, l := range labels {
		b.WriteString(l.Value)
		b.WriteByte(0)
	}
	return b.String()
}

func compareLabels(a, b []store.Label) int {
	return slices.CompareFunc(a, b, func(a, b store.Label) int { return cmp.Compare(a.Value, b.Value) })
}

// printable returns a text with escapes for what a terminal would obey: the formats of metrics
// escape only quotes and ends of lines.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) || c == unicode.ReplacementChar }) {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}
