package report

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/hone-go/hone/profile"
)

// rawFind says which records of a profile are shown: those that match, the samples through locations that match, and
// what these samples and locations refer to.
type rawFind struct {
	pattern           *regexp.Regexp // of names, files and labels; nil for an id
	location, mapping uint64         // ids, 0 for none
}

// newRawFind reads a text to find: "location ID", "mapping ID", or a regular expression of names, files and labels. It
// returns nil for "".
func newRawFind(text string) (*rawFind, error) {
	if text == "" {
		return nil, nil
	}
	if kind, id, ok := strings.Cut(text, " "); ok {
		if n, err := strconv.ParseUint(id, 10, 64); err == nil && n > 0 {
			switch kind {
			case "location":
				return &rawFind{location: n}, nil
			case "mapping":
				return &rawFind{mapping: n}, nil
			}
		}
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, &ParamError{"find", err}
	}
	return &rawFind{pattern: pattern}, nil
}

// records returns which samples, locations and mappings are shown.
func (f *rawFind) records(p *profile.Profile) (kept [3][]bool) {
	match := f.strings(p)
	mappings := make([]bool, len(p.Mappings))
	for i, m := range p.Mappings {
		mappings[i] = m.ID == f.mapping || f.pattern != nil && (f.pattern.MatchString(m.File) || f.pattern.MatchString(m.BuildID))
	}
	locations := make([]bool, len(p.Locations))
	for i, l := range p.Locations {
		locations[i] = l.ID == f.location || f.mapping != 0 && l.Mapping > 0 && mappings[l.Mapping-1]
		for _, line := range p.LocationLines(uint32(i)) {
			fn := &p.Functions[line.Function]
			locations[i] = locations[i] || match[fn.Name] || match[fn.SystemName] || match[fn.File]
		}
	}
	sets := make([]bool, len(p.LabelSets))
	for i, set := range p.LabelSets {
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			sets[i] = sets[i] || match[l.Key] || match[l.Str]
		}
	}
	samples := make([]bool, len(p.Stacks))
	used := make([]bool, len(p.Locations))
	for s := range p.Stacks {
		stack := p.Stack(s)
		samples[s] = p.SampleLabels != nil && sets[p.SampleLabels[s]]
		for _, l := range stack {
			samples[s] = samples[s] || locations[l]
		}
		if samples[s] {
			for _, l := range stack {
				used[l] = true
			}
		}
	}
	for i, l := range p.Locations {
		locations[i] = locations[i] || used[i]
		if locations[i] && l.Mapping > 0 {
			mappings[l.Mapping-1] = true
		}
	}
	return [3][]bool{samples, locations, mappings}
}

// strings returns which of a profile's strings match.
func (f *rawFind) strings(p *profile.Profile) []bool {
	match := make([]bool, len(p.Strings))
	for i, text := range p.Strings {
		match[i] = f.pattern != nil && text != "" && f.pattern.MatchString(text)
	}
	return match
}
