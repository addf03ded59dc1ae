package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// examiner applies rules to hot lines, and to programs as a whole.
type examiner struct {
	*collector
	options *Options
	mods    []module
	mains   []string // folders of commands
}

// report examines sites, the hottest first: what rules match there, and one finding for each place that they match. missed has lines
// without a site.
func (x *examiner) report(inputs []Input, sites []*Site, missed []string, src *source) *Report {
	hits, failed := x.hits(sites, false)
	places := specific(placesOf(hits))
	disjoint(places)
	restHits, restFailed := x.hits(unreported(sites, places), true)
	rest := placesOf(restHits)
	found, below := covered(places)
	report := &Report{Packages: []string{}, Together: x.union(inputs, found, below)}
	for _, p := range src.packages {
		report.Packages = append(report.Packages, p.Path)
	}
	looked, left := fewLooks(rank(x.looks(rest)), x.options.MaxHotLines)
	whole, wholeFailed := x.whole(inputs)
	reported := x.findings(places)
	factsFailed := x.addFacts(reported, places)
	known := rank(slices.Concat(reported, whole))
	if x.options.MaxHotLines >= 0 {
		known = perLine(known)
	} else {
		showAll(known)
		showAll(looked)
	}
	report.Findings = append([]Finding{}, withLooks(known, looked, x.hottestOf(rest) > x.hottestOf(places))...)
	report.Changed = changed(sites)
	report.Summary = summary(report.Findings)
	report.HotLines = left
	report.Unexamined = slices.Concat(src.unexamined, missed, x.runtimeLocks(), failures(x.options.Rules, src.packages), distinct(failed, restFailed, factsFailed, wholeFailed))
	return report
}

// runtimeLocks says that goroutines mostly waited for locks of the runtime, which have no line of the user's.
func (e *evidence) runtimeLocks() (said []string) {
	for i, v := range e.totals {
		if v[runtimeTime] <= v[mutexTime] {
			continue
		}
		what := "the mutex profile"
		if e.subjects[i] != "" {
			what += " of " + e.subjects[i]
		}
		all := time.Duration(v[runtimeTime] + v[mutexTime]).Round(time.Millisecond)
		said = append(said, fmt.Sprintf("%.0f %% of %v in %s is waiting for locks of the runtime, which guard its scheduler, channels and memory", 100*float64(v[runtimeTime])/float64(v[runtimeTime]+v[mutexTime]), all, what))
	}
	return said
}

// sitesOf finds lines in the source. missed has a sentence for each function that can't be
// examined.
func sitesOf(lines []*hot, src *source, e *evidence) (sites []*Site, missed []string) {
	miss := func(h *hot, why error) {
		if text := fmt.Sprintf("%s in %s %v", h.function, h.file, why); !slices.Contains(missed, text) {
			missed = append(missed, text)
		}
	}
	for _, h := range lines {
		p := src.files[h.file]
		if p == nil {
			if why := src.unexaminable(h); why != nil {
				miss(h, why)
			}
			continue // its package is unexamined as a whole, or the file belongs to none
		}
		if initializes(h.function) {
			continue
		}
		s, err := p.site(h, e)
		if err != nil {
			miss(h, err)
			continue
		}
		sites = append(sites, s)
	}
	return sites, missed
}

// hits asks each rule about the sites that are hot by what the rule is about: the rules about what no
// other rule reports, or all others. failed says which rules panicked, and where.
func (x *examiner) hits(sites []*Site, rest bool) (all []hit, failed []string) {
	for _, s := range sites {
		for _, r := range x.options.Rules {
			if r.Match == nil || r.Rest != rest || !x.hotEnough(partOf(s, r, &Match{}), r, &Match{}) {
				continue
			}
			matches, err := r.matches(s)
			if err != nil {
				failed = append(failed, err.Error())
			}
			for _, m := range matches {
				if part := partOf(s, r, &m); x.hotEnough(part, r, &m) {
					all = append(all, hit{s, r, m, part})
				}
			}
		}
	}
	return all, failed
}

// partOf is the part of a line's values that a match of a rule is about.
func partOf(s *Site, r *Rule, m *Match) matched {
	if r.Holds {
		return s.hot.held(m)
	}
	return s.hot.match(r.about(m))
}

// hotEnough reports whether the part of a line that a match is about counts as hot for a rule.
func (x *examiner) hotEnough(part matched, r *Rule, m *Match) bool {
	least := x.options.MinShare
	if r.Holds {
		return x.holdsEnough(part, cmp.Or(m.Saves, 1), least)
	}
	if r.Rest {
		least = max(least, x.options.MinHotLine)
	}
	for subject, v := range part {
		most := x.worked(v, subject)
		waits := max(x.share(v[mutexTime], subject, mutexTime), x.share(v[blockTime], subject, blockTime))
		switch {
		case r.Waits:
			most = waits
		case r.AlsoWaits:
			most = max(most, waits)
		}
		if most >= least {
			return true
		}
	}
	return false
}

