package report

import (
	"cmp"
	"context"
	"math"

	"github.com/hone-go/hone/internal/experiment/rank"
	"github.com/hone-go/hone/profile"
)

// A Measured is the value of one side of a comparison, with what is known about its error.
type Measured struct {
	Value float64
	// Event is the value of one event that the profiler counted, 0 for exact values. In
	// values per second it is the period divided by the seconds.
	Event float64
	// Whole is what Value is a share of, if shares are compared; otherwise 0.
	Whole float64
	// Spread is the standard error of Value, divided by Value, by how much instances
	// differ; 0 if unknown.
	Spread float64
}

// normal95 is the number of standard deviations from the mean that 95 % of a normal
// distribution is in.
const normal95 = 1.96

// interval returns the 95 % confidence interval of the value: the wider one of the
// interval by events and the one by instances. By events it is the score interval of
// E. B. Wilson, "Probable inference" (1927), with n events in all,
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)
//
// for a share p. A value that isn't a share counts as a tiny share of very many events:
//
//	N + z²/2 ± z √(N + z²/4)
//
// for N events. Both stay above 0, and have a width where no event was seen.
func (m Measured) interval() (lo, hi float64) {
	const z = normal95
	lo, hi = m.Value, m.Value
	switch {
	case m.Event <= 0:
	case m.Whole > 0:
		p, n := min(max(m.Value/m.Whole, 0), 1), m.Whole/m.Event
		middle := (p + z*z/(2*n)) / (1 + z*z/n)
		half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
		lo, hi = m.Whole*max(middle-half, 0), m.Whole*min(middle+half, 1)
	default:
		n := math.Abs(m.Value) / m.Event
		middle, half := n+z*z/2, z*math.Sqrt(n+z*z/4)
		lo, hi = m.Event*(middle-half), m.Event*(middle+half)
		if m.Value < 0 {
			lo, hi = -hi, -lo
		}
	}
	by := z * m.Spread * math.Abs(m.Value)
	return min(lo, m.Value-by), max(hi, m.Value+by)
}

// changeInterval returns the 95 % confidence interval of the change from base to head,
//
//	d ± √((x₁−l₁)² + (u₂−x₂)²)
//
// of the difference d, made of the intervals of both sides (R. G. Newcombe, "Interval
// estimation for the difference between independent proportions", method 10, 1998).
func changeInterval(base, head Measured) (low, high float64) {
	baseLow, baseHigh := base.interval()
	headLow, headHigh := head.interval()
	d := head.Value - base.Value
	return d - math.Hypot(baseHigh-base.Value, head.Value-headLow), d + math.Hypot(base.Value-baseLow, headHigh-head.Value)
}

// SureChange returns how much of the change from base to head is more than chance
// explains: the end nearer to 0 of its 95 % confidence interval. It is 0 if that interval
// contains 0. Every view decides by it whether something changed.
func SureChange(base, head Measured) float64 {
	low, high := changeInterval(base, head)
	if head.Value < base.Value {
		return min(0, high)
	}
	return max(0, low)
}

// Chance says how much the values of a comparison vary by chance.
type Chance struct {
	// Event and BaseEvent are the values of one event, of the base before it is scaled;
	// 0 where values are exact.
	Event, BaseEvent float64
	// Instances and BaseInstances are how many instances each side has; 0 if unknown.
	Instances, BaseInstances int

	spreads map[string]spreads // by Frame.Label
	outlier *outlier           // nil for none
}

// spreads are those of one frame: see [Measured].
type spreads struct{ flat, cum, baseFlat, baseCum float64 }

// leastChange is the least change that counts as one, as a share of the total.
const leastChange = 0.001

// chanceOf returns the chance of a tree's values, as its profiles tell it.
func chanceOf(v *profile.TreeValues) *Chance {
	return &Chance{Event: float64(v.Event), BaseEvent: float64(v.Event)}
}

