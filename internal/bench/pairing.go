package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/workspace"
)

// pairUp builds both sides and finds out which benchmarks they share. Where they are
// of the same files there is no revision.
func (m *planner) pairUp(ctx context.Context, rev *workspace.Base) (*pairing, error) {
	heads, bases, err := m.listSides(ctx)
	if err != nil {
		return nil, err
	}
	plan := new(pairing)
	exist := make(map[string][]string)
	var different []string // packages
	m.toBuild = len(heads)
	built := 0
	for n, h := range heads {
		b := packageOf(bases, h.path)
		if len(h.benchmarks) == 0 && (b == nil || len(b.benchmarks) == 0 || m.TestFiles != BaseTests) {
			continue
		}
		own := [2]*benchPackage{experiment.Base: b, experiment.Head: h}
		pair, err := m.pairPackage(ctx, n, own, rev)
		if err != nil {
			return nil, err
		}
		if pair == nil {
			continue
		}
		if pair.at[experiment.Head] != nil {
			built++
		}
		exist[h.path] = pair.names
		if pair.broken {
			continue // neither new nor gone
		}
		if pair.same {
			m.found.unchanged = append(m.found.unchanged, h.path)
			if m.MeasureUnchanged {
				found, err := m.ownTargets(ctx, h, n)
				if err != nil {
					return nil, err
				}
				plan.head = append(plan.head, found...)
			}
		} else {
			different = append(different, h.path)
			m.join(plan, pair.targets[experiment.Head], pair.targets[experiment.Base])
		}
		if err := m.onlyInOne(ctx, plan, pair, own, n); err != nil {
			return nil, err
		}
	}
	if built == 0 && len(m.found.failures) > 0 {
		return nil, m.nothing(0, nil) // don't bury what is wrong under more of it
	}
	for _, b := range bases {
		if h := packageOf(heads, b.path); len(b.benchmarks) > 0 && (h == nil || len(h.benchmarks) == 0 && exist[b.path] == nil) {
			m.gone(b.path, "")
		}
	}
	if rev != nil {
		if err := m.takeOutSame(ctx, plan, different, rev); err != nil {
			return nil, err
		}
	}
	if len(plan.both)+len(plan.head)+len(m.found.sameCode)+len(m.found.unchanged)+len(m.found.gone) == 0 {
		return nil, m.nothing(built, exist)
	}
	return plan, nil
}

// listSides lists the packages of both. The base may lack a folder, or all of them; that
// is no failure.
func (m *planner) listSides(ctx context.Context) (heads, bases []*benchPackage, err error) {
	if heads, err = m.listPackages(ctx, experiment.Head, m.Packages); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", experiment.Head, err)
	}
	base := &m.Sides[experiment.Base]
	switch {
	case base.BuiltLike(&m.Sides[experiment.Head]):
		return heads, heads, nil
	case !infile.Exists(base.Dir):
		return heads, nil, nil
	}
	if bases, err = m.listPackages(ctx, experiment.Base, m.Packages); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", experiment.Base, err)
	}
	return heads, bases, nil
}

func packageOf(packages []*benchPackage, path string) *benchPackage {
	i := slices.IndexFunc(packages, func(p *benchPackage) bool { return p.path == path })
	if i < 0 {
		return nil
	}
	return packages[i]
}

// join sorts benchmarks of a package by the sides that have them. One that
// failed or was skipped on a side is known to exist there.
func (m *planner) join(plan *pairing, heads, bases []*target) {
	failed := func(t *target) bool {
		top := strings.TrimPrefix(topLevel("Benchmark"+t.Benchmark), "Benchmark")
		return slices.ContainsFunc(m.found.failures, func(f Failure) bool { return f.Package == t.Package && f.Benchmark == top }) ||
			slices.ContainsFunc(m.found.skips, func(s Skip) bool {
				return s.Package == t.Package && (s.Benchmark == t.function || strings.HasPrefix(t.function, s.Benchmark+"/"))
			})
	}
	for _, h := range heads {
		i := slices.IndexFunc(bases, func(b *target) bool { return b.ID == h.ID })
		switch {
		case i >= 0:
			h.at[experiment.Base] = bases[i].at[experiment.Base]
			plan.both = append(plan.both, h)
		case !failed(h):
			m.found.new = append(m.found.new, h.Package+"."+h.Benchmark)
			plan.head = append(plan.head, h)
		}
	}
	for _, b := range bases {
		if !slices.ContainsFunc(heads, func(h *target) bool { return b.ID == h.ID }) && !failed(b) {
			m.gone(b.Package, b.Benchmark)
		}
	}
}

// gone notes a benchmark, or with "" a package, that only the base has.
func (m *planner) gone(pkg, benchmark string) {
	name := pkg
	if benchmark != "" {
		name += "." + benchmark
	}
	m.found.gone = append(m.found.gone, name)
	m.found.missing = append(m.found.missing, experiment.Gap{Package: pkg, Benchmark: benchmark, Why: "only in " + cmp.Or(m.ref, "the base")})
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

// targets builds the packages of a side and lists their benchmarks.
func (m *planner) targets(ctx context.Context, s experiment.Side) ([]*target, error) {
	packages, err := m.listPackages(ctx, s, m.Packages)
	if err != nil {
		return nil, err
	}
	packages = slices.DeleteFunc(packages, func(p *benchPackage) bool { return len(p.benchmarks) == 0 })
	built, err := m.build(ctx, s, packages)
	if err != nil {
		return nil, err
	}
	var all []*target
	exist := make(map[string][]string)
	for _, p := range built {
		found, names, err := m.listBenchmarks(ctx, s, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		exist[p.path] = names
	}
	if len(all) == 0 {
		return nil, m.nothing(len(packages), exist)
	}
	return all, nil
}

// nothing says why there is nothing to measure, and what there would be.
func (m *planner) nothing(packages int, exist map[string][]string) error {
	if len(m.found.failures) > 0 {
		return fmt.Errorf("%w: %s", ErrNoBenchmarks, m.found.failures[0].line())
	}
	if n := len(m.found.skips); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more", n-1)
		}
		return fmt.Errorf("%w: %s%s", ErrNoBenchmarks, m.found.skips[0].line(), more)
	}
	excluded := strings.Join(m.notBuilt, "")
	begin := excluded
	if begin == "" {
		begin = "; hone advise -gen writes some from tests, hone bench -new FUNC writes one, and hone advise -tests profiles the tests"
	}
	if packages == 0 {
		return fmt.Errorf("%w: %s has no benchmarks in its tests%s", ErrNoBenchmarks, strings.Join(m.patterns(), " "), begin)
	}
	var names []string
	for _, p := range exist {
		names = append(names, p...)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: none in the test binaries%s", ErrNoBenchmarks, begin)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	more := ""
	if len(names) > 8 {
		names, more = names[:8], fmt.Sprintf(" and %d more", len(names)-8)
	}
	return fmt.Errorf("%w: -bench %q matches no benchmark with a result; available: %s%s%s", ErrNoBenchmarks, m.Pattern, strings.Join(names, ", "), more, excluded)
}
