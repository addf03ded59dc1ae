package bench

import "github.com/hone-go/hone/internal/experiment"

// tellCode puts what was found by comparing code into a run's info.
func (r *Report) tellCode(i *experiment.Info) {
	i.Tests, i.NotBenchmarked, i.OtherChanges = r.Tests, r.NotBenchmarked, r.otherChanges
	for _, id := range r.SameCode {
		i.SameCode = append(i.SameCode, experiment.BenchmarkName(id))
	}
}
