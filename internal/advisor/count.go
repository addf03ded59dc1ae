package advisor

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/counts"
	"github.com/hone-go/hone/internal/tune"
)

// CountRuns makes o count how often hot lines run per operation of benchmarks, which are by subject. Each
// package with a benchmark is built once more for that, and each benchmark runs twice. Other subjects aren't
// counted.
func (m *Module) CountRuns(inputs []advice.Input, benchmarks map[string]tune.Benchmark, o *advice.Options) {
	o.Count = func(ctx context.Context, folders, subjects []string) (map[string]advice.Runs, error) {
		var names []string
		var all []counts.Benchmark
		for _, subject := range subjects {
			b, ok := benchmarks[subject]
			if !ok {
				continue
			}
			of := counts.Benchmark{Package: b.Package, Name: b.Benchmark}
			for _, in := range inputs {
				if in.Subject == subject {
					of.OpTime = max(of.OpTime, time.Duration(in.OpTime))
				}
			}
			names, all = append(names, subject), append(all, of)
		}
		c := counts.Counter{Dir: m.Dir, Flags: o.BuildFlags, Folders: folders, Stage: o.Stage}
		counted, err := c.Run(ctx, all)
		runs := make(map[string]advice.Runs)
		for i, name := range names {
			if counted[i] != nil {
				runs[name] = counted[i]
			}
		}
		return runs, err
	}
}
