package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/measure"
	"github.com/hone-go/hone/internal/workspace"
)

// newService builds the service of -serve, in one or both versions.
func newService(ctx context.Context, a *app, f *loadFlags, p loadProtocol) (*workspace.Service, error) {
	address, err := p.address(f)
	if err != nil {
		return nil, err
	}
	progress := newProgress(a)
	defer progress.end()
	s, err := workspace.NewService(ctx, workspace.ServiceOptions{
		Command: f.serve, Address: address, Against: f.against, Ready: f.ready,
		Events: func(stage, what string) { progress.show(stage + " " + what) },
	})
	if err != nil {
		return nil, err
	}
	for _, w := range s.Warnings {
		a.warn("hone: " + compare.Printable(w))
	}
	return s, nil
}

// servedLoad starts the service of -serve, measures it, and stops it.
func servedLoad(ctx context.Context, a *app, f *loadFlags, protocol string, p loadProtocol) (err error) {
	s, err := newService(ctx, a, f, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := s.Start(ctx, experiment.Head)
	if err != nil {
		return err
	}
	defer func() {
		switch ended := r.Stop(); {
		case ended == nil:
		case err == nil, errors.Is(err, errMissed): // the end of the service explains a missed goal
			err = ended
		default:
			a.warn("hone: " + ended.Error())
		}
	}()
	target, err := f.open(ctx, p)
	if err != nil {
		return err
	}
	if f.find != "" {
		return findRate(ctx, a, f, target)
	}
	return measureLoad(ctx, a, f, protocol, target)
}

// targetOfService opens the target while the service runs, because open may ask it for its
// schema.
func targetOfService(ctx context.Context, f *loadFlags, p loadProtocol, s *workspace.Service) (target loadTarget, err error) {
	r, err := s.Start(ctx, experiment.Head)
	if err != nil {
		return target, err
	}
	defer func() { err = errors.Join(err, r.Stop()) }()
	return f.open(ctx, p)
}

// loadAgainst compares two versions of the service.
func loadAgainst(ctx context.Context, a *app, f *loadFlags, protocol string, p loadProtocol) (err error) {
	objectives, err := objective.ReadOwn(ctx, moduleDir())
	if err != nil {
		return err
	}
	if err := hideRuns(a, f.store); err != nil { // otherwise runs are changes of the working tree
		return err
	}
	s, err := newService(ctx, a, f, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if same, err := s.Same(ctx); err != nil {
		return err
	} else if same {
		return tellSame(a, f)
	}
	target, err := targetOfService(ctx, f, p, s)
	if err != nil {
		return err
	}
	plan, err := loadPlan(ctx, a, f, protocol, target)
	if err != nil {
		return err
	}
	run, err := experiment.Create(f.store, experiment.Info{
		Command: f.command, Environment: experiment.ReadEnvironment(s.GoVersion()), Head: s.Revision(ctx), Base: s.Base,
	})
	if err != nil {
		return err
	}
	for _, w := range s.Warnings {
		if err := run.Warn(w); err != nil {
			return err
		}
	}
	progress := newProgress(a)
	plan.Run, plan.Events = run, progress.load
	versus := &measure.Versus{
		Plan: *plan, Service: s, Looks: experiment.DefaultLooks, PreCheck: f.preCheck, Verdicts: experiment.DefaultOptions(),
		ProfileAll: f.given("profile"),
	}
	versus.Verdicts.Budget, versus.Verdicts.Gated = objective.BudgetOf(objectives), objective.GatedBy(objectives)
	if f.count > 0 {
		versus.Looks = experiment.OneLook(f.count)
	}
	report, err := versus.MeasureRun(ctx)
	progress.end()
	if err != nil {
		if ctx.Err() != nil || report != nil && report.Void != "" {
			a.warn(keptPartial + run.Dir())
		}
		return err
	}
	if err := tellVersus(ctx, a, f, target, run, report); err != nil {
		return err
	}
	if err := gateError(len(report.Family.Regressions()) > 0, len(report.Family.Missing)); err != nil {
		return err
	}
	return loadVerdict(ctx, f, report.Head, nil)
}

// versusJSON is what hone load -against prints with -json.
type versusJSON struct {
	Run        string          `json:"run,omitempty"`
	Dir        string          `json:"dir,omitempty"`
	Regression bool            `json:"regression"`          // what exit code 3 says, if no goal was missed
	Unchanged  bool            `json:"unchanged,omitempty"` // the program is the same: nothing was measured
	Base       *load.Result    `json:"base,omitempty"`      // of all samples
	Head       *load.Result    `json:"head,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Comparison json.RawMessage `json:"comparison,omitempty"` // the output of hone compare -json
}

func tellSame(a *app, f *loadFlags) error {
	if f.json {
		return writeJSON(a.stdout, versusJSON{Unchanged: true})
	}
	_, err := fmt.Fprintf(a.stdout, "no change: the program is the same as in %s\n", compare.Printable(f.against))
	return err
}

func tellVersus(ctx context.Context, a *app, f *loadFlags, target loadTarget, run *experiment.Writer, r *measure.VersusReport) error {
	c, err := compared(ctx, f.store, run.Dir(), r.Family)
	if err != nil {
		return err
	}
	if f.json {
		out := versusJSON{
			Run: run.ID(), Dir: run.Dir(), Regression: len(r.Family.Regressions()) > 0, Base: r.Base, Head: r.Head, Warnings: r.Warnings,
		}
		if out.Comparison, err = comparisonJSON(c); err != nil {
			return err
		}
		return writeJSON(a.stdout, out)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n", target.where, loadText(f, r.Head))
	for _, side := range []struct {
		name string
		*load.Result
	}{{"base", r.Base}, {"head", r.Head}} {
		if side.Failed > 0 || len(side.Silences) > 0 || side.Overdue > 0 {
			fmt.Fprintf(&b, "\n%s:\n", side.name)
			tellAnswered(&b, side.Result)
			tellFailures(&b, side.Result)
			tellSilences(&b, side.Silences)
		}
	}
	fmt.Fprintln(&b)
	if err := c.Write(&b, textFormat(f.verbose)); err != nil {
		return err
	}
	tellRegressions(&b, r.Family.Regressions())
	tellGoals(f, &b, r.Head)
	if err := tellNext(&b, f.store, run.Dir()); err != nil {
		return err
	}
	_, err = a.stdout.Write(b.Bytes())
	return err
}
