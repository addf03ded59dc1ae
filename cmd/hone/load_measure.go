package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/measure"
)

// keptPartial precedes the folder of a run that no verb takes for latest.
const keptPartial = "hone: the results so far are kept as a partial run: "

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
	if report.Void != "" {
		a.warn(keptPartial + run.Dir())
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
		Window: func(rate float64, w load.Window) {
			progress.show(fmt.Sprintf("%s/s  %s", load.RateText(rate), windowText(w)))
		},
		Tried: func(t load.Try) {
			progress.show("")
			if !f.json {
				fmt.Fprintf(a.stdout, "%10s/s  %s\n", load.RateText(t.Rate), tryText(t))
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
		fmt.Fprintf(a.stdout, "\n%s\n", foundText(best.Rate, load.Above(tries, best.Rate), f.goals))
	}
	if errors.Is(err, load.ErrTooSlow) && tries[len(tries)-1].Void == "" {
		a.warn("hone: " + err.Error())
		return errMissed
	}
	return err
}

// foundText says how many requests per second meet the goals. Next is the lowest rate that
// was too high, if there was one.
func foundText(best float64, next load.Try, goals []load.Goal) string {
	var texts []string
	for _, g := range goals {
		texts = append(texts, g.String())
	}
	text := fmt.Sprintf("%s requests per second meet %s", load.RateText(best), strings.Join(texts, " and "))
	switch {
	case math.IsInf(next.Rate, 1):
		return text
	case next.Result != nil && next.Void != "":
		return text + fmt.Sprintf("; %s are too many for this machine to send on time", load.RateText(next.Rate))
	}
	return text + fmt.Sprintf("; %s don't", load.RateText(next.Rate))
}
