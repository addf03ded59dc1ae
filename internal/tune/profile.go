package tune

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
)

// profileTrial is how long a profile for the compiler is measured: it changes all of the
// program, of which there may be any number of benchmarks.
const profileTrial = 5 * time.Minute

// leastGain is what such a profile has to gain to be worth a file that has to be kept
// fresh.
const leastGain = 0.01

// TryProfile measures all benchmarks of some packages built for a profile against built
// for none. To put the profile where the go command finds it is the caller's.
func (t *Tuner) TryProfile(ctx context.Context, f *advice.Finding, profile string, packages []string) (*Result, error) {
	r := &Result{Finding: f.ID, Rule: f.Rule, Time: time.Now().UTC().Truncate(time.Second)}
	b := t.Bench
	b.Dir, b.Packages, b.Pattern = t.Dir, packages, "."
	if b.Count == 0 {
		b.For = profileTrial
	}
	t.stage("measure", strings.Join(packages, " "))
	report, err := b.AgainstPGO(ctx, profile)
	if report != nil && report.Dir != "" {
		r.Run = report.ID
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, bench.ErrNoBenchmarks):
		r.State, r.Why = advice.Inconclusive, "the packages that are hot in the profile have no benchmarks; hone pgo -verify PACKAGES measures others, hone load a service"
		return r, nil
	case err != nil:
		return nil, err
	}
	j := judgeProfile(report)
	r.State, r.Why, r.Changes = j.state, j.why, j.changes
	return r, nil
}

// judgeProfile says what a measurement made of a profile. Unlike a rewrite, which is of
// one line, it moves all benchmarks a little: the mean of their times decides, where none
// got slower beyond doubt.
func judgeProfile(report *bench.Report) judgement {
	j := judge(report, 0)
	if report.Family == nil { // else for the changes alone
		return j
	}
	ratio, interval, n := report.Family.Overall("ns/op")
	mean := fmt.Sprintf("time of %d benchmarks, geometric mean %s %% [%s, %s]", n, percent(ratio), percent(interval.Lo), percent(interval.Hi))
	var slower []string
	for _, c := range report.Family.Regressions() {
		slower = append(slower, Tell(&c))
	}
	switch {
	case n == 0:
		j.state, j.why = advice.Inconclusive, "too few samples for a confidence interval of the mean: take more (-count)"
	case len(slower) > 0:
		j.state, j.why = advice.Refuted, mean+", but worse: "+list(slower)
	case interval.Hi < 1:
		j.state, j.why = advice.Confirmed, mean
	case interval.Lo > 1-leastGain:
		j.state, j.why = advice.Refuted, mean
	default:
		j.state, j.why = advice.Inconclusive, mean+": "+moreSamples
	}
	return j
}
