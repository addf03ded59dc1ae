package regresstest

import (
	"context"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/experiment/rank"
	"github.com/hone-go/hone/internal/regress"
)

// A Deploy is a version and when its first instance got it.
type Deploy struct {
	Version string
	At      int64
}

// Deploys returns the versions after the first.
func (f *Fleet) Deploys() []Deploy {
	var out []Deploy
	for _, d := range f.deploys[1:] {
		out = append(out, Deploy{d.version, d.at})
	}
	return out
}

// Look runs the detector after a deploy.
func (f *Fleet) Look(ctx context.Context, d Deploy, look regress.Look, o regress.Options) ([]regress.Regression, error) {
	return regress.Detect(ctx, f, regress.Trigger{Service: f.cfg.Service, Kind: f.kind.name, Version: d.Version, Since: d.At, Now: d.At + int64(look.After), Rate: look.Rate, Prior: f.prior(d)}, o)
}

// prior returns when the version before a deploy began.
func (f *Fleet) prior(d Deploy) (at int64) {
	for _, other := range f.deploys {
		if other.at < d.At {
			at = other.at
		}
	}
	return at
}

// Watch runs the detector over the whole time, as the server's schedule does. It returns
// one regression per function, version and day.
func (f *Fleet) Watch(ctx context.Context, o regress.Options) ([]regress.Regression, error) {
	var out []regress.Regression
	keep := func(found []regress.Regression) {
		for _, r := range found {
			if !slices.ContainsFunc(out, func(old regress.Regression) bool { return old.Function == r.Function && r.Since-old.Since < 8*day }) {
				out = append(out, r)
			}
		}
	}
	end := start + int64(f.cfg.Days)*day
	deploys := f.Deploys()
	for i, d := range deploys {
		until := end
		if i+1 < len(deploys) {
			until = min(end, deploys[i+1].At)
		}
		for _, look := range regress.Looks() {
			if d.At+int64(look.After) <= until {
				found, err := f.Look(ctx, d, look, o)
				if err != nil {
					return nil, err
				}
				keep(found)
			}
		}
	}
	for now := start + 9*day; now <= end; now += int64(regress.DriftEvery) {
		found, err := regress.Detect(ctx, f, regress.Trigger{Service: f.cfg.Service, Kind: f.kind.name, Now: now}, o)
		if err != nil {
			return nil, err
		}
		keep(found)
	}
	return out, nil
}

// TTest returns the functions whose share grew, by Welch's test among instances: the plain
// test per function that a person would write first. With corrected, p is divided by the
// number of tests.
func (f *Fleet) TTest(ctx context.Context, d Deploy, now int64, corrected bool) ([]string, error) {
	frames := regress.NewFrames()
	before, after, err := f.sides(ctx, d, now, 6*hour, frames)
	if err != nil {
		return nil, err
	}
	p := 0.05
	if corrected {
		p /= float64(len(frames.Names))
	}
	var out []string
	for fn, name := range frames.Names {
		if b, a := shares(before, fn), shares(after, fn); welch(b, a, p) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Threshold reports whether the service uses more CPU per instance than in the hour before,
// by more than a limit such as 0.05: an alarm per service.
func (f *Fleet) Threshold(ctx context.Context, d Deploy, now int64, limit float64) (bool, error) {
	before, after, err := f.sides(ctx, d, now, hour, regress.NewFrames())
	if err != nil || len(before) == 0 || len(after) == 0 {
		return false, err
	}
	return perSecond(after) > perSecond(before)*(1+limit), nil
}

func (f *Fleet) sides(ctx context.Context, d Deploy, now, long int64, frames *regress.Frames) (before, after []regress.Sum, err error) {
	before, err = f.Sums(ctx, regress.Selection{From: d.At - long, To: d.At, ByInstance: true}, frames)
	if err != nil {
		return nil, nil, err
	}
	after, err = f.Sums(ctx, regress.Selection{From: d.At, To: now, ByInstance: true}, frames)
	return before, slices.DeleteFunc(after, func(s regress.Sum) bool { return s.Version != d.Version }), err
}

func perSecond(sums []regress.Sum) float64 {
	value, seconds := 0.0, 0.0
	for _, s := range sums {
		for _, v := range s.Own {
			value += v
		}
		seconds += s.Seconds
	}
	return value / seconds
}

func shares(sums []regress.Sum, fn int) (out []float64) {
	for _, s := range sums {
		all := 0.0
		for _, v := range s.Own {
			all += v
		}
		if fn < len(s.Own) && all > 0 {
			out = append(out, s.Own[fn]/all)
		} else {
			out = append(out, 0)
		}
	}
	return out
}

// welch reports whether the mean of after is larger, with a two-sided p.
func welch(before, after []float64, p float64) bool {
	mb, vb := moments(before)
	ma, va := moments(after)
	vb, va = vb/float64(len(before)), va/float64(len(after))
	if len(before) < 2 || len(after) < 2 || va+vb == 0 {
		return false
	}
	degrees := (va + vb) * (va + vb) / (va*va/float64(len(after)-1) + vb*vb/float64(len(before)-1))
	return (ma-mb)/math.Sqrt(va+vb) > rank.StudentQuantile(1-p/2, max(3, int(degrees)))
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, variance
}
