package objective

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

// ProfileValues gives numbers of profiles to Evaluate, which reads none itself.
type ProfileValues interface {
	// ProfileValue returns the metric of one benchmark's profile of the side
	// Head: a fraction for a share, else an amount per operation in seconds,
	// bytes or plain. It returns ErrNoProfile (wrapped or not) if the run has
	// no such profile. It is called from one goroutine.
	ProfileValue(pkg, benchmark string, m ProfileMetric) (Quantity, error)
}

// ErrNoProfile: the run has no profile of the kind an objective asks for.
var ErrNoProfile = errors.New("the run has no such profile")

func (o *Objective) evaluateProfiles(series []experiment.Series, profiles ProfileValues) []Outcome {
	type benchmark struct{ pkg, name string }
	var seen []benchmark
	var outcomes []Outcome
	for _, s := range series {
		b := benchmark{s.Package, s.Benchmark}
		if !o.matches(s.Key) || slices.Contains(seen, b) {
			continue
		}
		seen = append(seen, b)
		k := experiment.Key{Package: s.Package, Benchmark: s.Benchmark, Unit: o.Metric}
		noData := func(why any) {
			outcomes = append(outcomes, o.noData(k, fmt.Sprintf("%s of the %s profile: %v", o.Metric, o.Profile.Kind, why)))
		}
		if profiles == nil {
			noData(ErrNoProfile)
			continue
		}
		q, err := profiles.ProfileValue(s.Package, s.Benchmark, *o.Profile)
		if err != nil {
			noData(err)
			continue
		}
		if bad := o.wrongDimension(q.Dimension); bad != nil {
			noData(fmt.Errorf("%s: %q is %s, but the profile counts %s", o.Pos, bad.Text, bad.Dimension, q.Dimension))
			continue
		}
		outcomes = append(outcomes, o.evaluateBounds(k, q.Value, q.Value, q.Value, func(v float64) string { return q.Dimension.shown(v, o.Metric) })...)
	}
	return outcomes
}

// wrongDimension returns a bound whose dimension is not that of the profile.
// Plain numbers fit all: seconds, bytes or counts.
func (o *Objective) wrongDimension(d Dimension) *Quantity {
	for _, q := range []*Quantity{o.Max, o.Min} {
		if q != nil && q.Dimension != Number && q.Dimension != d {
			return q
		}
	}
	return nil
}
