package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

// A record is what a measurement leaves: its run, and what is to be reported of it.
type record struct {
	planned *planned
	run     *experiment.Writer
	events  func(Event)

	failures []Failure
	family   *experiment.Family
	changed  []ID
	timing   *experiment.Timing
	warnings []string

	samples int  // that are in the run
	empty   bool // there was nothing to measure, and that is fine
}

// anyFailed reports whether something could not be built or measured.
func (r *record) anyFailed() bool { return len(r.planned.failures)+len(r.failures) > 0 }

// begin tells of the machine, and of what was found before there was a run.
func (r *record) begin(machine []string) error {
	for _, w := range machine {
		if err := r.warn(w); err != nil {
			return err
		}
	}
	for _, f := range r.planned.failures {
		if err := r.run.Warn(f.line()); err != nil {
			return err
		}
	}
	for _, s := range r.planned.skips {
		r.events(Event{Warning: s.line()})
		if err := r.run.Note(s.line()); err != nil {
			return err
		}
	}
	return nil
}

// close closes the run, or leaves it partial after an error.
func (r *record) close(ctx context.Context, err error) error {
	if err == nil && r.samples == 0 && !r.empty {
		err = fmt.Errorf("%w: %s", ErrNoBenchmarks, slices.Concat(r.planned.failures, r.failures)[0].line())
	}
	if err == nil {
		err = r.run.Close()
	}
	if err == nil {
		return nil
	}
	why := "not finished: " + err.Error()
	if ctx.Err() != nil {
		why = "interrupted while measuring"
	}
	if r.run.Abandon(why) != nil {
		// A full disk: the run stays partial without the note.
		return fmt.Errorf("%w (run %s is incomplete)", err, r.run.ID())
	}
	return err
}

// keepEmpty gives the run files without samples, so that "latest" is what was
// asked last, and not what an older run said.
func (r *record) keepEmpty() error {
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if err := r.run.Append(experiment.Measure, s, nil); err != nil {
			return err
		}
	}
	r.empty = true
	return nil
}

func (r *record) noteOneSided(ref string) error {
	for _, l := range []struct {
		text  string
		names []string
	}{
		{"no change: the test binary is the same as in " + ref, r.planned.unchanged},
		{"new: not in " + ref, r.planned.new},
		{"gone: only in " + ref, r.planned.gone},
	} {
		for _, name := range l.names {
			if err := r.run.Note(name + ": " + l.text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *record) warn(text string) error {
	r.events(Event{Warning: text})
	r.warnings = append(r.warnings, text)
	return r.run.Warn(text)
}

func (r *record) fail(f Failure) error {
	r.failures = append(r.failures, f)
	r.events(Event{Warning: f.line(), Failure: &f})
	if err := r.run.Fail(f.kept()); err != nil {
		return err
	}
	return r.run.Warn(f.line())
}
