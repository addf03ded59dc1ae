package regress

import (
	"math"
	"slices"
)

// The variance that the time of day is taken to have while there are no earlier days: 10 %,
// or 50 % for amounts. Only large effects are found then.
const (
	unknownSeason       = 0.1 * 0.1
	unknownSeasonAmount = 0.5 * 0.5
)

// addDays sets the season and the variance from day to day.
func (s *sample) addDays(out []spread, callees bool) {
	n := float64(len(s.past))
	if n < 2 {
		days := unknownSeason
		if s.amount {
			days = unknownSeasonAmount
		}
		for f := range out {
			out[f].days, out[f].daysDf = days, priorDegrees
		}
		return
	}
	shifts := make([]float64, len(s.past))
	if !s.amount {
		for i := range s.past {
			shifts[i] = shiftOf(&s.past[i].after, &s.past[i].before)
		}
	}
	var seasons, days []excess
	logs := make([]float64, len(s.past))
	for f := range out {
		mean, chance := 0.0, 0.0
		for i := range s.past {
			p := &s.past[i]
			log, v := logRatio(at(p.after.column(callees), f), p.after.work, at(p.before.column(callees), f), p.before.work)
			logs[i] = log - shifts[i]
			mean += logs[i] / n
			chance += v / n
		}
		if chance > 1 {
			continue // it is hardly ever seen
		}
		variance := 0.0
		for _, l := range logs {
			variance += (l - mean) * (l - mean) / (n - 1)
		}
		mean = middle(logs, math.Sqrt(chance+usualDays))
		out[f].season, out[f].seasonVar = mean, max(variance, chance)/n
		days = append(days, excess{f, variance - chance, chance})
		seasons = append(seasons, excess{f, mean*mean - max(variance, chance)/n, max(variance, chance) / n})
	}
	usual, season := prior(days), prior(seasons)
	for f := range out {
		out[f].days, out[f].daysDf = usual, priorDegrees
	}
	for i, d := range days {
		o := &out[d.f]
		o.days = shrink(usual, max(d.beyond, 0), n-1)
		o.daysDf = priorDegrees + n - 1
		// How real this season is depends on how much seasons matter in this service.
		likely := season / (season + seasons[i].chance)
		if s.amount {
			likely = 1 // it follows the load
		}
		o.season *= likely
		o.seasonVar = likely * (seasons[i].chance + o.days/n)
	}
}

// middle returns the mean of values, where those further than two deviations from the
// median count as that far: a bad machine on one of the days doesn't make a season.
func middle(values []float64, deviation float64) (mean float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	median := (sorted[n/2] + sorted[(n-1)/2]) / 2
	for _, v := range sorted {
		mean += min(max(v, median-2*deviation), median+2*deviation) / float64(n)
	}
	return mean
}
