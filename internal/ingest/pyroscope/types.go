package pyroscope

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// A profileType is Pyroscope's name for a kind of profile and one of its sample
// types: name:sample type:sample unit:period type:period unit.
type profileType struct {
	name           string
	sample, period profile.ValueType
}

func (t profileType) String() string {
	parts := []string{t.name, t.sample.Type, t.sample.Unit, t.period.Type, t.period.Unit}
	for i := range parts {
		parts[i] = escapePart(parts[i])
	}
	return strings.Join(parts, ":")
}

// labels returns Pyroscope's labels for a profile type.
func (t profileType) labels() map[string]string {
	return map[string]string{labelName: t.name, labelProfileType: t.String(), labelType: validText(t.sample.Type), labelUnit: validText(t.sample.Unit),
		labelPeriodType: validText(t.period.Type), labelPeriodUnit: validText(t.period.Unit)}
}

// escapePart returns a text as a part of the ID of a profile type. It escapes colons, braces
// (which start the selector of a query) and bytes that aren't UTF-8, as in a URL.
func escapePart(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, ":{%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1, r == ':', r == '{', r == '%' && escaped.MatchString(text[i:]):
			fmt.Fprintf(&b, "%%%02X", text[i])
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

var escaped = lazyregexp.New("^%[0-9A-Fa-f]{2}")

// unescapePart undoes escapePart; other uses of % are left alone.
func unescapePart(text string) string {
	before, rest, ok := strings.Cut(text, "%")
	if !ok {
		return text
	}
	out := []byte(before)
	for ok {
		var b [1]byte
		if n, err := hex.Decode(b[:], []byte(rest[:min(len(rest), 2)])); err == nil && n == 1 {
			out, rest = append(out, b[0]), rest[2:]
		} else {
			out = append(out, '%')
		}
		before, rest, ok = strings.Cut(rest, "%")
		out = append(out, before...)
	}
	return string(out)
}

// validText replaces bytes of a text that protobuf doesn't allow.
func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// validProfile returns p with texts that protobuf allows. Otherwise a single name that
// isn't UTF-8 would make the whole answer fail.
func validProfile(p *profile.Profile) *profile.Profile {
	q := *p
	if slices.ContainsFunc(p.Strings, func(s string) bool { return !utf8.ValidString(s) }) {
		q.Strings = slices.Clone(p.Strings)
		for i := range q.Strings {
			q.Strings[i] = validText(q.Strings[i])
		}
	}
	q.SampleTypes, q.Mappings, q.Comments = slices.Clone(p.SampleTypes), slices.Clone(p.Mappings), slices.Clone(p.Comments)
	for i := range q.SampleTypes {
		q.SampleTypes[i] = profile.ValueType{Type: validText(q.SampleTypes[i].Type), Unit: validText(q.SampleTypes[i].Unit)}
	}
	for i := range q.Mappings {
		q.Mappings[i].File, q.Mappings[i].BuildID = validText(q.Mappings[i].File), validText(q.Mappings[i].BuildID)
	}
	for i := range q.Comments {
		q.Comments[i] = validText(q.Comments[i])
	}
	q.PeriodType = profile.ValueType{Type: validText(p.PeriodType.Type), Unit: validText(p.PeriodType.Unit)}
	for _, text := range []*string{&q.DefaultSampleType, &q.DocURL, &q.DropFrames, &q.KeepFrames} {
		*text = validText(*text)
	}
	return &q
}

func parseProfileType(id string) (profileType, error) {
	parts := strings.Split(id, ":")
	if len(parts) != 5 && !(len(parts) == 6 && parts[5] == "delta") || parts[0] == "" || parts[1] == "" {
		return profileType{}, badRequest("invalid profile type %.200q: use name:type:unit:period_type:period_unit", id)
	}
	for i := range parts {
		parts[i] = unescapePart(parts[i])
	}
	return profileType{parts[0], profile.ValueType{Type: parts[1], Unit: parts[2]}, profile.ValueType{Type: parts[3], Unit: parts[4]}}, nil
}

// splitQuery divides a query into its profile type and its selector. Both may be missing.
func splitQuery(text string) (typeID, selector string) {
	typeID, selector, ok := strings.Cut(text, "{")
	if ok {
		selector = "{" + selector
	}
	return strings.TrimSpace(typeID), selector
}

// Labels that Pyroscope derives from the type of a profile.
const (
	labelProfileType = "__profile_type__"
	labelType        = "__type__"
	labelUnit        = "__unit__"
	labelPeriodType  = "__period_type__"
	labelPeriodUnit  = "__period_unit__"
)

// isTypeLabel reports whether a label is one of those of a profile type.
func isTypeLabel(name string) bool {
	switch name {
	case labelName, labelProfileType, labelType, labelUnit, labelPeriodType, labelPeriodUnit:
		return true
	}
	return false
}
