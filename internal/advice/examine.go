package advice

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// examiner applies rules to hot lines, and to programs as a whole.
type examiner struct {
	*collector
	options *Options
	mods    []module
	mains   []string          // folders of commands
	found   map[string]*found // by rule and position
}

// report examines lines, the hottest first: each line's place in the source, what rules match
// there, and one finding for each place that they match.
func (x *examiner) report(inputs []Input, lines []*hot, src *source) *Report {
	report := &Report{Unexamined: src.unexamined}
	for _, p := range src.packages {
		report.Packages = append(report.Packages, p.Path)
	}
	var missed missed
	for _, h := range lines {
		p := src.files[h.file]
		if p == nil {
			continue // its package is unexamined as a whole, or the file belongs to none
		}
		if initializes(h.function) {
			continue
		}
		s, err := p.site(h, &x.evidence)
		if err != nil {
			missed.add(h, err)
			continue
		}
		s.Compiler = p.Says[lineOf{h.file, s.Line}]
		x.hits(s)
	}
	report.Findings = rank(append(x.findings(), x.whole(inputs)...))
	report.Together = x.union(inputs, x.has)
	report.Unexamined = slices.Concat(report.Unexamined, missed.sentences, failures(x.options.Rules, src.packages))
	return report
}

// missed says which functions could not be examined, each once.
type missed struct{ sentences []string }

func (m *missed) add(h *hot, err error) {
	text := fmt.Sprintf("%s in %s %v", h.function, h.file, err)
	if !slices.Contains(m.sentences, text) {
		m.sentences = append(m.sentences, text)
	}
}

func (x *examiner) hits(s *Site) {
	for _, r := range x.options.Rules {
		if r.Match == nil {
			continue
		}
		if !x.hotEnough(s.hot.match(r.about(nil)), r) {
			continue
		}
		for _, m := range r.Match(s) {
			x.add(s, r, &m)
		}
	}
}

// hotEnough reports whether a part of a line counts as hot for a rule.
func (x *examiner) hotEnough(m matched, r *Rule) bool {
	for subject, v := range m {
		most := x.worked(v, subject)
		if r.Waits {
			most = max(x.share(v[mutexTime], subject, mutexTime), x.share(v[blockTime], subject, blockTime))
		}
		if most >= x.options.MinShare {
			return true
		}
	}
	return false
}

func (x *examiner) add(s *Site, r *Rule, m *Match) {
	part := s.hot.match(r.about(m))
	if !x.hotEnough(part, r) {
		return
	}
	pos := s.Fset.Position(m.Node.Pos())
	key := fmt.Sprintf("%s %s:%d:%d", r.ID, pos.Filename, pos.Line, pos.Column)
	if f := x.found[key]; f != nil { // a call over several lines, or a generic function
		f.sites = append(f.sites, s)
		for subject, v := range part {
			f.head.of(subject).add(v)
		}
		return
	}
	f := &found{rule: r, about: r.about(m), gain: cmp.Or(m.Gain, r.Gain), sites: []*Site{s}, head: part}
	f.Finding = Finding{
		Rule: r.ID, Class: r.Class, State: Bounded, Title: cmp.Or(m.Title, r.Title), Why: m.Why,
		Package: s.Package.Path, Function: s.functionName(), Symbol: s.hot.function, File: pos.Filename, Line: pos.Line, Column: pos.Column,
		Text: strings.TrimSpace(s.lineText(pos.Line)),
	}
	if m.Class != 0 {
		f.Class = m.Class
	}
	f.ID = x.id(&f.Finding)
	f.Evidence, f.Bound = x.describe(s.hot, part, f.gain, x.options.MinShare)
	f.Evidence.Compiler = s.Compiler
	if s.Line != int(s.hot.line) {
		f.Caveats = append(f.Caveats, fmt.Sprintf("the source has changed since: the profile's line %d is taken for line %d", s.hot.line, s.Line))
	}
	x.offer(f, s, m)
	x.found[key] = f
}

