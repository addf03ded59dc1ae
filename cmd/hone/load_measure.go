package main

import (
	"context"
	"errors"
	"fmt"
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
	report, err := plan.MeasureRun(ctx)
	progress.end()
	if report == nil {
		return err
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
	if ctx.Err() != nil {
		return errors.New("interrupted: the results so far are above")
	}
	if err = load.Verdict(r, f.goals); errors.Is(err, load.ErrMissed) {
		return errMissed
	}
	return err
}

// findRate looks for the highest rate that meets the goals, and prints each try.
func findRate(ctx context.Context, a *app, f *loadFlags, target loadTarget) error {
	progress := newProgress(a)
	search := &measure.Search{
		Load: target.period, Pacing: f.pacing, Warmup: f.warmup, Duration: f.duration, Options: f.opts, Goals: f.goals,
		Window: func(rate float64, w load.Window) { progress.show(fmt.Sprintf("%.6g/s  %s", rate, windowText(w))) },
		Tried: func(t load.Try) {
			progress.show("")
			if !f.json {
				fmt.Fprintf(a.stdout, "%10.6g/s  %s\n", t.Rate, tryText(t))
			}
		},
	}
	best, tries, err := search.Find(ctx)
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
		next, more := load.Above(tries, best.Rate), "don't"
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

func goalsText(f *loadFlags) string {
	var texts []string
	for _, g := range f.goals {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, " and ")
}
