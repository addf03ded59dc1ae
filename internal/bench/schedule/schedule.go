package schedule

import (
	"iter"
	"math/rand/v2"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A Plan is what is measured. Benchmarks have their place in it: first those of Both.
type Plan struct {
	Both []Benchmark // on both sides
	Head []Benchmark // that there is nothing to compare with
}

// A Benchmark of a plan.
type Benchmark struct {
	ID
	Binary string // the head's test binary: benchmarks of one share what is linked
}

// A Schedule is the course of one measurement.
type Schedule struct {
	course course
}

// New returns the schedule of a plan, by a clock.
func New(p Plan, opts Options, rng *rand.Rand, now func() time.Time) *Schedule {
	c := course{sampler: sampler{outlook: outlook{Options: &opts}, steps: steps{now: now}, waiter: waiter{rest: opts.Wait}, turns: experiment.NewTurns(rng)}}
	add := func(to *[]*benchmark, from []Benchmark) {
		for _, b := range from {
			*to = append(*to, &benchmark{ID: b.ID, n: len(c.both) + len(c.head), binary: b.Binary, whole: opts.Whole || opts.Benchtime.Iterations > 0})
		}
	}
	add(&c.both, p.Both)
	add(&c.head, p.Head)
	return &Schedule{c}
}

// Comparison returns the steps that compare both sides. Each one has to be carried out,
// and its outcome given to Record, before the next one is asked for.
func (s *Schedule) Comparison() iter.Seq[Step] { return s.course.seq(s.course.compare) }

// Measurement returns the steps that measure the head alone, likewise.
func (s *Schedule) Measurement() iter.Seq[Step] { return s.course.seq(s.course.measure) }

// Record takes the outcome of the step that was returned last.
func (s *Schedule) Record(o Outcome) { s.course.outcome = o }

// Progress is how far a measurement is.
type Progress struct {
	Done, Total int // processes, as far as planned
	Left        time.Duration
}

// Progress returns how far it is now.
func (s *Schedule) Progress() Progress {
	return Progress{s.course.finished, s.course.total(), s.course.rest(s.course.now())}
}

// Timing is what was announced, and what it took so far; nil if nothing was.
func (s *Schedule) Timing() *experiment.Timing {
	if s.course.begun.at.IsZero() {
		return nil
	}
	seconds := func(d time.Duration) float64 { return d.Round(time.Second / 10).Seconds() }
	return &experiment.Timing{
		Expected: seconds(s.course.begun.expected), IfChanged: seconds(s.course.begun.expected + s.course.begun.changed),
		Took: seconds(s.course.now().Sub(s.course.begun.at)), Waited: seconds(s.course.waiter.waited),
	}
}

// Waited is how long it waited for others in all.
func (s *Schedule) Waited() time.Duration { return s.course.waiter.waited }

// Samples is how many were taken.
func (s *Schedule) Samples() int { return s.course.taken }