// sure returns how much of a frame's change is more than chance. base is scaled.
func (c *Chance) sure(frame string, cum bool, base, head, baseScale float64) float64 {
	return SureChange(c.sides(frame, cum, base, head, baseScale))
}

// SureOf returns [SureChange] of what was measured of a frame, with the spread of its values
// among instances.
func (c *Chance) SureOf(frame string, cum bool, base, head Measured) float64 {
	base.Spread, head.Spread = c.spread(frame, cum)
	return SureChange(base, head)
}

// sides returns both sides of a frame's change with their errors.
func (c *Chance) sides(frame string, cum bool, base, head, baseScale float64) (b, h Measured) {
	b = Measured{Value: base, Event: c.BaseEvent * baseScale}
	h = Measured{Value: head, Event: c.Event}
	b.Spread, h.Spread = c.spread(frame, cum)
	return b, h
}

// spread returns how much a frame's values on both sides vary among instances; see
// [Measured].
func (c *Chance) spread(frame string, cum bool) (base, head float64) {
	s := c.spreads[frame]
	if cum {
		return s.baseCum, s.cum
	}
	return s.baseFlat, s.flat
}

// known reports whether the chance is known at all.
func (c *Chance) known() bool { return c.Event > 0 || c.BaseEvent > 0 || c.spreads != nil }

// Bytes returns about how much memory the chance takes.
func (c *Chance) Bytes() int64 { return 100 + 100*int64(len(c.spreads)) }

// EventOf returns the value of one event of a sample type, 0 if the profiler doesn't
// count events: see [profile.TreeValues].
func EventOf(p *profile.Profile, st profile.ValueType) float64 {
	switch {
	case p.PeriodType == st:
		return float64(p.Period)
	case st.Unit == "count":
		return 1
	}
	return 0
}

// Instances are the functions of each instance of one side.
type Instances struct {
	weights []float64
	all     []map[string]instanceValue
	names   []string // "" if unknown; fewer than all if the rest has none
	// Count is how many there are; more than were added if those are a sample.
	Count int
}

type instanceValue struct{ flat, cum float64 }

// totalFrame is the label of what all frames of an instance have together. No function has it.
const totalFrame = "\x00total"

// Add adds the function table of one instance. Its weight is what its values are divided
// by, such as its seconds, or its total where shares are compared.
func (in *Instances) Add(weight float64, each func(yield func(frame string, flat, cum float64))) {
	of, total := map[string]instanceValue{}, 0.0
	each(func(frame string, flat, cum float64) {
		v := of[frame] // two files may have functions of one name
		of[frame] = instanceValue{v.flat + flat, v.cum + cum}
		total += flat
	})
	of[totalFrame] = instanceValue{total, total}
	in.weights, in.all = append(in.weights, weight), append(in.all, of)
}

// AddProfile adds the functions of one instance's profile. Of o it uses Granularity and
// NoInlines.
func (in *Instances) AddProfile(ctx context.Context, p *profile.Profile, column int, weight float64, o Options) error {
	table, err := profile.NewFrameTable(cmp.Or(o.Granularity, "functions"), o.NoInlines)
	if err != nil {
		return err
	}
	frames := table.Add(p)
	run, err := newDiffRun(ctx, p, frames, column, table.Len())
	if err != nil {
		return err
	}
	in.Add(weight, func(yield func(frame string, flat, cum float64)) {
		for f := range table.Len() {
			frame := table.Frame(uint32(f))
			yield(frame.Label(), float64(run.flat[f]), float64(run.cum[f]))
		}
	})
	return nil
}

// Weighed returns the same instances with other weights, one per instance.
func (in *Instances) Weighed(weights []float64) *Instances {
	out := *in
	out.weights = weights
	return &out
}

// Bytes returns about how much memory the instances take.
func (in *Instances) Bytes() int64 {
	n := int64(100)
	for _, of := range in.all {
		n += 100 * int64(len(of))
	}
	return n
}

