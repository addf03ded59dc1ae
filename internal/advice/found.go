package advice

import (
	"cmp"
	"fmt"
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

// An occurrence is what a rule matches at one place: the first hit there, whose part is that of all. A call
// over several lines has several, and a generic function.
type occurrence struct {
	hit
	sites []*Site
	head  Finding // which rule, where and why
}

// placesOf puts hits of a rule at one place together, in the order of the first.
func placesOf(hits []hit) []*occurrence {
	var all []*occurrence
	at := make(map[string]*occurrence) // by rule and position
	taken := make(map[string]bool)
	for _, h := range hits {
		head := h.finding()
		key := fmt.Sprintf("%s %s:%d:%d", head.Rule, head.File, head.Line, head.Column)
		if f := at[key]; f != nil {
			f.sites = append(f.sites, h.site)
			for subject, v := range h.part {
				f.part.of(subject).add(v)
			}
			continue
		}
		// The rule and a number made of what the place is, not where. Places that are the
		// same count up.
		head.ID = newID(&head, func(id string) bool { return taken[id] }, head.Text)
		taken[head.ID] = true
		at[key] = &occurrence{h, []*Site{h.site}, head}
		all = append(all, at[key])
	}
	return all
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

// specific leaves generic rules out where another one knows the line: what says more than
// "something is allocated here" is enough.
func specific(places []*occurrence) []*occurrence {
	line := func(f *occurrence) string { return fmt.Sprintf("%s:%d", f.head.File, f.head.Line) }
	known := make(map[string]bool)
	for _, f := range places {
		// A rule about the time of the line itself says nothing of what it allocates.
		if !f.rule.Generic && (f.rule.Frames != nil || f.rule.Allocates) {
			known[line(f)] = true
		}
	}
	return slices.DeleteFunc(places, func(f *occurrence) bool { return f.rule.Generic && known[line(f)] })
}

// disjoint has the time of each allocation count once on a line: it belongs to the finding about the
// function that allocates, and not to another one that is about what the line allocates.
func disjoint(places []*occurrence) {
	frames := make(map[*hot][]*occurrence)
	for _, f := range places {
		for _, s := range f.sites {
			frames[s.hot] = append(frames[s.hot], f)
		}
	}
	for _, f := range places {
		if !f.rule.Allocates {
			continue
		}
		a := f.rule.about(&f.match)
		part := make(matched)
		for _, s := range f.sites {
			a.others = nil
			for _, other := range frames[s.hot] {
				if re := other.rule.about(&other.match).frames; other.rule != f.rule && re != nil {
					a.others = append(a.others, re)
				}
			}
			for subject, v := range s.hot.match(a) {
				part.of(subject).add(v)
			}
		}
		f.part = part
	}
}

// covered returns the lines of findings, and what reports whether a sample at one of them is below some
// finding.
func covered(places []*occurrence) (lines map[*hot]bool, below func(at *hot, below []string, toLeaf bool) bool) {
	lines = make(map[*hot]bool)
	by := make(map[*hot][]about)
	for _, f := range places {
		if f.rule.Holds {
			continue // about memory, not about time
		}
		for _, s := range f.sites {
			lines[s.hot] = true
			by[s.hot] = append(by[s.hot], f.rule.about(&f.match))
		}
	}
	return lines, func(at *hot, below []string, toLeaf bool) bool {
		below = slices.Clone(below)
		slices.Reverse(below)
		return slices.ContainsFunc(by[at], func(a about) bool { return a.has(below, toLeaf) })
	}
}
