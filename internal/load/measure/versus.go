package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/workspace"
)

// A Versus compares two versions of a service under the same load.
//
//	pre-check   compares the base with itself, for the noise floor
//	measure     measures randomised ABBA blocks up to the first look, and up to the
//	            next looks while something is undecided
//	confirm     measures again what changed; a change counts if it shows again
//	profile     takes profiles of both sides, if something changed
//
// Each sample has a process of its own, which is started, warmed up, measured for a
// period and stopped. With one process per version, chance properties of the
// process, such as its memory layout, would look like differences of the versions.
//
// The verdicts are those of experiment.Run.Compare.
type Versus struct {
	Plan     // Run has a base; Count is not used
	Service  *workspace.Service
	Looks    []experiment.Look
	PreCheck int // number of pairs; 0: no pre-check

	// Verdicts are the options of the comparison, such as budgets. Versus sets their Looks.
	Verdicts experiment.Options
	// ProfileAll takes profiles even if nothing changed.
	ProfileAll bool
}

// A VersusReport is the result of a comparison.
type VersusReport struct {
	Base, Head *load.Result       // sums of all valid samples, without the pre-check; nil if there are none
	Family     *experiment.Family // nil without a verdict
	Void       string             // why there is no verdict
	Warnings   []string
}

// Measure compares the versions. If it fails or ctx ends, it returns what was measured so
// far, and the error.
func (v *Versus) Measure(ctx context.Context) (*VersusReport, error) {
	v.Verdicts.Looks = v.Looks
	c := &contest{
		v: v, turns: experiment.NewTurns(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))),
		measurement: &measurement{Plan: &v.Plan, report: &Report{}, counted: v.Memory != nil, patience: maxUnread},
		void:        make(map[experiment.Phase]int), planned: make(map[experiment.Phase]int),
	}
	r := new(VersusReport)
	var err error
	r.Family, err = c.compare(ctx)
	if void := new(voidError); errors.As(err, &void) {
		r.Void, err = void.Error(), nil
	}
	if err == nil && r.Void == "" && (v.ProfileAll || changed(r.Family)) {
		if err = c.profileSides(ctx); err != nil && ctx.Err() == nil {
			c.warn("not all profiles could be taken: %v", err) // the verdict stands
			err = nil
		}
	}
	for _, w := range c.report.Warnings {
		err = errors.Join(err, v.Run.Warn(w))
	}
	err = errors.Join(err, c.keepSides())
	r.Warnings = c.report.Warnings
	for side, to := range map[experiment.Side]**load.Result{experiment.Base: &r.Base, experiment.Head: &r.Head} {
		if len(c.results[side]) > 0 {
			*to = load.Sum(c.results[side]...)
		}
	}
	return r, err
}

// maxVoid limits the void samples of a phase: at most one in maxVoid. A void sample leaves
// a hole in its block.
const maxVoid = 5

// A voidError ends a comparison in which the generator could not keep up.
type voidError struct {
	void, planned int
	why           string
}

func (e *voidError) Error() string {
	return fmt.Sprintf("the generator could not keep up in %d of %d samples: %s", e.void, e.planned, e.why)
}

// maxUnread is how many readings of the service's memory in a row may fail: another
// process is asked each time.
const maxUnread = 3

type contest struct {
	*measurement
	v           *Versus
	turns       *experiment.Turns
	results     [2][]*load.Result     // by side, of what counts
	lines       [2][]*benchfmt.Result // the same as results of a benchmark
	told        [2]told               // by side, by its profiles
	done, total int                   // samples
	void        map[experiment.Phase]int
	planned     map[experiment.Phase]int // samples
}

// compare measures until the verdicts are known.
func (c *contest) compare(ctx context.Context) (*experiment.Family, error) {
	first := 2 * c.v.Looks[0].Pairs
	c.total = 2*c.v.PreCheck + first
	if err := c.pairs(ctx, experiment.PreCheck, c.v.PreCheck); err != nil {
		return nil, err
	}
	err := c.looks(ctx, experiment.Measure, func() (bool, error) {
		family, err := c.judge()
		return err == nil && len(family.Undecided(c.v.Looks)) > 0, err
	})
	if err != nil {
		return nil, err
	}
	family, err := c.judge()
	if err != nil || len(family.Unconfirmed()) == 0 {
		return family, err
	}
	c.total += first
	err = c.looks(ctx, experiment.Repeat, func() (bool, error) {
		run, err := experiment.Open(context.Background(), c.Run.Dir())
		if err != nil {
			return false, err
		}
		doubtful, err := run.Doubtful(c.v.Verdicts)
		return len(doubtful) > 0, err
	})
	if err != nil {
		return nil, err
	}
	return c.judge()
}

// looks measures up to the first look, and on to the next ones while something is open.
func (c *contest) looks(ctx context.Context, phase experiment.Phase, open func() (bool, error)) error {
	pairs := 0
	for _, look := range c.v.Looks {
		if pairs > 0 {
			if more, err := open(); err != nil || !more {
				return err
			}
			c.total += 2 * (look.Pairs - pairs)
		}
		if err := c.pairs(ctx, phase, look.Pairs-pairs); err != nil {
			return err
		}
		pairs = look.Pairs
	}
	return nil
}

