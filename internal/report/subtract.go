package report

import (
	"cmp"

	"github.com/hone-go/hone/profile"
)

// Scaling says how two sides of a comparison are made comparable. The zero value
// leaves them as they are.
type Scaling struct {
	// Normalize scales one side to the total of the other, so that shares are
	// compared.
	Normalize bool
	// BaseTotal, with Normalize, is what the base's total is then, as a multiple of
	// the head's; 0 is 1. The ratio of what an operation cost before and costs now
	// compares as many operations of each.
	BaseTotal float64
}

func (s Scaling) ratio() float64 { return cmp.Or(s.BaseTotal, 1) }

// Subtract returns p minus base. With diff the base's samples stay samples of
// their own, marked by a label, so that percentages can be of the base. To compare
// shares p is scaled, as go tool pprof does it; to compare as many operations the
// base is, so that p says what was measured, as in [Diff] and in flame graphs.
func Subtract(p, base *profile.Profile, diff bool, scaling Scaling) (*profile.Profile, error) {
	if diff {
		base = base.SetLabel(baseLabel, "true")
	}
	var err error
	switch {
	case scaling.Normalize && scaling.BaseTotal != 0:
		if base, err = base.Normalize(p); err == nil {
			base = base.ScaleAll(scaling.BaseTotal)
		}
	case scaling.Normalize:
		p, err = p.Normalize(base)
	}
	if err != nil {
		return nil, err
	}
	return profile.Sum(p, base.ScaleAll(-1))
}
