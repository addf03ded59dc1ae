package advice

import (
	"cmp"
	"slices"
	"strings"
)

// A hit is what a rule matches at a site, and the part of the line's values that it is about.
type hit struct {
	site  *Site
	rule  *Rule
	match Match
	part  matched
}

// found is a finding and what it was made of.
type found struct {
	Finding
	rule  *Rule
	about about
	gain  float64
	sites []*Site
	head  matched
}

// finding is a hit as a finding without its cost, its rewrite and its ID.
func (h *hit) finding() Finding {
	s, m, r := h.site, &h.match, h.rule
	pos := s.Fset.Position(m.Node.Pos())
	return Finding{
		Rule: r.ID, Class: cmp.Or(m.Class, r.Class), State: Bounded, Title: cmp.Or(m.Title, r.Title), Why: m.Why,
		Package: s.Package.Path, Function: s.functionName(), Symbol: s.hot.function, File: pos.Filename, Line: pos.Line, Column: pos.Column,
		Text: strings.TrimSpace(s.lineText(pos.Line)),
	}
}

// has reports whether a sample at a line is below some finding.
func (x *examiner) has(at place, below []string) bool {
	below = slices.Clone(below)
	slices.Reverse(below)
	for _, f := range x.found {
		for _, s := range f.sites {
			if s.hot.place == at && f.about.has(below) {
				return true
			}
		}
	}
	return false
}
