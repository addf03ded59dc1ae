package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// A benchmark that changed together with the code says nothing about the code. So both
// sides of a comparison with a revision run the same one: where test files or testdata
// of a package differ, one side is built with those of the other, by an overlay, and
// nothing is written to either. What that can't build, or run, is tried the other way
// round, and last each side runs its own, which decides nothing.

// TestFiles says whose benchmarks a comparison with a revision runs.
type TestFiles uint8

const (
	HeadTests TestFiles = iota // the head's on both sides, or else as BaseTests
	BaseTests                  // the base's on both sides, or else as HeadTests
	EachTests                  // each side its own, and they are judged all the same
)

// lenders returns whose tests to try on the other side, in order.
func (t TestFiles) lenders() []experiment.Side {
	return [][]experiment.Side{
		HeadTests: {experiment.Head, experiment.Base},
		BaseTests: {experiment.Base, experiment.Head},
		EachTests: nil,
	}[t]
}

var originOf = map[experiment.Side]experiment.BenchmarkOf{experiment.Head: experiment.OfHead, experiment.Base: experiment.OfBase}

// A packagePair is a package as it is built on both sides.
type packagePair struct {
	at      [2]*benchPackage // of the base, nil where it has no such benchmarks
	from    experiment.BenchmarkOf
	same    bool // the binaries, and what they may read
	broken  bool // on a side, in all of the package
	targets [2][]*target
	names   []string // of top-level benchmarks
}

// pairPackage builds a package, the n-th, on both sides, with the same tests where that
// can be. nil: there is nothing to build on the head.
func (m *planner) pairPackage(ctx context.Context, n int, own [2]*benchPackage, rev *workspace.Base) (*packagePair, error) {
	diff, err := m.compareTests(own, rev)
	if err != nil {
		return nil, err
	}
	origin := experiment.TestOrigin{Package: own[experiment.Head].path, From: experiment.OfEach, Asked: m.TestFiles == EachTests}
	var partly *packagePair // not all of its benchmarks ran
	var told, partlyTold held
	if diff != nil {
		origin.Files = diff.names
		for _, lender := range m.TestFiles.lenders() {
			if !m.mayLend(own, lender) {
				continue
			}
			at, err := m.lend(own, lender, diff, n)
			if err != nil { // no links, for one
				origin.Why = append(origin.Why, err.Error())
				continue
			}
			m.held = &told
			pair, err := m.tryPair(ctx, n, at, rev, diff.names)
			m.held = nil
			if err != nil {
				return nil, err
			}
			pair.from = originOf[lender]
			why, all := told.blames(m.sideName(1-lender), m.sideName(lender))
			switch {
			case lender == experiment.Head && told.broken(m.sideName(lender)):
				m.release(&told)
				return pair, nil // what is to be measured is wrong
			case why != nil:
				origin.Why = append(origin.Why, m.whyNot(lender, why))
			case !told.broken(m.sideName(lender)):
				origin.From = pair.from
				m.accept(pair, origin, diff, &told)
				return pair, nil
			}
			if why != nil && !all && partly == nil && len(pair.targets[1-lender]) > 0 {
				partly, partlyTold = pair, told
			}
			told = held{}
		}
	}
	if partly != nil {
		origin.From, origin.Why = partly.from, nil // the failures are told
		m.accept(partly, origin, diff, &partlyTold)
		return partly, nil
	}
	if len(own[experiment.Head].benchmarks) == 0 {
		return nil, nil
	}
	if b := own[experiment.Base]; b != nil && len(b.benchmarks) == 0 {
		own[experiment.Base] = nil
	}
	pair, err := m.tryPair(ctx, n, own, rev, nil)
	if err != nil || diff == nil || pair.at[experiment.Base] == nil || pair.broken || pair.same {
		return pair, err
	}
	pair.from = experiment.OfEach
	m.accept(pair, origin, diff, &told)
	return pair, nil
}