// id is the rule and a number made of what the place is, not where. Places that are
// the same count up.
func (x *examiner) id(f *Finding) string {
	return newID(f, func(id string) bool {
		for _, other := range x.found {
			if other.ID == id {
				return true
			}
		}
		return false
	}, f.Text)
}

// findings returns the findings. Of a line that several rules know, those that say more than
// "something is allocated here" stand alone.
func (x *examiner) findings() []Finding {
	specific := make(map[string]bool)
	line := func(f *found) string { return fmt.Sprintf("%s:%d", f.File, f.Line) }
	for _, f := range x.found {
		// A rule about the time of the line itself says nothing of what it allocates.
		if !f.rule.Generic && (f.rule.Frames != nil || f.rule.Allocates) {
			specific[line(f)] = true
		}
	}
	maps.DeleteFunc(x.found, func(_ string, f *found) bool { return f.rule.Generic && specific[line(f)] })
	var all []Finding
	for _, f := range x.found {
		if len(f.sites) > 1 {
			f.Evidence, f.Bound = x.describe(f.sites[0].hot, f.head, f.gain, x.options.MinShare)
			f.Evidence.Compiler = f.sites[0].Compiler
		}
		if f.rule.Generic {
			// That something is allocated says less of what to do about it than a pattern
			// does: of commits that made something faster, bench/advice finds the former
			// to be what the author changed a quarter as often.
			f.Bound.Worth /= 2
		}
		all = append(all, f.Finding)
	}
	return all
}

// whole returns what rules find in programs as a whole. The same thing in several of
// them is one finding, with the evidence of the one where it is worst; places of one that
// look the same are several.
func (x *examiner) whole(inputs []Input) []Finding {
	var all []Finding
	for _, p := range x.programs(inputs) {
		own := make(map[string]bool) // IDs
		for _, r := range x.options.Rules {
			if r.Examine == nil {
				continue
			}
			for _, f := range r.Examine(p) {
				f.Rule, f.Class, f.Title = r.ID, AdviceOnly, cmp.Or(f.Title, r.Title)
				f.State = cmp.Or(f.State, Bounded)
				f.Bound.Worth = cmp.Or(f.Bound.Worth, f.Bound.Expected)
				f.Evidence.Subject = p.Subject
				if p.Subject != "" {
					f.Evidence.Subjects = []string{p.Subject}
				}
				f.ID = newID(&f, func(id string) bool { return own[id] }, filepath.Base(f.File), f.Text)
				own[f.ID] = true
				i := slices.IndexFunc(all, func(g Finding) bool { return g.ID == f.ID })
				if i < 0 {
					all = append(all, f)
					continue
				}
				subjects := all[i].Evidence.Subjects
				if f.Bound.better(&all[i].Bound) {
					f.Evidence.Subjects = append(f.Evidence.Subjects, subjects...)
					all[i] = f
				} else {
					all[i].Evidence.Subjects = append(subjects, f.Evidence.Subjects...)
				}
			}
		}
	}
	return all
}

// programs are the subjects, in the order of their profiles.
func (x *examiner) programs(inputs []Input) []*Program {
	var all []*Program
	for _, in := range inputs {
		i := slices.IndexFunc(all, func(p *Program) bool { return p.Subject == in.Subject })
		if i < 0 {
			i = len(all)
			p := &Program{Subject: in.Subject, Dir: x.options.Dir, Mains: x.mains, subject: x.subject(in.Subject), foreign: x.options.Foreign, seen: &x.evidence, locate: x.locate}
			if m := x.module(x.options.Dir); m != nil { // else it is the folder of a workspace, whose modules may differ
				p.GoVersion = m.GoVersion
			}
			all = append(all, p)
		}
		all[i].Inputs = append(all[i].Inputs, in)
	}
	return all
}
