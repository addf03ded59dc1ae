package experiment

import (
	"fmt"
	"math"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// A LayoutNoise is what the order of functions in memory does to times, as standard
// deviations of their logarithms, over all benchmarks of a family.
//
// Half of the samples of a block are of one order, half of another. With b and h the
// logarithms of both sides' times, and two orders 1 and 2,
//
//	level       (b₁+h₁−b₂−h₂)/2   has the variance 2·order² + sample²
//	difference  (h₁−b₁)−(h₂−b₂)   has the variance 2·left² + 4·sample²
//
// and in the pre-check, which has one order, without the first term each. Neighbours in
// time are compared, so that drifts don't count, and changes of a benchmark don't
// either. Deviations are told by medians (see rank.MedianDeviation).
type LayoutNoise struct {
	Order      float64 `json:"order"`  // of the time, over orders
	Sample     float64 `json:"sample"` // of a sample, in one order
	Left       float64 `json:"left"`   // of the ratio of both sides in one order, over orders; 0: can't be told
	Benchmarks int     `json:"benchmarks"`
}

// layoutLevel is the chance of telling an effect of layouts where there is none.
const layoutLevel = 0.05

// measureLayout tells layout from other noise by the samples of a comparison and its
// pre-check: nil where that can't be told.
func measureLayout(preCheck, measured []Series) *LayoutNoise {
	var levels, difference [2][]float64 // in one order, and in two; absolute
	benchmarks := 0
	for orders, series := range [][]Series{preCheck, measured} {
		for _, s := range series {
			if !isRunTime(s.Unit) {
				continue
			}
			before := len(levels[orders])
			for _, b := range blocks(s.Samples) {
				if pairs, ok := b.logs(orders == 1); ok {
					levels[orders] = append(levels[orders], math.Abs(pairs[0][0]+pairs[0][1]-pairs[1][0]-pairs[1][1])/2)
					difference[orders] = append(difference[orders], math.Abs(pairs[0][1]-pairs[0][0]-pairs[1][1]+pairs[1][0]))
				}
			}
			if orders == 1 && len(levels[1]) > before {
				benchmarks++
			}
		}
	}
	if benchmarks == 0 || !larger(levels[1], levels[0]) {
		return nil
	}
	n := &LayoutNoise{Order: added(levels[1], levels[0]), Sample: rank.MedianDeviation * rank.Median(levels[0]), Benchmarks: benchmarks}
	if larger(difference[1], difference[0]) {
		n.Left = added(difference[1], difference[0])
	}
	return n
}

// larger reports whether values are surely larger than others.
func larger(values, others []float64) bool {
	return rank.Unpaired(others, values).AtMost(0) <= layoutLevel
}

// added is the deviation s of values that have the variance 2·s² more than others.
func added(values, others []float64) float64 {
	a, b := rank.MedianDeviation*rank.Median(values), rank.MedianDeviation*rank.Median(others)
	return math.Sqrt(max(0, a*a-b*b) / 2)
}

type block []Sample

// blocks returns samples by their blocks.
func blocks(samples []Sample) []block {
	var all []block
	at := make(map[int]int)
	for _, s := range samples {
		i, ok := at[s.Block]
		if !ok {
			i = len(all)
			at[s.Block] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], s)
	}
	return all
}

// logs returns the logarithms of two pairs of a block, which are of two orders or of
// one, by pair and side.
func (b block) logs(two bool) (pairs [2][2]float64, ok bool) {
	if len(b) != 4 {
		return pairs, false
	}
	first := b[0].Order
	for _, s := range b {
		first = min(first, s.Order)
	}
	var layouts [2]int
	var seen [2][2]bool
	for _, s := range b {
		i := (s.Order - first) / 2
		if i > 1 || seen[i][s.Side] || !(s.Value > 0) || math.IsInf(s.Value, 0) {
			return pairs, false
		}
		seen[i][s.Side] = true
		pairs[i][s.Side], layouts[i] = math.Log(s.Value), s.Layout
	}
	return pairs, two == (layouts[0] != layouts[1]) && two == (layouts[0] != 0)
}

// String says it in a line.
func (n *LayoutNoise) String() string {
	left := "both sides use the same order, so this cancels out"
	if n.Left > 0 {
		left = fmt.Sprintf("both sides use the same order, so %.2g %% remains", 100*n.Left)
	}
	of := "a benchmark"
	if n.Benchmarks > 1 {
		of = fmt.Sprintf("%d benchmarks", n.Benchmarks)
	}
	return fmt.Sprintf("the order of functions in memory changes the times of %s by %.2g %%, and other noise by %.2g %% per sample; %s",
		of, 100*n.Order, 100*n.Sample, left)
}