// mayLend reports whether a side has benchmarks, and the other the code for them.
func (m *planner) mayLend(own [2]*benchPackage, lender experiment.Side) bool {
	from, to := own[lender], own[1-lender]
	switch {
	case from == nil || len(from.benchmarks) == 0:
		return false
	case to == nil: // a package of tests alone is of code elsewhere
		return lender == experiment.Head && !from.hasCode && workspace.Exists(m.Sides[experiment.Base].Dir)
	}
	return true
}

// accept keeps what was tried, and tells of it.
func (m *planner) accept(pair *packagePair, origin experiment.TestOrigin, diff *testDiff, told *held) {
	m.report.Tests = append(m.report.Tests, origin)
	if pair.from != experiment.OfEach {
		for s, p := range pair.at {
			if p == nil {
				continue
			}
			p.shared = diff.names
			if p.borrows {
				if m.lent[s] == nil {
					m.lent[s] = make(map[string]string)
				}
				maps.Copy(m.lent[s], p.replace)
			}
		}
	}
	m.release(told)
}

// release reports what was held back.
func (m *planner) release(told *held) {
	for _, s := range told.skips {
		m.skip(s)
	}
	for _, f := range told.failures {
		m.fail(f)
	}
}

// tryPair builds a package on both sides and lists its benchmarks. shared are names of
// files beside it that are one side's on both.
func (m *planner) tryPair(ctx context.Context, n int, at [2]*benchPackage, rev *workspace.Base, shared []string) (*packagePair, error) {
	pair := &packagePair{at: at}
	for _, s := range []experiment.Side{experiment.Head, experiment.Base} {
		if at[s] == nil {
			continue
		}
		if s == experiment.Base && m.Sides[s].BuiltLike(&m.Sides[experiment.Head]) {
			p := *at[experiment.Head]
			p.env = m.Sides[s].Setting
			pair.at[s] = &p
			continue
		}
		built, err := m.buildOne(ctx, s, at[s], n)
		if err != nil {
			return nil, err
		}
		if !built {
			pair.at[s] = nil
			pair.broken = pair.broken || s == experiment.Head || m.isBroken(at[s].path)
		}
		if pair.broken {
			return pair, nil
		}
	}
	h, b := pair.at[experiment.Head], pair.at[experiment.Base]
	if b != nil && b.sum == h.sum && slices.Equal(b.env, h.env) {
		changed, err := dataChanged(ctx, rev, h.dir, shared)
		if err != nil {
			return nil, err
		}
		if pair.same = !changed; pair.same {
			return pair, nil
		}
	}
	for _, s := range []experiment.Side{experiment.Head, experiment.Base} {
		if pair.at[s] == nil {
			continue
		}
		found, names, err := m.listBenchmarks(ctx, s, pair.at[s])
		if err != nil {
			return nil, err
		}
		pair.targets[s], pair.names = found, append(pair.names, names...)
		if pair.broken = m.isBroken(h.path); pair.broken {
			break
		}
	}
	return pair, nil
}

// isBroken reports whether all of a package failed.
func (m *planner) isBroken(path string) bool {
	failures := m.report.Failures
	if m.held != nil {
		failures = m.held.failures
	}
	return slices.ContainsFunc(failures, func(f Failure) bool { return f.Package == path && f.Benchmark == "" })
}

// onlyInOne reports benchmarks that the tests which both sides ran have not got: new
// ones, which are measured with the head's own tests, and gone ones.
func (m *planner) onlyInOne(ctx context.Context, plan *pairing, pair *packagePair, own [2]*benchPackage, n int) error {
	h, b := own[experiment.Head], own[experiment.Base]
	switch pair.from {
	case experiment.OfHead:
		if b == nil {
			return nil
		}
		for _, name := range b.benchmarks {
			if _, asked := narrow(m.Pattern, name); asked && !slices.Contains(h.benchmarks, name) {
				m.gone(b.path, strings.TrimPrefix(name, "Benchmark"))
			}
		}
	case experiment.OfBase:
		if len(h.benchmarks) == 0 {
			return nil
		}
		found, err := m.ownTargets(ctx, h, n)
		if err != nil {
			return err
		}
		known := slices.Concat(pair.targets[experiment.Head], pair.targets[experiment.Base])
		m.join(plan, slices.DeleteFunc(found, func(t *target) bool {
			return slices.ContainsFunc(known, func(k *target) bool { return k.ID == t.ID })
		}), nil)
	}
	return nil
}

