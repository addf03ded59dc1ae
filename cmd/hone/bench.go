package main

import "context"

const benchHelp = `usage: hone bench [flags] [packages] [-args ...]
       hone bench -against REF [flags] [packages] [-args ...]
       hone bench -new FUNC [package]

Measure benchmarks, one process per sample; then profile each of them in
processes of its own, one kind at a time. Numbers and profiles are kept as
a run, which other verbs know by its name: see hone help runs.

With -against, compare with another revision of the repository: a branch, a tag,
a commit, HEAD~; or HEAD, for what is not committed yet. Both sides are built
with the same Go and run the same number of iterations, in turn and in random
order. What changed is measured a second time, and profiled on both sides to
tell which functions moved it. The exit code is 3 if something got worse beyond
its budget in hone.toml (where that has none: 2 % of a time, 0 of the rest), and the second
measurement agreed. The repository is only read: it needs no clean-up.

As in go test:

  -bench RE       benchmarks to measure (all)
  -run RE         tests that have to pass first (none)
  -count N        samples of each benchmark, and side (10; with -against 20
                  where 10 decide nothing)
  -benchtime T    time of a sample, 1s, or iterations, 100x (500ms);
                  with -against in processes of 100ms
  -cpu LIST       values of GOMAXPROCS to measure with
  -timeout T      for one process (10m)
  -vet LIST       checks that what is built has to pass: those of go test by
                  default; off or all
  -tags LIST, -race, -msan, -asan, -gcflags, -ldflags, -asmflags, -mod, -modfile,
  -overlay, -pgo, -p, -short, -args
  -benchmem       nothing: allocations are always measured

Of hone:

  -against REF    compare with this revision
  -new FUNC       write the skeleton of a benchmark of this function or method, Type.Method,
                  into a new test file of its package; measure nothing
  -for TIME       with -against, in place of -count: measure so long, once all is
                  built. What is decided soon gets few samples, the rest up to 80
                  a side. Where the time is short, samples are shorter, down to
                  50ms; then some benchmarks are not measured, and named
  -profile LIST   kinds of profiles: cpu, mem, mutex, block, goroutineleak, wall,
                  trace (cpu,mem), or none; wall is time spent, running or
                  waiting; goroutineleak, goroutines left behind that can never
                  go on, takes Go 1.27. With -against profiles are of what
                  changed, or of all benchmarks if this flag is given
  -profiletime T  time of a profile (2s)
  -precheck N     pairs of the base with itself, to know the noise (6; 0: none)
  -tests head|base|each
                  with -against, whose benchmarks both sides run where test files or
                  testdata differ: those of the working tree (head), of REF (base),
                  each its own; what doesn't build so is tried the other way (head)
  -measure-unchanged
                  with -against, also measure, as they are now, benchmarks that run
                  nothing that changed; done where hone.toml has bounds
  -layouts auto|all|none
                  with -against, link both sides anew for each pair of samples, with the
                  functions in another order, since where they lie moves times by a
                  percent or two: where it takes no longer than measuring, always, never
  -wait TIME      wait so long in all while others leave no core to measure on (1m, but
                  a fifth of the time expected at most; 0: don't; Linux)
  -pin LIST       run benchmarks on these CPUs: 1 or 0,2-3 (Linux)
  -o DIR          keep the run below DIR (.hone/runs of this module)
  -v              print everything, also what did not change, and benchstat's tables
  -json           print everything as JSON

Examples:

  hone bench
  hone bench -bench Parse -count 6 ./...
  hone bench -new Parse ./json
  hone bench -against HEAD ./json
  hone bench -against main -benchtime 1s -pin 1 ./...
  hone bench -against main -for 3m ./...
  hone bench -against main -tests base ./json
  hone bench -profile cpu,wall -bench Queue
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
		objectives, err := ownObjectives(ctx)
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