// NewSpreads sets by how much the frames of instances differ. It needs two instances on
// one side; a side with only one is assumed to vary as the other side does.
func (c *Chance) NewSpreads(base, head *Instances) {
	c.BaseInstances, c.Instances = base.Count, head.Count
	if len(base.all) < 2 && len(head.all) < 2 {
		return
	}
	c.outlier = outlierOf(base, head)
	c.spreads = map[string]spreads{}
	for _, side := range []*Instances{base, head} {
		for _, of := range side.all {
			for frame := range of {
				if _, done := c.spreads[frame]; done {
					continue
				}
				var s spreads
				s.baseFlat, s.flat = SpreadOf(base, head, frame, false)
				s.baseCum, s.cum = SpreadOf(base, head, frame, true)
				c.spreads[frame] = s
			}
		}
	}
}

// TotalSpread returns the [Measured] spreads of what all frames have together, as [SpreadOf] does.
func TotalSpread(base, head *Instances) (baseSpread, headSpread float64) {
	return SpreadOf(base, head, totalFrame, true)
}

// SpreadOf returns the [Measured] spreads of one frame on both sides. They are 0 unless one side has two instances.
func SpreadOf(base, head *Instances, frame string, cum bool) (baseSpread, headSpread float64) {
	if len(base.all) < 2 && len(head.all) < 2 {
		return 0, 0
	}
	return welch(base, head, frame, func(v instanceValue) float64 {
		if cum {
			return v.cum
		}
		return v.flat
	})
}

// relative returns the mean of a frame's values per weight, and the squared relative
// standard error of that mean (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977,
// section 6.3, for the ratio of two sums).
func (in *Instances) relative(frame string, of func(instanceValue) float64) (mean, squared float64) {
	weight, sum := 0.0, 0.0
	for i, values := range in.all {
		weight += in.weights[i]
		sum += of(values[frame])
	}
	if weight <= 0 || sum == 0 {
		return 0, 0
	}
	mean = sum / weight
	for i, values := range in.all {
		d := (of(values[frame]) - mean*in.weights[i]) / sum
		squared += d * d
	}
	k := float64(len(in.all))
	if k < 2 {
		return mean, 0
	}
	return mean, squared * k / (k - 1) * k / float64(max(in.Count, len(in.all)))
}

// welch returns the relative standard errors of both sides' values, by the instances. They
// are stretched so that normal95 of them are the quantile of Student's distribution of
// Welch's test (B. L. Welch, "The generalization of Student's problem when several
// different population variances are involved", 1947).
func welch(base, head *Instances, frame string, of func(instanceValue) float64) (baseSpread, headSpread float64) {
	b, bb := base.relative(frame, of)
	h, hh := head.relative(frame, of)
	kb, kh := float64(len(base.all)), float64(len(head.all))
	degrees := max(kb, kh) - 1 // if one side tells how both vary
	switch {
	case kb < 2:
		bb = hh * kh
	case kh < 2:
		hh = bb * kb
	}
	vb, vh := bb*b*b, hh*h*h
	if vb+vh == 0 {
		return 0, 0
	}
	if kb >= 2 && kh >= 2 {
		degrees = (vb + vh) * (vb + vh) / (vb*vb/(kb-1) + vh*vh/(kh-1))
	}
	stretch := student95(int(min(max(degrees, 1), 1000))) / normal95
	return math.Sqrt(bb) * stretch, math.Sqrt(hh) * stretch
}

// student95 is the 97.5 % quantile of Student's distribution.
func student95(degrees int) float64 { return student(0.975, degrees) }

// student is a quantile of Student's distribution, exact for one and two degrees of
// freedom, where the expansion of package rank is off.
func student(p float64, degrees int) float64 {
	switch degrees {
	case 1:
		return math.Tan(math.Pi * (p - 0.5))
	case 2:
		return (2*p - 1) / math.Sqrt(2*p*(1-p))
	}
	return rank.StudentQuantile(p, degrees)
}
