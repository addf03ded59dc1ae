package report

import (
	"math"
	"slices"
)

// An Outlier is an instance whose cost changed by another amount than that of the others. A mean of
// instances hides it: the more it differs, the less sure is the mean.
type Outlier struct {
	Instance string `json:"instance"`
	Others   int    `json:"others"` // how many other instances there are
	// The instance's cost, and the mean of the others, as printed.
	BaseText       string `json:"baseText"`
	HeadText       string `json:"headText"`
	OthersBaseText string `json:"othersBaseText"`
	OthersHeadText string `json:"othersHeadText"`
	// Function made most of the difference, with its own cost in that instance.
	Function         string `json:"function"`
	FunctionBaseText string `json:"functionBaseText"`
	FunctionHeadText string `json:"functionHeadText"`
}

const (
	// leastOutliers is how many instances tell that one is unlike the others.
	leastOutliers = 3
	// leastExcess is the least difference from the others' change, as a share of the cost before.
	leastExcess = 0.25
)

// A pair is an instance of both sides, by their positions there.
type pair struct{ base, head int }

// outlier is what an Outlier is printed from.
type outlier struct {
	instance, function            string
	others                        int
	whole, othersWhole, ofLargest [2]float64 // base and head
}

// Name names the instance that was added last. Only named ones can be an [Outlier].
func (in *Instances) Name(name string) {
	in.names = append(in.names, make([]string, max(0, len(in.all)-len(in.names)))...)
	in.names[len(in.all)-1] = name
}

// rate returns a frame's own cost in an instance, per weight.
func (in *Instances) rate(i int, frame string) float64 {
	return in.all[i][frame].flat / max(in.weights[i], 1e-9)
}

// pairsOf returns the instances that cost something on both sides.
func pairsOf(base, head *Instances) (pairs []pair) {
	for h, name := range head.names {
		b := slices.Index(base.names, name)
		if name != "" && b >= 0 && base.rate(b, totalFrame) > 0 && head.rate(h, totalFrame) > 0 {
			pairs = append(pairs, pair{b, h})
		}
	}
	return pairs
}

// outlierOf returns the instance whose change is the farthest from the mean of the others' changes, if
// it is outside of their 95 % prediction interval
//
//	m ± t s √(1 + 1/n)
//
// with t corrected for the number of instances, of which it is the most extreme one. Changes are
// logarithms of ratios, since more load multiplies the costs.
func outlierOf(base, head *Instances) *outlier {
	pairs := pairsOf(base, head)
	if len(pairs) < leastOutliers {
		return nil
	}
	changes := make([]float64, len(pairs))
	for i, p := range pairs {
		changes[i] = math.Log(head.rate(p.head, totalFrame) / base.rate(p.base, totalFrame))
	}
	most, farthest, deviation := 0, 0.0, 0.0
	for i := range pairs {
		if m, s := othersOf(changes, i); math.Abs(changes[i]-m) > farthest {
			most, farthest, deviation = i, math.Abs(changes[i]-m), s
		}
	}
	n := float64(len(pairs) - 1)
	t := student(1-0.025/float64(len(pairs)), len(pairs)-2)
	if deviation == 0 || farthest < t*deviation*math.Sqrt(1+1/n) {
		return nil
	}
	out := &outlier{instance: head.names[pairs[most].head], others: len(pairs) - 1}
	out.whole, out.othersWhole = costsOf(base, head, pairs, most, totalFrame)
	excess := out.whole[1] - out.whole[0] - out.othersWhole[1] + out.othersWhole[0]
	if math.Abs(excess) < leastExcess*max(out.whole[0], out.othersWhole[0]) {
		return nil
	}
	out.function = largestOf(base, head, pairs, most, excess)
	out.ofLargest, _ = costsOf(base, head, pairs, most, out.function)
	return out
}

// othersOf returns the mean and the standard deviation of all changes but one.
func othersOf(changes []float64, but int) (mean, deviation float64) {
	n := float64(len(changes) - 1)
	for i, c := range changes {
		if i != but {
			mean += c / n
		}
	}
	for i, c := range changes {
		if i != but {
			deviation += (c - mean) * (c - mean) / (n - 1)
		}
	}
	return mean, math.Sqrt(deviation)
}

// costsOf returns a frame's own cost before and after, of one instance and of the mean of the others.
func costsOf(base, head *Instances, pairs []pair, one int, frame string) (cost, others [2]float64) {
	n := float64(len(pairs) - 1)
	for i, p := range pairs {
		was, is := base.rate(p.base, frame), head.rate(p.head, frame)
		if i == one {
			cost = [2]float64{was, is}
			continue
		}
		others[0] += was / n
		others[1] += is / n
	}
	return cost, others
}

// largestOf returns the frame that made most of an instance's excess over the others' change.
func largestOf(base, head *Instances, pairs []pair, one int, excess float64) (function string) {
	largest := 0.0
	sides := []map[string]instanceValue{head.all[pairs[one].head], base.all[pairs[one].base]}
	for _, side := range sides {
		for frame := range side {
			if frame == totalFrame {
				continue
			}
			cost, others := costsOf(base, head, pairs, one, frame)
			by := math.Copysign(1, excess) * (cost[1] - cost[0] - others[1] + others[0])
			if by > largest || by == largest && by > 0 && frame < function {
				largest, function = by, frame
			}
		}
	}
	return function
}

// tell prints the outlier.
func (o *outlier) tell(d *Diff) *Outlier {
	text := func(v float64) string { return formatRate(int64(math.Round(v)), d.Unit, "auto", d.rate()) }
	return &Outlier{
		Instance: o.instance, Others: o.others,
		BaseText: text(o.whole[0]), HeadText: text(o.whole[1]),
		OthersBaseText: text(o.othersWhole[0]), OthersHeadText: text(o.othersWhole[1]),
		Function: o.function, FunctionBaseText: text(o.ofLargest[0]), FunctionHeadText: text(o.ofLargest[1]),
	}
}
