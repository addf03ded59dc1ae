package bench

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A benchPackage is a package with benchmarks, on one side.
type benchPackage struct {
	path, dir string
	name      string // as its files have it
	binary    string // the test binary, once it is built
	leaks     string // the one that has a profile of leaked goroutines, "" if nobody asked for it
	sum       [sha256.Size]byte
	env       []string // for its processes, besides hone's

	hasCode    bool     // besides tests
	benchmarks []string // functions of its tests: "BenchmarkDecode"
	tests      []string // files of its tests
	embeds     []string // patterns of the files that its tests embed
	codeEmbeds []string // files that its code embeds

	// Tests of the other side: see tests.go.
	borrows bool
	replace map[string]string // what stands for which file when it is built
	overlay string            // file that says so, and what the user's does
	folder  string            // where its processes run, "" for dir
	shared  []string          // files beside it that both sides have from one
}

// A target is a benchmark to measure.
type target struct {
	ID
	function string // name without the CPU count, which -test.bench wants
	printed  string // name as package testing prints it: see newTarget
	cpu      int    // for -test.cpu
	at       [2]*benchPackage
}

// countedName is a name that ends like one with a CPU count.
var countedName = lazyregexp.New(`-\d+$`)

// newTarget takes the CPU count from a name as testing prints it: there is none
// when it is 1. So X/n-2 on one CPU and X/n on two print the same name. Where
// several counts are measured, the former gets the count that testing leaves out,
// X/n-2-1, which every reader of the benchmark format takes for what it is.
func newTarget(p *benchPackage, s experiment.Side, printed string, cpu int, several bool) *target {
	t := &target{ID: ID{Package: p.path, Benchmark: printed}, function: printed, printed: printed, cpu: cpu}
	if cpu != 1 {
		t.function = strings.TrimSuffix(printed, fmt.Sprintf("-%d", cpu))
	} else if several && countedName.MatchString(printed) {
		t.Benchmark += "-1"
	}
	t.at[s] = p
	return t
}

// flags are those that have a test binary run the benchmark, and what else
// matches a pattern unless that is "".
func (t *target) flags(also string, more []string) []string {
	pattern := gocmd.ExactPattern("Benchmark" + t.function)
	if also != "" {
		pattern += "|" + also
	}
	return append([]string{"-test.run=^$", "-test.bench=" + pattern, fmt.Sprintf("-test.cpu=%d", t.cpu)}, more...)
}

// benchtime is a value of -test.benchtime.
func benchtime(t Length) string {
	if t.Iterations > 0 {
		return strconv.Itoa(t.Iterations) + "x"
	}
	return t.Duration.String()
}

// A pairing is what to measure.
type pairing struct {
	both []*target // on both sides
	head []*target // new, or unchanged and asked for
}

// all are in the order of the schedule's plan.
func (p *pairing) all() []*target { return slices.Concat(p.both, p.head) }

// benchmarks is the plan that a schedule is made of.
func (p *pairing) benchmarks() schedule.Plan {
	of := func(targets []*target) (some []schedule.Benchmark) {
		for _, t := range targets {
			some = append(some, schedule.Benchmark{ID: t.ID, Binary: t.at[experiment.Head].binary})
		}
		return some
	}
	return schedule.Plan{Both: of(p.both), Head: of(p.head)}
}
