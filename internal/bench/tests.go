package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// A benchmark that changed together with the code says nothing about the code. So both
// sides of a comparison with a revision run the same one: where test files or testdata
// of a package differ, one side is built with those of the other, by an overlay, and
// nothing is written to either. What that can't build, or run, is tried the other way
// round, and last each side runs its own, which decides nothing.

var originOf = map[experiment.Side]experiment.BenchmarkOf{experiment.Head: experiment.OfHead, experiment.Base: experiment.OfBase}

// A lender has both sides run the same tests, where that can be.
type lender struct {
	builder
	found *planned
	ref   string               // what the base is called
	lent  [2]map[string]string // overlays: the tests that a side borrows from the other
}

// pairPackage builds a package, the n-th, on both sides, with the same tests where that
// can be. nil: there is nothing to build on the head.
func (m *lender) pairPackage(ctx context.Context, n int, own [2]*benchPackage, rev *workspace.Base) (*packagePair, error) {
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
			attempt := m.builder
			attempt.held, attempt.quiet = &told, true
			pair, err := attempt.tryPair(ctx, n, at, rev, diff.names)
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
func (m *lender) mayLend(own [2]*benchPackage, lender experiment.Side) bool {
	from, to := own[lender], own[1-lender]
	switch {
	case from == nil || len(from.benchmarks) == 0:
		return false
	case to == nil: // a package of tests alone is of code elsewhere
		return lender == experiment.Head && !from.hasCode && infile.Exists(m.Sides[experiment.Base].Dir)
	}
	return true
}

// accept keeps what was tried, and tells of it.
func (m *lender) accept(pair *packagePair, origin experiment.TestOrigin, diff *testDiff, told *held) {
	m.found.tests = append(m.found.tests, origin)
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
func (m *lender) release(told *held) {
	for _, s := range told.skips {
		m.held.skip(s)
	}
	for _, f := range told.failures {
		m.fail(f)
	}
}

// compilerLine is where the compiler complains, and what about.
var compilerLine = lazyregexp.New(`(?m)^(?:\S*[/\\])?([^/\\\s]+\.go):\d+(?::\d+)?: (.*)$`)

// whyNot says in words why tests can't be lent.
func (m *lender) whyNot(lender experiment.Side, f *Failure) string {
	whose, where := "the working tree's", m.ref
	if lender == experiment.Base {
		whose, where = m.ref+"'s", "the working tree"
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
func (m *lender) lend(own [2]*benchPackage, lender experiment.Side, diff *testDiff, n int) (at [2]*benchPackage, err error) {
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
