// Package advisor gives advice on profiles of a module, for the command line and for servers: it
// selects the profiles of a run or service that can be examined, joins them with the module's source
// using all rules, and adds the results of earlier attempts.
package advisor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/tune"
)

// A Module is a module whose source is here.
type Module struct {
	Dir string // a folder of it
	// Store keeps findings for hone fix, and the results of rewrites.
	Store tune.Store
	// Cache is a folder that keeps reports of unchanged sources and profiles; "" for none.
	Cache string
}

// ModuleOf returns the module of a folder: the nearest folder with a go.mod or go.work, from there
// upwards. The error is fs.ErrNotExist if there is none.
func ModuleOf(dir string) (*Module, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := start; ; at = filepath.Dir(at) {
		for _, name := range []string{"go.mod", "go.work"} {
			if info, err := os.Stat(filepath.Join(at, name)); err == nil && info.Mode().IsRegular() {
				return &Module{Dir: at, Store: tune.Store{Dir: filepath.Join(at, ".hone", "advice")}}, nil
			}
		}
		if at == filepath.Dir(at) {
			return nil, fmt.Errorf("%s is in no module: there is no go.mod: %w", start, fs.ErrNotExist)
		}
	}
}

// Mark sets the states of findings from the history, and returns the history, newest last, and what
// could not be read of it.
func (m *Module) Mark(findings []advice.Finding) (history []tune.Result, unread []string, err error) {
	history, unread, err = m.Store.History()
	if err != nil {
		return nil, nil, err
	}
	tune.Mark(findings, history)
	return history, unread, nil
}

// A Subject is a profile of a run that can be examined.
type Subject struct {
	experiment.ProfileFile
	Name string // the benchmark, with its package where another has the same name
	// OpTime is how long an operation took, in nanoseconds, as the median; 0 if the run has no times.
	OpTime float64
}

// Kind is the kind of an advice.Input for a kind of profile of runs and services.
func Kind(kind string) string {
	if kind == "allocs" || kind == "heap" {
		return "mem"
	}
	return kind
}

// runKinds are the kinds of profiles of runs that can be examined.
var runKinds = []string{"cpu", "mem", "mutex", "block", "wall", "allocs", "goroutineleak"}

// OfRun returns the profiles of a run's head that can be examined, and their benchmarks by subject. Profiles of
// wall-clock time are left out where a block profile says the same.
func OfRun(run *experiment.Run) ([]Subject, map[string]tune.Benchmark) {
	var subjects []Subject
	benchmarks := make(map[string]tune.Benchmark)
	packages := make(map[string]string) // by subject
	var results []*benchfmt.Result
	for _, r := range run.Results(experiment.Measure, experiment.Head) {
		results = append(results, r.Result)
	}
	times := experiment.Medians(results)
	for _, file := range run.Profiles() {
		if file.Side == experiment.Base || !slices.Contains(runKinds, file.Kind) {
			continue
		}
		if file.Kind == "wall" && slices.ContainsFunc(run.Profiles(), func(f experiment.ProfileFile) bool {
			return f.Kind == "block" && f.Side == file.Side && f.Package == file.Package && f.Benchmark == file.Benchmark
		}) {
			continue
		}
		name := file.Benchmark
		if pkg, taken := packages[name]; taken && pkg != file.Package {
			name = file.Package + "." + file.Benchmark
		}
		packages[name] = file.Package
		if !run.HasLoad() {
			benchmarks[name] = tune.Benchmark{Package: file.Package, Benchmark: file.Benchmark}
		}
		time := times[experiment.Key{Package: file.Package, Benchmark: file.Benchmark, Unit: "ns/op"}]
		subjects = append(subjects, Subject{file, name, time})
	}
	return subjects, benchmarks
}
