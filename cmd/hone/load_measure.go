package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/measure"
)

func measureLoad(ctx context.Context, a *app, f *loadFlags, protocol string, target loadTarget) error {
	plan, err := loadPlan(ctx, a, f, protocol, target)
	if err != nil {
		return err
	}
	if err := hideRuns(a, f.store); err != nil {
		return err
	}
	run, err := experiment.Create(f.store, experiment.Info{
		Command: f.command, Environment: experiment.ReadEnvironment(""), Head: experiment.ReadRevision(ctx, "."),
	})
	if err != nil {
		return err
	}
	progress := newProgress(a)
	plan.Run, plan.Events = run, progress.load
	report, err := plan.Measure(ctx)
	progress.end()
	if void := report != nil && report.Result != nil && report.Void != ""; err != nil || ctx.Err() != nil || void {
		why := "interrupted"
		switch {
		case ctx.Err() != nil:
		case err != nil:
			why = err.Error()
		case void: // partial, so that no conclusions are drawn from it
			why = "void: " + report.Void
		}
		err = errors.Join(err, run.Abandon(why))
	} else {
		err = run.Close()
	}
	if report == nil {
		return errors.Join(err, os.RemoveAll(run.Dir()))
	}
	if told := tellLoad(a, f, target, report); told != nil {
		return told
	}
	return loadVerdict(ctx, f, report.Result, err)
}

// loadPlan returns what the flags ask for, without the run and the progress.
func loadPlan(ctx context.Context, a *app, f *loadFlags, protocol string, target loadTarget) (*measure.Plan, error) {
	plan := &measure.Plan{
		Protocol: protocol, Name: target.name, Load: target.period(f.pacing), Warmup: f.warmup, Duration: f.duration,
		Count: f.count, Options: f.opts, Goals: f.goals, ProfileTime: f.profileTime,
		Deliveries: target.deliveries,
	}
	return plan, f.profiled(ctx, a, plan)
}

// loadVerdict returns the error that a load ends with.
func loadVerdict(ctx context.Context, f *loadFlags, r *load.Result, err error) error {
	if err != nil && ctx.Err() == nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: what was measured is above")
	case r.Void != "":
		return errors.New("the run is void: " + r.Void)
	case r.Stopped != "":
		return errors.New("the run was stopped: " + r.Stopped)
	}
	silent := load.MissedSilence(r, f.goals)
	allowed := false
	for _, g := range f.goals {
		if !g.Met(r) {
			return errMissed
		}
		allowed = allowed || strings.HasPrefix(g.String(), "failed")
	}
	switch {
	case silent != "" && len(f.goals) > 0:
		return errMissed
	case silent != "":
		return errors.New(silent)
	}
	if r.Failed > 0 && !allowed {
		return fmt.Errorf("%d of %d requests failed", r.Failed, r.Requests())
	}
	return nil
}

// precision is how close to the highest rate a search comes.
const precision = .05

func findRate(ctx context.Context, a *app, f *loadFlags, target loadTarget) error {
	progress := newProgress(a)
	first := true
	try := func(ctx context.Context, rate float64) (*load.Result, error) {
		opts := f.opts
		if first {
			opts.Warmup, first = f.warmup, false
		}
		opts.Window = func(w load.Window) string {
			progress.show(fmt.Sprintf("%.6g/s  %s", rate, windowText(w)))
			return ""
		}
		return target.period(f.pacing.At(rate))(ctx, measure.Period, opts.Warmup+f.duration, opts)
	}
	start := 10.0
	if f.rate != "" {
		start = f.pacing.Rate()
	}
	best, tries, err := load.Find(ctx, start, precision, f.goals, try, func(t load.Try) {
		progress.show("")
		if !f.json {
			fmt.Fprintf(a.stdout, "%10.6g/s  %s\n", t.Rate, tryText(t))
		}
	})
	progress.end()
	if f.json {
		out := struct {
			Best  *load.Try  `json:"best"`
			Tries []load.Try `json:"tries"`
		}{best, tries}
		if err := writeJSON(a.stdout, out); err != nil {
			return err
		}
	} else if best != nil {
		next, more := nextMissed(tries, best.Rate), "do not"
		if next.Void != "" {
			more = "are too many for this machine to send on time"
		}
		fmt.Fprintf(a.stdout, "\n%.6g requests per second meet %s; %.3g %% more %s\n", best.Rate, goalsText(f), 100*(next.Rate/best.Rate-1), more)
	}
	if errors.Is(err, load.ErrTooSlow) && tries[len(tries)-1].Void == "" {
		a.warn("hone: " + err.Error())
		return errMissed
	}
	return err
}

// nextMissed returns the try at the lowest rate above best that was missed: a search
// that found a best one has ended at such.
func nextMissed(tries []load.Try, best float64) load.Try {
	next := load.Try{Rate: math.Inf(1)}
	for _, t := range tries {
		if t.Missed != "" && t.Rate > best && t.Rate < next.Rate {
			next = t
		}
	}
	return next
}

func goalsText(f *loadFlags) string {
	var texts []string
	for _, g := range f.goals {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, " and ")
}