// findings says of each place what it costs, and what is better.
func (x *examiner) findings(places []*occurrence) []Finding {
	var all []Finding
	for _, p := range places {
		f := p.head
		if p.rule.Holds {
			f.Evidence, f.Bound = x.describeHeld(p.site.hot, p.part, cmp.Or(p.match.Saves, 1))
		} else {
			f.Evidence, f.Bound = x.describe(p.site.hot, p.part, cmp.Or(p.match.Gain, p.rule.Gain), x.options.MinShare)
			f.Evidence.Compiler = p.site.Compiler()
		}
		if !p.rule.Allocates {
			f.Evidence.Ladder = nil // what else the line does grows
		}
		x.likely(&f)
		f.Little = x.little(&f)
		f.Caveats = append(f.Caveats, x.tooFew(&f)...)
		if p.site.Line != int(p.site.hot.line) {
			f.Caveats = append(f.Caveats, fmt.Sprintf("the source has changed since the profile was taken: its line %d seems to be line %d now", p.site.hot.line, p.site.Line))
		}
		fix, err := p.rule.rewritten(p.site, &p.match, rootOf(x.mods, f.File, x.options.Dir))
		switch {
		case err != nil:
			f.Class, f.Caveats = AdviceOnly, append(f.Caveats, err.Error())
		case fix == nil:
			f.Class = AdviceOnly
		}
		f.Fix = fix
		all = append(all, f)
	}
	return all
}

// addFacts adds to the findings of places what is known of their lines, if these are hot enough for a finding about that alone.
// failed says which rules panicked, and where.
func (x *examiner) addFacts(found []Finding, places []*occurrence) (failed []string) {
	for i, p := range places {
		for _, r := range x.options.Rules {
			if r.Facts == nil || p.rule.Holds || !x.hotEnough(partOf(p.site, r, &Match{}), r, &Match{}) {
				continue
			}
			said, err := r.facts(p.site, &found[i])
			if err != nil {
				failed = append(failed, err.Error())
			}
			found[i].Facts = append(found[i].Facts, said...)
		}
	}
	return failed
}

// whole returns what rules find in programs as a whole. The same thing in several of
// them is one finding, with the evidence of the one where it is worst; places of one that
// look the same are several. failed says which rules panicked.
func (x *examiner) whole(inputs []Input) (all []Finding, failed []string) {
	for _, p := range x.programs(inputs) {
		own := make(map[string]bool) // IDs
		for _, r := range x.options.Rules {
			if r.Examine == nil {
				continue
			}
			found, err := r.examined(p)
			if err != nil {
				failed = append(failed, err.Error())
			}
			for _, f := range found {
				f.Rule, f.Class, f.Title = r.ID, AdviceOnly, cmp.Or(f.Title, r.Title)
				f.State = cmp.Or(f.State, Bounded)
				f.Bound.Worth = cmp.Or(f.Bound.Worth, f.Bound.Expected)
				x.likely(&f)
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
	return all, failed
}

// programs are the subjects, in the order of their profiles.
func (x *examiner) programs(inputs []Input) []*Program {
	var all []*Program
	for _, in := range inputs {
		i := slices.IndexFunc(all, func(p *Program) bool { return p.Subject == in.Subject })
		if i < 0 {
			i = len(all)
			p := &Program{Subject: in.Subject, Dir: x.options.Dir, Mains: x.mains, subject: x.subject(in.Subject), foreign: x.options.Foreign, seen: &x.evidence, locate: x.locate}
			if m := moduleAround(x.mods, x.options.Dir); m != nil { // else it is the folder of a workspace, whose modules may differ
				p.GoVersion = m.GoVersion
			}
			all = append(all, p)
		}
		all[i].Inputs = append(all[i].Inputs, in)
	}
	return all
}

// likely sets how probable it is that a finding is confirmed, which is a factor of what it is worth.
func (x *examiner) likely(f *Finding) {
	if x.options.Likely == nil {
		return
	}
	f.Likely = x.options.Likely(f.Rule)
	f.Bound.Worth *= f.Likely
}

// changed are the files of sites that have other lines than their profiles.
func changed(sites []*Site) (files []string) {
	for _, s := range sites {
		if s.Line != int(s.hot.line) {
			files = append(files, s.hot.file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
