package experiment

import (
	"errors"
	"fmt"
	"math"
)

// A Look is a point where the data are looked at, and the share of the level
// that is spent there.
type Look struct {
	Pairs int     `json:"pairs"`
	Share float64 `json:"share"`
}

// DefaultLooks: 10 samples a side; up to 20 where that decides nothing.
//
// Looking twice at the full level would give a false alarm in 8 % instead of
// 5 % of comparisons (P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated
// Significance Tests on Accumulating Data", 1969). So each look spends a share
// of the level, fixed beforehand: a series counts as changed with p₁ ≤ 0.4·α at
// the first or p₂ ≤ 0.6·α at the second look. By Bonferroni's inequality the sum
// is at most α whatever the dependence of the looks and whatever the rule to go
// on, so stopping for any reason is safe; K. K. G. Lan and D. L. DeMets,
// "Discrete Sequential Boundaries for Clinical Trials" (1983), spend a little
// less, but need the joint distribution of the looks.
//
// In terms of p: p divided by the share of the look where the series stopped
// is a valid p value, and that is what Holm's correction sorts. Once counted as
// changed at the first look, a series stays so: Holm's procedure never takes
// a rejection back when other p values change.
//
// 0.4, since ten pairs cannot give less than p = 0.002: with 0.4 a plain change
// is found at the first look in families of up to ten.
var DefaultLooks = []Look{{Pairs: 10, Share: 0.4}, {Pairs: 20, Share: 0.6}}

// BudgetLooks are for a measurement that has a time to spend: what is undecided goes on
// as long as there is time, to 80 samples a side at most, which find half of the change
// that 20 do. The first is as by default.
//
// Where time ends between two looks, the later one comes early, with its own share, and
// is the last. How many pairs that are is decided by the clock and by how many other
// series go on, so that it says nothing of the series' own.
var BudgetLooks = []Look{{Pairs: 10, Share: 0.4}, {Pairs: 20, Share: 0.3}, {Pairs: 40, Share: 0.2}, {Pairs: 80, Share: 0.1}}

// OneLook is for a number of samples fixed beforehand.
func OneLook(pairs int) []Look { return []Look{{Pairs: pairs, Share: 1}} }

func checkLooks(looks []Look) error {
	if len(looks) == 0 {
		return errors.New("no look at the data is planned")
	}
	sum, last := 0.0, 0
	for _, l := range looks {
		if l.Pairs <= last || l.Share <= 0 {
			return fmt.Errorf("look at %d pairs with a share of %v: pairs have to grow and shares to be above 0", l.Pairs, l.Share)
		}
		last = l.Pairs
		sum += l.Share
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("shares of the looks add up to %v, more than 1", sum)
	}
	return nil
}

// lookAt returns the look that n pairs belong to: the first that asks for as
// many. A run that was interrupted stopped for reasons other than its data, so
// fewer pairs may spend the share as well.
func lookAt(looks []Look, n int) Look {
	for _, l := range looks {
		if n <= l.Pairs {
			return l
		}
	}
	return looks[len(looks)-1]
}

// Undecided returns the series that another look could decide, of those that can fail
// a run, and by how many pairs to extend each. Nothing is left to do when it is empty.
func (f *Family) Undecided(looks []Look) map[Key]int {
	more := make(map[Key]int)
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !c.Gated || c.Verdict != Inconclusive || c.Pairs == 0 {
			continue
		}
		for _, l := range looks {
			if l.Pairs > c.Pairs {
				more[c.Key] = l.Pairs - c.Pairs
				break
			}
		}
	}
	return more
}

// A Floor is what an A/A pre-check says of a benchmark: both sides were the
// same binary, so whatever differs is noise.
type Floor struct {
	Pairs int
	// Spread is the standard deviation of one pair's log ratio: see MedianDeviation.
	Spread float64
	// Bias is the change, as a fraction, that the pre-check "found"; 0 unless
	// its 95 % interval leaves out zero. A later change has to exceed it.
	Bias float64
}

// MeasureFloor returns the noise floor by series.
func MeasureFloor(series []Series) map[Key]Floor {
	floors := make(map[Key]Floor)
	for _, s := range series {
		p := pair(s.Samples)
		if p.scale != Ratio || len(p.differences) == 0 {
			continue // counts that can be 0 have no ratios and hardly any noise
		}
		floor := Floor{Pairs: len(p.differences)}
		floor.Spread = spread(p.differences)
		e := newShiftEstimate(p.differences)
		if lo, hi := e.interval(0.05); lo > 0 || hi < 0 {
			floor.Bias = math.Expm1(math.Abs(e.center()))
		}
		floors[s.Key] = floor
	}
	return floors
}

// MedianDeviation times the median absolute deviation, which outliers do not move, is
// the standard deviation of normal noise: P. J. Rousseeuw, C. Croux, "Alternatives to
// the Median Absolute Deviation" (1993).
const MedianDeviation = 1.4826

// spread is the standard deviation by the median absolute deviation.
func spread(values []float64) float64 {
	m := median(values)
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - m)
	}
	return MedianDeviation * median(deviations)
}

// MinDetectable forecasts, before anything is compared, the change as a
// fraction that n pairs would find with Power in a family of the given size:
// Noether's formula (see minDetectable) at the look that n belongs to, with
// quantiles of Student's t, since the spread of few pairs is uncertain.
func (f Floor) MinDetectable(n, family int, opts Options) float64 {
	a := opts.Alpha * lookAt(opts.Looks, n).Share / float64(max(1, family))
	if signedRankCritical(n, a/2) < 0 {
		return math.Inf(1)
	}
	t := studentQuantile(1-a/2, n-1) + studentQuantile(Power, n-1)
	return math.Expm1(math.Log1p(f.Bias) + t*f.Spread*math.Sqrt(math.Pi/3/float64(n)))
}

// StaysOpen forecasts the chance that n pairs of something that did not change leave
// that open: their interval reaches beyond the resolution. Half of its width is
// t·SE, SE = spread·√(π/3n), and its centre is normal with that standard error.
func (f Floor) StaysOpen(n int, opts Options) float64 {
	if f.Spread == 0 {
		return 0
	}
	se := f.Spread * math.Sqrt(math.Pi/3/float64(n))
	room := math.Log1p(opts.Resolution) - studentQuantile(1-opts.Alpha/2, n-1)*se
	if room <= 0 {
		return 1
	}
	return math.Erfc(room / se / math.Sqrt2)
}

// ClockFloor returns the floor of a benchmark's time, or of its CPU time where that is
// so much quieter that it is likely to judge.
func ClockFloor(floors map[Key]Floor, pkg, benchmark string) Floor {
	cpu := floors[Key{pkg, benchmark, CPUTime}]
	for _, unit := range []string{"ns/op", "sec/op"} {
		wall, ok := floors[Key{pkg, benchmark, unit}]
		if ok && (cpu.Pairs == 0 || wall.Spread <= quieter*cpu.Spread) {
			return wall
		}
	}
	return cpu
}

// studentQuantile is the expansion of M. Abramowitz and I. A. Stegun, "Handbook
// of Mathematical Functions" (1964), 26.7.5, good to a percent from five degrees
// of freedom on.
func studentQuantile(p float64, degrees int) float64 {
	z, v := normalQuantile(p), float64(degrees)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v)
}