// ownTargets lists the head's benchmarks, of its own tests.
func (m *planner) ownTargets(ctx context.Context, h *benchPackage, n int) ([]*target, error) {
	if built, err := m.buildOne(ctx, experiment.Head, h, n); err != nil || !built {
		return nil, err
	}
	found, _, err := m.listBenchmarks(ctx, experiment.Head, h)
	return found, err
}

// held is what fails and is skipped in an attempt, which may be given up.
type held struct {
	failures []Failure
	skips    []Skip
}

// broken reports whether all of the package failed on a side.
func (h *held) broken(side string) bool {
	return slices.ContainsFunc(h.failures, func(f Failure) bool { return f.Side == side && f.Benchmark == "" })
}

// blames returns a failure of the side that borrowed tests which the lender has not
// got, and whether it is of all the package.
func (h *held) blames(borrower, lender string) (first *Failure, all bool) {
	for i, f := range h.failures {
		if f.Side != borrower || slices.ContainsFunc(h.failures, func(g Failure) bool { return g.Side == lender && g.Benchmark == f.Benchmark }) {
			continue
		}
		if first == nil {
			first = &h.failures[i]
		}
		all = all || f.Benchmark == ""
	}
	return first, all
}

// compilerLine is where the compiler complains, and what about.
var compilerLine = lazyregexp.New(`(?m)^(?:\S*[/\\])?([^/\\\s]+\.go):\d+(?::\d+)?: (.*)$`)

// whyNot says in words why tests can't be lent.
func (m *planner) whyNot(lender experiment.Side, f *Failure) string {
	whose, where := "head's", m.ref
	if lender == experiment.Base {
		whose, where = "that of "+m.ref, "head"
	}
	what := f.What
	if f.Benchmark != "" {
		what = "Benchmark" + f.Benchmark + ": " + what
	}
	if c := compilerLine.FindStringSubmatch(f.Output); c != nil && strings.HasPrefix(f.What, "does not") {
		return fmt.Sprintf("%s does not build on %s: %s: %s", whose, where, c[1], c[2])
	}
	if strings.HasPrefix(f.What, "does not") {
		return fmt.Sprintf("%s %s on %s", whose, what, where)
	}
	return fmt.Sprintf("%s fails on %s: %s", whose, where, what)
}

// lend returns a package as both sides have it, one of them with the tests of the other.
func (m *planner) lend(own [2]*benchPackage, lender experiment.Side, diff *testDiff, n int) (at [2]*benchPackage, err error) {
	borrower := 1 - lender
	at = own
	p := benchPackage{path: own[lender].path, name: own[lender].name, dir: diff.dirs[borrower]}
	if own[borrower] != nil {
		p = *own[borrower]
	}
	p.borrows, p.binary, p.leaks = true, "", ""
	p.benchmarks = own[lender].benchmarks
	p.replace = diff.replace[borrower]
	if own[borrower] == nil { // go vet wants the folder, which is in our checkout
		if err := os.MkdirAll(p.dir, 0o700); err != nil {
			return at, err
		}
	}
	if diff.data {
		folder := filepath.Join(m.Scratch.Path, "run", borrower.String(), fmt.Sprint(n))
		if p.folder, err = diff.runFolder(borrower, folder); err != nil {
			return at, fmt.Errorf("a folder to run %s in: %w", p.path, err)
		}
	}
	at[borrower] = &p
	return at, nil
}
