package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// listBenchmarks runs everything once, with one iteration, and returns what
// gave a result: only running tells which sub-benchmarks there are. names are
// all top-level benchmarks of the package, whether they match or not.
func (b *builder) listBenchmarks(ctx context.Context, s experiment.Side, p *benchPackage) (found []*target, names []string, err error) {
	b.event(Event{Stage: "list", What: p.path})
	o, err := b.runBinary(ctx, p, "-test.list=^Benchmark")
	if err != nil {
		return nil, nil, err
	}
	known := make(map[string]bool)
	for line := range strings.Lines(string(o.Stdout)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Benchmark") && !strings.ContainsAny(line, " \t") {
			known[line] = true
			names = append(names, line)
		}
	}
	if o.Err != nil {
		b.fail(Failure{Package: p.path, Side: b.sideName(s), What: firstComplaint(o), Output: output(o)})
		return nil, nil, nil
	}
	cpus := b.CPU
	if len(cpus) == 0 {
		// Said in so many words, so that the count behind names is known: what
		// GOMAXPROCS is by default depends on go.mod, too.
		cpus = []int{b.procs()}
	}
	seen := make(map[string]bool)
	for i, cpu := range cpus {
		tests := b.Tests
		if tests == "" || i > 0 || p.borrows { // the other side's tests may fail here
			tests = "^$"
		}
		list := func(pattern string) (*workspace.Outcome, error) {
			// Without -test.v package testing says nothing of what is skipped.
			return b.runBinary(ctx, p, "-test.v", "-test.run="+tests, "-test.bench="+pattern, "-test.benchtime=1x", fmt.Sprintf("-test.cpu=%d", cpu))
		}
		o, err := list(b.Pattern)
		if err != nil {
			return nil, nil, err
		}
		outcomes := []*workspace.Outcome{o}
		if o.Err != nil {
			// One that fails or panics takes the others with it: try one by one.
			tests = "^$"
			if b.Tests != "" && testsFailed(o) {
				b.fail(Failure{Package: p.path, Side: b.sideName(s), What: "tests fail: " + firstComplaint(o), Output: output(o)})
				return nil, names, nil
			}
			outcomes = nil
			for _, name := range names {
				pattern, ok := narrow(b.Pattern, name)
				if !ok {
					continue
				}
				o, err := list(pattern)
				if err != nil {
					return nil, nil, err
				}
				outcomes = append(outcomes, o)
				if o.Err != nil {
					b.fail(Failure{Package: p.path, Benchmark: strings.TrimPrefix(name, "Benchmark"), Side: b.sideName(s), What: firstComplaint(o), Output: output(o)})
				}
			}
		}
		for _, o := range outcomes {
			for name, why := range readSkips(o.Stdout, known) {
				b.held.skip(Skip{Package: p.path, Benchmark: strings.TrimPrefix(name, "Benchmark"), Side: b.sideName(s), Why: why})
			}
			for _, name := range readNames(o.Stdout, known) {
				t := newTarget(p, s, strings.TrimPrefix(name, "Benchmark"), cpu, len(cpus) > 1)
				if !seen[t.Benchmark] {
					seen[t.Benchmark] = true
					found = append(found, t)
				}
			}
		}
	}
	return found, names, nil
}

// testsFailed tells failing tests, asked for with -run, from failing
// benchmarks.
func testsFailed(o *workspace.Outcome) bool {
	return bytes.Contains(o.Stdout, []byte("--- FAIL: Test")) || bytes.Contains(o.Stdout, []byte("--- FAIL: Example"))
}

func (b *builder) procs() int { return cmp.Or(len(b.Pin), runtime.GOMAXPROCS(0)) }
