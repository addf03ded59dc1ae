package prove

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// A selection is the benchmarks to measure: functions by package.
type selection map[string][]string

var benchmarkFunc = lazyregexp.New(`(?m)^func (Benchmark\w*)\(`)

// Limits on how long benchmarks are tried. What isn't tried is measured.
const (
	tryTime = 2 * time.Minute // in total
	oneTry  = 30 * time.Second
)

// choose finds the available benchmarks that execute what a candidate, which is checked out, changes. Where
// coverage can't tell, or all is asked for, these are all in packages that depend on it: what runs the same machine
// code isn't measured later, either.
func (c *checker) choose(ctx context.Context, e *examined, whole bool, available selection) (selection, error) {
	chosen := make(selection)
	begin := time.Now()
	for n, p := range e.dependents {
		all := available[p.ImportPath]
		if len(all) == 0 {
			continue
		}
		if whole || e.elsewhere || len(e.functions) == 0 || time.Since(begin) > tryTime {
			chosen[p.ImportPath] = all
			continue
		}
		c.stage("choose benchmarks", p.ImportPath)
		found, err := c.executing(ctx, e, p, filepath.Join(c.Scratch.Path, "cover"+strconv.Itoa(n)+".test"), all)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			chosen[p.ImportPath] = found
		}
	}
	return chosen, nil
}

// benchmarksIn are the benchmarks that packages have.
func benchmarksIn(ctx context.Context, packages []listed) selection {
	all := make(selection)
	for _, p := range packages {
		if names := benchmarksOf(ctx, p); len(names) > 0 {
			all[p.ImportPath] = names
		}
	}
	return all
}

// benchmarksOf are the functions of a package's tests that are benchmarks.
func benchmarksOf(ctx context.Context, p listed) (all []string) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := infile.ReadFile(ctx, filepath.Join(p.Dir, name), infile.MaxSource)
		if err != nil {
			continue // the compiler tells more
		}
		for _, m := range benchmarkFunc.Get().FindAllSubmatch(text, -1) {
			all = append(all, string(m[1]))
		}
	}
	return all
}

// executing are those benchmarks of a package that call a function that changes. Each runs once,
// in a build that counts statements. One that fails is among them: measuring it says why.
func (c *checker) executing(ctx context.Context, e *examined, p listed, binary string, all []string) ([]string, error) {
	r, err := c.run(ctx, "test", "-c", "-covermode=atomic", "-coverpkg="+strings.Join(paths(e.changed), ","), "-o", binary, p.ImportPath)
	if err != nil {
		return nil, err
	}
	if r.failed {
		return all, nil
	}
	var found []string
	for _, name := range all {
		profile := binary + ".txt"
		o, err := c.Scratch.Run(ctx, workspace.Process{
			Dir: p.Dir, Env: c.Tool.TestEnv, Timeout: oneTry,
			Args: []string{binary, "-test.run=^$", "-test.bench=" + gocmd.ExactPattern(name), "-test.benchtime=1x", "-test.coverprofile=" + profile},
		})
		if err != nil {
			return nil, err
		}
		counted, err := readCoverage(profile)
		if o.Err != nil || err != nil || slices.ContainsFunc(fillIn(e.functions, counted), func(f Function) bool { return f.Called }) {
			found = append(found, name)
		}
	}
	return found, nil
}

// and returns the benchmarks of both.
func (s selection) and(other selection) selection {
	both := make(selection)
	for _, one := range []selection{s, other} {
		for pkg, names := range one {
			for _, name := range names {
				if !slices.Contains(both[pkg], name) {
					both[pkg] = append(both[pkg], name)
				}
			}
		}
	}
	return both
}

// pattern is the value of -bench for the benchmarks of all packages. It may match more in a
// package that has a benchmark with the name of another one's.
func (s selection) pattern() string {
	var names []string
	for _, some := range s {
		for _, name := range some {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}
