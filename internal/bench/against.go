package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// Against compares the code as it is, the head, with a revision, the base.
//
//	build       both sides with the same Go, flags and tests; what has the same test
//	            binary and test data is left out, and so are benchmarks that run
//	            the same code
//	calibrate   a few processes each; from here on both sides run the same number
//	            of iterations
//	pre-check   A/A: the base against itself, for the noise floor
//	measure     randomised ABBA blocks, benchmark after benchmark, so that each
//	            one's samples spread over the whole time; up to the first look,
//	            then on for what is undecided
//	confirm     what changed is measured anew, and counts if that shows it again;
//	            on for what is undecided, too
//	profile     what changed, on both sides
//
// The verdicts are those of experiment.Run.Compare: reading the run again gives
// the same.
func (b *Bench) Against(ctx context.Context, ref string) (*Report, error) {
	m, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	m.event(Event{Stage: "checkout", What: ref})
	base, err := m.Checkout(ctx, ref)
	if err != nil {
		return nil, err
	}
	m.ref, m.report.Base = ref, &base.Revision
	plan, err := m.pairUp(ctx, base)
	if err != nil {
		return m.report, err
	}
	if err := m.create(ctx, &base.Revision); err != nil {
		return m.report, err
	}
	return m.report, m.finish(ctx, func() error {
		for _, w := range base.Warnings {
			if err := m.warn(w); err != nil {
				return err
			}
		}
		if err := m.noteOneSided(ref); err != nil {
			return err
		}
		if len(plan.both)+len(plan.head) == 0 {
			return m.keepEmpty() // nothing changed, or only went away
		}
		return m.compare(ctx, plan)
	})
}

// AgainstFlags compares the code as it is with itself, built with other flags: -pgo,
// or an -overlay that has other text for some file. Both sides are built and run where
// the code is, so no git is needed, and nothing is written there. name is what the run
// calls the base.
func (b *Bench) AgainstFlags(ctx context.Context, name string, base, head []string) (*Report, error) {
	return b.againstItself(ctx, name, [2]workspace.Side{experiment.Base: {Flags: base}, experiment.Head: {Flags: head}})
}

// AgainstSetting compares the code as it is with itself, run with other variables in its
// environment, such as "GOGC=200". It is built once.
func (b *Bench) AgainstSetting(ctx context.Context, name string, base, head []string) (*Report, error) {
	return b.againstItself(ctx, name, [2]workspace.Side{experiment.Base: {Setting: base}, experiment.Head: {Setting: head}})
}

// againstItself compares two ways to build or run the code as it is: their flags and
// settings.
func (b *Bench) againstItself(ctx context.Context, name string, ways [2]workspace.Side) (*Report, error) {
	m, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	m.Split()
	for s := range m.Sides {
		m.Sides[s].Flags, m.Sides[s].Setting = ways[s].Flags, ways[s].Setting
	}
	plan, err := m.pairUp(ctx, nil)
	if err != nil {
		return m.report, err
	}
	if err := m.create(ctx, &experiment.Revision{Name: name}); err != nil {
		return m.report, err
	}
	return m.report, m.finish(ctx, func() error {
		if err := m.noteOneSided(name); err != nil {
			return err
		}
		if len(plan.both)+len(plan.head) == 0 {
			return m.keepEmpty()
		}
		return m.compare(ctx, plan)
	})
}

// keepEmpty gives the run files without samples, so that "latest" is what was
// asked last, and not what an older run said.
func (m *bencher) keepEmpty() error {
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if err := m.run.Append(experiment.Measure, s, nil); err != nil {
			return err
		}
	}
	m.empty = true
	return nil
}

// A pairing is what to measure.
type pairing struct {
	both []*target // on both sides
	head []*target // new, or unchanged and asked for
}

// pairUp builds both sides and finds out which benchmarks they share. Where they are
// of the same files there is no revision.
func (m *bencher) pairUp(ctx context.Context, rev *workspace.Base) (*pairing, error) {
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
			m.report.Unchanged = append(m.report.Unchanged, h.path)
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
	if built == 0 && len(m.report.Failures) > 0 {
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
	if len(plan.both)+len(plan.head)+len(m.report.SameCode)+len(m.report.Unchanged)+len(m.report.Gone) == 0 {
		return nil, m.nothing(built, exist)
	}
	return plan, nil
}

// listSides lists the packages of both. The base may lack a folder, or all of them; that
// is no failure.
func (m *bencher) listSides(ctx context.Context) (heads, bases []*benchPackage, err error) {
	if heads, err = m.listPackages(ctx, experiment.Head, m.Packages); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", experiment.Head, err)
	}
	base := &m.Sides[experiment.Base]
	switch {
	case base.BuiltLike(&m.Sides[experiment.Head]):
		return heads, heads, nil
	case !workspace.Exists(base.Dir):
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
func (m *bencher) join(plan *pairing, heads, bases []*target) {
	failed := func(t *target) bool {
		top := strings.TrimPrefix(topLevel("Benchmark"+t.Benchmark), "Benchmark")
		return slices.ContainsFunc(m.report.Failures, func(f Failure) bool { return f.Package == t.Package && f.Benchmark == top }) ||
			slices.ContainsFunc(m.report.Skipped, func(s Skip) bool {
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
			m.report.New = append(m.report.New, h.Package+"."+h.Benchmark)
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
func (m *bencher) gone(pkg, benchmark string) {
	name := pkg
	if benchmark != "" {
		name += "." + benchmark
	}
	m.report.Gone = append(m.report.Gone, name)
	m.report.Missing = append(m.report.Missing, experiment.Gap{Package: pkg, Benchmark: benchmark, Why: "only in " + cmp.Or(m.ref, "the base")})
}

func (m *bencher) noteOneSided(ref string) error {
	for _, l := range []struct {
		text  string
		names []string
	}{
		{"no change, the test binary is the same as of " + ref, m.report.Unchanged},
		{"new: not in " + ref, m.report.New},
		{"gone: only in " + ref, m.report.Gone},
	} {
		for _, name := range l.names {
			if err := m.run.Note(name + ": " + l.text); err != nil {
				return err
			}
		}
	}
	return nil
}
