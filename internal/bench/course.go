package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// Measure measures the code as it is: every benchmark Count times, with one process per sample,
// and round by round, so that a slow period of the machine affects all benchmarks. Profiles come
// last, or with a single round right after each benchmark's sample, and have their own processes.
// If the run exists, the report is returned together with an error.
func (b *Bench) Measure(ctx context.Context) (*Report, error) {
	p, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	targets, err := p.targets(ctx, experiment.Head)
	if err != nil {
		return p.found.report(nil), err
	}
	return b.record(ctx, p, nil, nil, func(r *record) error {
		return p.lab(r, &pairing{head: targets}).measure(ctx)
	})
}

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
	p, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.event(Event{Stage: "checkout", What: ref})
	base, err := p.Checkout(ctx, ref)
	if err != nil {
		return nil, err
	}
	p.ref, p.found.base = ref, &base.Revision
	return b.compare(ctx, p, base, &base.Revision, base.Warnings)
}

// AgainstFlags compares the code as it is with itself, built with other flags: -pgo,
// or an -overlay that has other text for some file. Both sides are built and run where
// the code is, so no git is needed, and nothing is written there. name is what the run
// calls the base.
func (b *Bench) AgainstFlags(ctx context.Context, name string, base, head []string) (*Report, error) {
	return b.againstItself(ctx, name, [2]workspace.Side{experiment.Base: {Flags: base}, experiment.Head: {Flags: head}})
}

// AgainstPGO compares the code built without a profile for the compiler with the code built for
// the profile in file.
func (b *Bench) AgainstPGO(ctx context.Context, file string) (*Report, error) {
	file, err := filepath.Abs(file) // the go command may run elsewhere
	if err != nil {
		return nil, err
	}
	return b.AgainstFlags(ctx, WithoutPGO, []string{WithoutPGO}, []string{"-pgo=" + file})
}

// WithoutPGO is the flag of the base of AgainstPGO, and what the run calls it.
const WithoutPGO = "-pgo=off"

// AgainstSetting compares the code as it is with itself, run with other variables in its
// environment, such as "GOGC=200". It is built once.
func (b *Bench) AgainstSetting(ctx context.Context, name string, base, head []string) (*Report, error) {
	return b.againstItself(ctx, name, [2]workspace.Side{experiment.Base: {Setting: base}, experiment.Head: {Setting: head}})
}

// againstItself compares two ways to build or run the code as it is: their flags and
// settings.
func (b *Bench) againstItself(ctx context.Context, name string, ways [2]workspace.Side) (*Report, error) {
	p, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.BaseFromHead()
	for s := range p.Sides {
		p.Sides[s].Flags, p.Sides[s].Setting = ways[s].Flags, ways[s].Setting
	}
	return b.compare(ctx, p, nil, &experiment.Revision{Name: name}, nil)
}

// compare compares both sides: it plans what to measure, and measures it.
func (b *Bench) compare(ctx context.Context, p *planner, rev *workspace.Base, base *experiment.Revision, warnings []string) (*Report, error) {
	plan, err := p.pairUp(ctx, rev)
	if err != nil {
		return p.found.report(nil), err
	}
	return b.record(ctx, p, base, warnings, func(r *record) error {
		if err := r.noteOneSided(base.Name); err != nil {
			return err
		}
		if len(plan.both)+len(plan.head) == 0 {
			return r.keepEmpty() // nothing changed, or only went away
		}
		return p.lab(r, plan).compare(ctx)
	})
}

// record makes a run of what was planned, has it measured, and closes the run, or leaves it
// partial.
func (b *Bench) record(ctx context.Context, p *planner, base *experiment.Revision, warnings []string, measure func(*record) error) (*Report, error) {
	info, err := p.info(ctx, base)
	if err != nil {
		return p.found.report(nil), err
	}
	if err := experiment.HideStore(b.Store); err != nil {
		return p.found.report(nil), err
	}
	run, err := experiment.Create(b.Store, info)
	if err != nil {
		return p.found.report(nil), err
	}
	r := &record{planned: p.found, run: run, events: p.event}
	if err := r.begin(append(info.Environment.Warnings(), workspace.PowerWarnings("/sys/class/power_supply")...)); err != nil {
		return p.found.report(r), err
	}
	before := workspace.ReadDisturbance()
	for _, w := range warnings {
		err = errors.Join(err, r.warn(w))
	}
	if err == nil {
		err = measure(r)
	}
	if err == nil {
		for _, w := range before.Warnings(workspace.ReadDisturbance()) {
			err = errors.Join(err, r.warn(w))
		}
	}
	err = r.close(ctx, err)
	return p.found.report(r), err
}

// lab returns what carries out a plan, and the schedule of it.
func (p *planner) lab(r *record, plan *pairing) *lab {
	l := &lab{runner: p.runner, record: r, targets: plan.all(), noisy: make(map[*target]bool), linker: linker{p.runner, make(map[string]map[int][2]string)}}
	l.schedule = schedule.New(plan.benchmarks(), p.scheduleOptions(p.Tool.Flags), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), time.Now)
	return l
}

// measure measures the head.
func (l *lab) measure(ctx context.Context) error {
	if err := l.follow(ctx, l.schedule.Measurement()); err != nil {
		return err
	}
	return l.tellTime()
}

// compare compares both sides.
func (l *lab) compare(ctx context.Context) error {
	if err := l.follow(ctx, l.schedule.Comparison()); err != nil {
		return err
	}
	if l.schedule.Samples() == 0 && !l.anyFailed() {
		return fmt.Errorf("%w: -for %v is too short for any sample: use a longer time, or select fewer benchmarks with -bench", ErrNoBenchmarks, l.For)
	}
	l.family = l.judged
	l.changed = changedOf(l.targets, l.family)
	return l.tellTime()
}
