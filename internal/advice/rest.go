package advice

import (
	"cmp"
	"fmt"
	"slices"
)

// lookPlace is where the hottest function without a pattern comes at the latest if no rule knows a
// place as hot, or if it takes more time than the finding there could save: the third, as few people
// read on. Otherwise what rules find comes first.
const lookPlace = 3

// maxLookCallers is how many callers a hot line has: more distract from the line.
const maxLookCallers = 2

// unreported are the sites on whose lines no rule reports anything, the hottest by what they
// themselves run first.
func unreported(sites []*Site, places []*occurrence) []*Site {
	reported := make(map[lineOf]bool)
	for _, f := range places {
		if f.rule.Holds {
			continue // it says nothing of the time
		}
		reported[lineOf{f.head.File, f.head.Line}] = true
		for _, s := range f.sites {
			reported[lineOf{s.hot.file, s.Line}] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(sites), func(s *Site) bool { return reported[lineOf{s.hot.file, s.Line}] })
	shares := make(map[*Site]float64, len(rest))
	for _, s := range rest {
		shares[s] = s.folded()
	}
	slices.SortStableFunc(rest, func(a, b *Site) int { return cmp.Compare(shares[b], shares[a]) })
	return rest
}

// folded is the share of a line's own work, with what it calls up to the next line of the user's.
func (c *Costs) folded() float64 { return c.seen.largest(c.hot.match(about{folded: true})) }

// looks makes findings about hot lines: they promise nothing, and are worth as much as their lines take
// of the time.
func (x *examiner) looks(places []*occurrence) []Finding {
	all := x.findings(places)
	for i := range all {
		f := &all[i]
		f.Class, f.Bound = Look, Bound{Worth: x.time(places[i].part)}
		f.Likely, f.Little = 0, false
		f.Evidence.Compiler = nil // the reason has it in words
		f.Caveats = append(f.Caveats, few(f.Evidence.CPU)...)
		f.Evidence.Callers = f.Evidence.Callers[:min(maxLookCallers, len(f.Evidence.Callers))]
	}
	return all
}

// time is the largest share of the time that a part takes in a subject, with its share of garbage
// collection: a line with 99 % of few allocations isn't the hottest. Without a CPU profile, it is the
// largest share of anything.
func (e *evidence) time(m matched) float64 {
	most := 0.0
	for subject, v := range m {
		if e.totals[subject][cpuTime] == 0 {
			most = max(most, e.weight(v, subject))
			continue
		}
		b := e.bound(v, subject, defaultGain)
		most = max(most, b.Time, b.Waiting)
	}
	return most
}

// A share of the CPU time that was counted in n samples has a standard error of about 1/√n of it: half
// of it with sureSamples, so that with fewer, another line may well be the hot one.
const sureSamples = 4

// few says that a line is in too few samples to be sure that it is hot.
func few(cpu *Share) []string {
	switch {
	case cpu == nil || cpu.Samples == 0 || cpu.Samples >= sureSamples:
		return nil
	case cpu.Samples == 1:
		return []string{"the profile has the line in one sample only: profile for longer to be sure"}
	}
	return []string{fmt.Sprintf("the profile has the line in only %d samples: profile for longer to be sure", cpu.Samples)}
}

// fewLooks keeps the first of each function of ranked findings about hot lines, up to a number of
// functions, and says how many lines it leaves out that no finding names. Below 0 it keeps all.
func fewLooks(ranked []Finding, most int) (kept []Finding, left int) {
	if most < 0 {
		return ranked, 0
	}
	named := make(map[string]bool)
	for _, f := range ranked {
		switch {
		case named[f.ID]: // by the first of its function
		case len(kept) < most:
			kept = append(kept, f)
		default:
			left += 1 + len(f.Also)
		}
		for _, a := range f.Also {
			named[a.ID] = true
		}
	}
	return kept, left
}

// withLooks puts ranked findings about hot lines after those of rules. The first is in third place at
// the latest if one of the lines is hotter than any place that a rule knows, or if it takes more CPU
// time than the third of the others could save.
func withLooks(known, looked []Finding, hotter bool) []Finding {
	shown := len(known)
	if i := slices.IndexFunc(known, func(f Finding) bool { return !f.Shown() }); i >= 0 {
		shown = i
	}
	known, others := rewriteInSight(known[:shown]), known[shown:]
	if len(looked) == 0 || len(known) < lookPlace {
		return slices.Concat(known, looked, others)
	}
	if cpu := looked[0].Evidence.CPU; !hotter && (cpu == nil || cpu.Share <= known[lookPlace-1].Bound.Time) {
		return slices.Concat(known, looked, others)
	}
	return slices.Concat(known[:lookPlace-1], looked[:1], known[lookPlace-1:], looked[1:], others)
}

// rewriteInSight moves the rewrite of the hottest line to the third place at the latest, if the line takes more CPU time than
// the third finding could save. Rules about a line's own code promise little of it, and the line would else have been there as a hot
// line.
func rewriteInSight(known []Finding) []Finding {
	best := -1
	for i := lookPlace; i < len(known); i++ {
		cpu := known[i].Evidence.CPU
		if known[i].Fix != nil && cpu != nil && cpu.Share > known[lookPlace-1].Bound.Time && (best < 0 || cpu.Share > known[best].Evidence.CPU.Share) {
			best = i
		}
	}
	if best < 0 {
		return known
	}
	return slices.Concat(known[:lookPlace-1], known[best:best+1], known[lookPlace-1:best], known[best+1:])
}

// hottestOf is the largest share of what rules found at places.
func (x *examiner) hottestOf(places []*occurrence) float64 {
	most := 0.0
	for _, f := range places {
		most = max(most, x.largest(f.part))
	}
	return most
}
