package bench

import (
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

// planned is what the planner finds out besides what to measure.
type planned struct {
	held
	base           *experiment.Revision // nil if there is nothing to compare with
	unchanged      []string             // as in Report
	new, gone      []string
	missing        []experiment.Gap // gone
	sameCode       []ID
	measuredOnly   []experiment.Doubt
	uncompared     string // as in experiment.Info
	tests          []experiment.TestOrigin
	notBenchmarked []string
	otherChanges   bool // besides notBenchmarked
}

// missingNow returns what the base has, and the head hasn't or skips.
func (p *planned) missingNow() []experiment.Gap {
	missing := slices.Clone(p.missing)
	for _, s := range p.skips {
		if s.Side == experiment.Head.String() {
			missing = append(missing, experiment.Gap{Package: s.Package, Benchmark: s.Benchmark, Why: s.what()})
		}
	}
	return missing
}

// tellCode puts what was found by comparing code into a run's info.
func (p *planned) tellCode(i *experiment.Info) {
	i.Tests, i.NotBenchmarked, i.OtherChanges = p.tests, p.notBenchmarked, p.otherChanges
	i.MeasuredOnly, i.Uncompared = p.measuredOnly, p.uncompared
	for _, id := range p.sameCode {
		i.SameCode = append(i.SameCode, experiment.BenchmarkName(id))
	}
}
