package report

import (
	"cmp"
	"context"
	"math"
	"slices"

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
	// Base and Head are the profiles whose totals are made to compare, one for each
	// of those compared, where it isn't theirs; nil if it is. Shares are of what
	// filters leave. As many operations are those of all that was measured.
	Base, Head []*profile.Profile
}

func (s Scaling) ratio() float64 { return cmp.Or(s.BaseTotal, 1) }

// BaseScales returns what base values are to be multiplied by to compare, for each
// of some sample types of head, by the totals of the two: for [profile.TreeOptions].
func (s Scaling) BaseScales(base, head *profile.Profile, types []int) []float64 {
	if !s.Normalize {
		return nil
	}
	scales := make([]float64, len(types))
	for i, t := range types {
		was, is := Magnitude(base, head.SampleTypes[t]), Magnitude(head, head.SampleTypes[t])
		if scales[i] = 1; was != 0 && is != 0 {
			scales[i] = s.ratio() * float64(is) / float64(was)
		}
	}
	return scales
}

// Magnitude returns the sum of the absolute values of a sample type, 0 if p has none such.
func Magnitude(p *profile.Profile, st profile.ValueType) int64 {
	column := slices.Index(p.SampleTypes, st)
	if column < 0 {
		return 0
	}
	sum := int64(0)
	for _, v := range p.Values[column] {
		sum += abs(v)
	}
	return sum
}

// Subtract returns p minus base. With diff the base's samples stay samples of
// their own, marked by a label, so that percentages can be of the base. To compare
// shares p is scaled, as go tool pprof does it; with a BaseTotal the base is, so
// that p says what was measured, as in [Diff] and in flame graphs. It ends early with the error of ctx.
func Subtract(ctx context.Context, p, base *profile.Profile, diff bool, scaling Scaling) (*profile.Profile, error) {
	if diff {
		base = base.SetLabel(baseLabel, "true")
	}
	var err error
	switch {
	case scaling.Normalize && scaling.BaseTotal != 0:
		if slices.Equal(p.SampleTypes, base.SampleTypes) { // else Sum says what is wrong
			types := make([]int, len(p.SampleTypes))
			for i := range types {
				types[i] = i
			}
			was, is := base, p
			if scaling.Base != nil {
				was, is = scaling.Base[0], scaling.Head[0]
			}
			base = scaled(base, scaling.BaseScales(was, is, types))
		}
	case scaling.Normalize:
		p, err = p.Normalize(base)
	}
	if err != nil {
		return nil, err
	}
	return profile.Sum(ctx, p, base.ScaleAll(-1))
}

// scaled returns p with each column multiplied by a scale. What rounding leaves
// of a value goes to the next one: rounded by itself, each of a thousand samples
// of one event stays 1 whatever the scale, and their sum is not what a flame graph
// makes of it.
func scaled(p *profile.Profile, scales []float64) *profile.Profile {
	q := *p
	q.Values = make([][]int64, len(p.Values))
	for t, column := range p.Values {
		out := make([]int64, len(column))
		exact, given := 0.0, int64(0)
		for s, v := range column {
			exact += float64(v) * scales[t]
			out[s] = int64(math.Round(exact)) - given
			given += out[s]
		}
		q.Values[t] = out
	}
	return &q
}
