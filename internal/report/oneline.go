package report

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// oneLine writes the ends of lines in a text as escapes. In text reports, and in Callgrind's
// format, a line is a fact: a name with a newline could add facts of its own. Nor does a text
// become a command to the service that runs hone.
func oneLine(s string) string { return NoCommands(lineEnds.Replace(s)) }

var lineEnds = strings.NewReplacer("\n", `\n`, "\r", `\r`)

func leavesLine(s string) bool {
	return strings.ContainsAny(s, "\n\r") || strings.Contains(s, "##") || strings.Contains(s, "::") && oneLine(s) != s
}

// NoCommands returns a text in whose lines CI services find no commands: GitHub those that
// begin with "::error file=x.go::", and it, Azure and TeamCity "##vso[task.complete]" anywhere.
// Their first sign becomes an escape.
func NoCommands(text string) string {
	if strings.Contains(text, "::") {
		text = atStart.ReplaceAllString(text, `$1\u003a:$2`)
	}
	if strings.Contains(text, "##") {
		text = anywhere.ReplaceAllString(text, `\u0023#$1`)
	}
	return text
}

var (
	atStart  = lazyregexp.New(`(?m)^([\pZ\pC\t]*)::(\w.*::)`)
	anywhere = lazyregexp.New(`##(\w*\[)`)
)

// byLines is the report for forms made of lines: no text of its profile ends one.
func byLines(r *Report) *Report {
	q := *r
	q.prof = oneLineProfile(r.prof)
	if q.prof == r.prof {
		return r
	}
	q.sampleType, q.sampleUnit, q.outputUnit = oneLine(r.sampleType), oneLine(r.sampleUnit), oneLine(r.outputUnit)
	q.units = make(map[string]string, len(r.units))
	for key, unit := range r.units {
		q.units[oneLine(key)] = oneLine(unit)
	}
	return &q
}

// oneLineProfile returns p itself if there is nothing to escape.
func oneLineProfile(p *profile.Profile) *profile.Profile {
	q := *p
	changed := false
	all := func(texts []string) []string {
		if !slices.ContainsFunc(texts, leavesLine) {
			return texts
		}
		changed = true
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = oneLine(texts[i])
		}
		return texts
	}
	one := func(s *string) {
		if leavesLine(*s) {
			*s, changed = oneLine(*s), true
		}
	}
	q.Strings, q.Comments = all(p.Strings), all(p.Comments)
	for _, s := range []*string{&q.DefaultSampleType, &q.PeriodType.Type, &q.PeriodType.Unit, &q.DocURL, &q.DropFrames, &q.KeepFrames} {
		one(s)
	}
	q.SampleTypes = slices.Clone(p.SampleTypes)
	for i := range q.SampleTypes {
		one(&q.SampleTypes[i].Type)
		one(&q.SampleTypes[i].Unit)
	}
	q.Mappings = slices.Clone(p.Mappings)
	for i := range q.Mappings {
		one(&q.Mappings[i].File)
		one(&q.Mappings[i].BuildID)
	}
	if !changed {
		return p
	}
	return &q
}
