package bench

import "github.com/hone-go/hone/internal/experiment"

// tellCode puts what was found by comparing code into a run's info.
func (p *Report) tellCode(i *experiment.Info) {
	i.Tests, i.NotBenchmarked, i.OtherChanges = p.Tests, p.NotBenchmarked, p.otherChanges
	for _, id := range p.SameCode {
		i.SameCode = append(i.SameCode, experiment.BenchmarkName(id))
	}
}
