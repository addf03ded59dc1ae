package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Scaling says how the two sides of a comparison are made comparable. The zero value
// leaves them as they are.
type Scaling struct {
	// Normalize scales one side to the total of the other, so that shares are
	// compared.
	Normalize bool
	// BaseTotal, with Normalize, is the base's scaled total as a multiple of the
	// head's; 0 is 1. To compare the same number of operations, use the ratio of an
	// operation's costs before and now.
	BaseTotal float64
	// Base and Head are the profiles whose totals determine the scale, one for each
	// of those compared; nil means the compared profiles themselves. To compare
	// shares, use the filtered profiles. To compare operations, use the whole ones:
	// operations were counted without filters.
	Base, Head []*profile.Profile
}

func (s Scaling) ratio() float64 { return cmp.Or(s.BaseTotal, 1) }

// BaseScales returns the factors for base values, one for each of some sample types of
// head, from the totals of both profiles: for [profile.TreeOptions].
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

// Magnitude returns the sum of the absolute values of a sample type, 0 if p doesn't have it.
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

// Subtract returns p minus base. With diff, the base's samples remain separate and
// get a label, so that percentages can refer to the base. To compare shares it scales
// p, as go tool pprof does. With a BaseTotal it scales the base instead, so that p
// keeps its measured values, as in [Diff] and in flame graphs. It ends early with the
// error of ctx.
func Subtract(ctx context.Context, p, base *profile.Profile, diff bool, scaling Scaling) (*profile.Profile, error) {
	if diff {
		base = profile.WithLabel(base, baseLabel, "true")
	}
	var err error
	switch {
	case scaling.Normalize && scaling.BaseTotal != 0:
		base = scaling.ScaleBase(p, base)
	case scaling.Normalize:
		p, err = profile.Normalize(p, base)
	}
	if err != nil {
		return nil, err
	}
	return profile.Sum(ctx, p, profile.Scale(base, -1))
}

// ScaleBase returns base as it is compared with p: scaled if s says so.
func (s Scaling) ScaleBase(p, base *profile.Profile) *profile.Profile {
	if !s.Normalize || !slices.Equal(p.SampleTypes, base.SampleTypes) { // Sum says what is wrong
		return base
	}
	types := make([]int, len(p.SampleTypes))
	for i := range types {
		types[i] = i
	}
	was, is := base, p
	if s.Base != nil {
		was, is = s.Base[0], s.Head[0]
	}
	return scaled(base, s.BaseScales(was, is, types))
}

// scaled returns p with each column multiplied by a scale. The rounding error of a
// value is carried over to the next one. Rounded separately, each of a thousand samples
// of one event would stay 1 whatever the scale, and their sum would differ from that
// of a flame graph.
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
