package main

import (
	"context"

	"github.com/hone-go/hone/internal/experiment/objective"
)

const benchHelp = `usage: hone bench [flags] [packages] [-args ...]
       hone bench -against REF [flags] [packages] [-args ...]
       hone bench -new FUNC [package]

Run benchmarks, profile them separately, and keep the results as a run.

Examples:

  hone bench ./...
  hone bench -against main ./...
  hone bench -bench Parse -count 6 ./json

Flags of go test:

  -bench RE       benchmarks to run (all)
  -run RE         tests that must pass first (none)
  -count N        samples per benchmark and side (10; with -against 20 if 10 don't decide)
  -benchtime T    time per sample, such as 1s, or iterations, such as 100x (500ms;
                  with -against split into processes of 100ms)
  -cpu LIST       values of GOMAXPROCS to measure with
  -timeout T      time limit for one process (10m)
  -vet LIST       vet checks that must pass: a list, off or all (those of go test)
  -tags LIST, -race, -msan, -asan, -gcflags, -ldflags, -asmflags, -mod, -modfile,
  -overlay, -pgo, -p, -short, -args
                  same as in go test
  -benchmem       accepted; hone always measures allocations

Flags for comparing:

  -against REF    compare with this branch, tag or commit; HEAD compares your
                  uncommitted changes
  -for TIME       total time to measure, not counting the build, instead of -count.
                  Clear results get few samples, the rest up to 80 per side. If TIME is
                  too short, hone shortens samples (to 50ms at least), then leaves out
                  benchmarks and lists them
  -precheck N     pairs that compare the base with itself, to learn the noise
                  (6; 0: none)
  -tests head|base|each
                  which benchmarks to run if test files or testdata differ: the working
                  tree's or REF's on both sides, or each side's own (head). If head or
                  base doesn't build, hone tries the other
  -measure-unchanged
                  also measure benchmarks that don't execute changed code; on if
                  hone.toml has bounds
  -layouts auto|all|none
                  link both sides again for each pair of samples, with functions in a
                  new order, because their order alone changes times by 1 to 2 %: never
                  (none), always (all), or if it takes less time than measuring, and
                  otherwise to confirm a change without -for (auto)

Flags for profiles:

  -profile LIST   kinds: cpu, mem, mutex, block, goroutineleak, wall, trace; or none
                  (cpu,mem). wall is time spent running or waiting; goroutineleak
                  lists goroutines that are blocked forever, and needs Go 1.27. With
                  -against only changed benchmarks are profiled, unless you give this
                  flag
  -profiletime T  time per profile (2s)

Other flags:

  -new FUNC       write the skeleton of a benchmark for a function or method
                  (Type.Method) into a new test file, and measure nothing
  -wait TIME      how long to wait in total for a free core while other processes are
                  busy (1m, at most a fifth of the expected time; 0: don't wait; Linux)
  -pin LIST       run benchmarks on these CPUs: 1 or 0,2-3 (Linux)
  -o DIR          keep the run in DIR (.hone/runs of this module)
  -v              print everything, including unchanged results and benchstat's tables
  -json           print everything as JSON

Exit codes: 0 success; 1 failure, or a benchmark could not be measured; 2 wrong usage;
3 with -against, something got worse beyond its budget in hone.toml (without one: 2 %
of a time, 0 of everything else), and a second measurement agreed.

Each sample has its own process. With -against, both sides are built with the same Go
and measured interleaved. Changed benchmarks are measured again, and profiled on both
sides to show which functions caused the change. hone only reads the repository.
"hone help runs" explains how to name a run.
`

func runBench(ctx context.Context, a *app, args []string) error {
	f := newBenchFlags()
	if err := f.parse(args); err != nil {
		return err
	}
	if f.function != "" {
		return newBenchmark(a, f.function, f.Packages)
	}
	if f.against != "" {
		objectives, err := objective.ReadOwn(ctx, moduleDir())
		if err != nil {
			return err
		}
		if len(objectives) > 0 {
			f.useBudgets(objectives)
		}
	}
	report, err := measureBenchmarks(ctx, a, f)
	if err != nil {
		return err
	}
	if err := tellBench(ctx, a, f, report); err != nil {
		return err
	}
	return benchGate(report)
}