func (c *contest) pairs(ctx context.Context, phase experiment.Phase, n int) error {
	c.planned[phase] += 2 * n
	return experiment.Pairs(c.turns, []*contest{c}, phase, n, func(_ *contest, slots []experiment.Slot) error {
		for _, slot := range slots {
			if err := c.sample(ctx, phase, slot.Runs(phase), slot); err != nil {
				return err
			}
		}
		return nil
	})
}

// judge reads the run so far, as anyone would.
func (c *contest) judge() (*experiment.Family, error) {
	run, err := experiment.Open(context.Background(), c.Run.Dir())
	if err != nil {
		return nil, err
	}
	return run.Compare(c.v.Verdicts)
}

var phaseNames = map[experiment.Phase]string{experiment.PreCheck: "pre-check", experiment.Measure: "measure", experiment.Repeat: "confirm"}

// sample measures a side once, in a process of its own.
func (c *contest) sample(ctx context.Context, phase experiment.Phase, side experiment.Side, slot experiment.Slot) error {
	event := Event{
		Stage: Period, Done: c.done, Total: c.total, What: phaseNames[phase] + " " + side.String(),
		Left: time.Duration(c.total-c.done) * (c.Warmup + c.Duration),
	}
	c.tell(event)
	r, line, err := c.process(ctx, side, event)
	if err != nil {
		return err
	}
	c.done++
	if r.Void != "" {
		if c.void[phase]++; c.void[phase] > c.planned[phase]/maxVoid {
			return &voidError{c.void[phase], c.planned[phase], r.Void}
		}
		return nil
	}
	if r.Succeeded == 0 {
		return fmt.Errorf("%s: %w: %s", side, ErrNothing, firstFailure(r))
	}
	if phase != experiment.PreCheck {
		c.results[side], c.lines[side] = append(c.results[side], r), append(c.lines[side], line)
	}
	return c.Run.Append(phase, slot.Side, &slot, line)
}

func firstFailure(r *load.Result) string {
	if len(r.Failures) == 0 {
		return "no request was sent"
	}
	f := r.Failures[0]
	if len(f.Samples) > 0 {
		return f.Name + ", " + f.Samples[0]
	}
	return f.Name
}

// process starts a side, measures it for a period, and stops it.
func (c *contest) process(ctx context.Context, side experiment.Side, event Event) (r *load.Result, line *benchfmt.Result, err error) {
	s, err := c.v.Service.Start(ctx, side)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if c.Warmup > 0 {
		if _, err := c.Load(ctx, WarmUp, c.Warmup, c.Options); err != nil {
			return nil, nil, err
		}
	}
	start := c.memory(ctx)
	before := c.memory(ctx)
	reading := before.since(start)
	cpu, known := s.CPU()
	opts := c.Options
	opts.Window = func(w load.Window) string {
		now := event
		now.Window, now.Left = &w, max(0, event.Left-c.Warmup-w.End)
		c.tell(now)
		return ""
	}
	r, err = c.Load(ctx, Period, c.Duration, opts)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, nil, err
	}
	used, still := s.CPU() // before the service is asked for more
	if line = c.line(r, c.memory(ctx).since(before).less(reading)); r.Succeeded > 0 && known && still {
		line.Values = append(line.Values, benchfmt.Value{Value: float64(used-cpu) / float64(r.Succeeded), Unit: "cpu-ns/op"})
	}
	return r, line, nil
}

// changed reports whether a family says that something has changed which can fail a
// run.
func changed(f *experiment.Family) bool {
	return slices.ContainsFunc(f.Comparisons, func(c experiment.Comparison) bool { return c.Gated && c.Verdict.Changed() })
}

// profileSides takes the profiles of both sides.
func (c *contest) profileSides(ctx context.Context) error {
	for i, kind := range c.Profiles {
		for _, side := range []experiment.Side{experiment.Base, experiment.Head} {
			c.tell(Event{Stage: Profile, Done: 2*i + int(side), Total: 2 * len(c.Profiles), What: kind + " " + side.String(),
				Left: time.Duration(2*(len(c.Profiles)-i)-int(side)) * c.ProfileTime})
			if err := c.profileSide(ctx, side, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *contest) profileSide(ctx context.Context, side experiment.Side, kind string) (err error) {
	s, err := c.v.Service.Start(ctx, side)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if c.Warmup > 0 {
		if _, err := c.Load(ctx, WarmUp, c.Warmup, c.Options); err != nil {
			return err
		}
	}
	p, requests, err := c.profileUnderLoad(ctx, kind)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.warn("no %s profile of the %s: %v", kind, side, err)
		return nil
	}
	of := c.costs(ctx, kind, p, requests)
	if of.gcShare != nil {
		c.told[side].gcShare, c.told[side].hottest = of.gcShare, of.hottest
	}
	c.told[side].costs = append(c.told[side].costs, of.costs...)
	return c.addProfile(side, kind, p, requests)
}

// keepSides keeps what was measured of both versions, but in the pre-check.
func (c *contest) keepSides() error {
	var sides []experiment.LoadSide
	for _, side := range []experiment.Side{experiment.Base, experiment.Head} {
		if len(c.results[side]) > 0 {
			sides = append(sides, c.side(side, c.results[side], costsOf(c.lines[side]), c.told[side]))
		}
	}
	return c.setLoad(sides...)
}
