package experiment

import (
	"math"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// MinDetectable forecasts, before anything is compared, the change as a
// fraction that n pairs would find with Power in a family of the given size:
// Noether's formula (see detectableShift) at the look that n belongs to, with
// quantiles of Student's t, since the spread of few pairs is uncertain.
func (f Floor) MinDetectable(n, family int, opts Options) float64 {
	a := opts.Alpha * lookAt(opts.Looks, n).Share / float64(max(1, family))
	if rank.SignedRankCritical(n, a/2) < 0 {
		return math.Inf(1)
	}
	t := rank.StudentQuantile(1-a/2, n-1) + rank.StudentQuantile(Power, n-1)
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
	room := math.Log1p(opts.Resolution) - rank.StudentQuantile(1-opts.Alpha/2, n-1)*se
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
