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
	unusual := s.unusualDays(shifts, callees)
	var seasons, days []excess
	deviations := make([]float64, len(s.past))
	for f := range out {
		logs, chances, ok := s.ratios(f, callees, shifts)
		if !ok {
			continue
		}
		for i, chance := range chances {
			deviations[i] = math.Sqrt(unusual[i] + chance)
		}
		mean, meanVar := middle(logs, deviations)
		// The variance between days, with the same weights.
		variance, chance, squares := 0.0, 0.0, 0.0
		for i, l := range logs {
			weight := meanVar / (deviations[i] * deviations[i])
			variance += weight * (l - mean) * (l - mean)
			chance += weight * chances[i]
			squares += weight * weight
		}
		variance /= 1 - squares
		out[f].season, out[f].seasonVar = mean, meanVar
		days = append(days, excess{f, variance - chance, chance})
		seasons = append(seasons, excess{f, mean*mean - meanVar, meanVar})
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
		o.seasonVar *= likely
	}
}

// ratios returns the logarithms of a function's ratios on earlier days, and their variances
// by chance. It reports false if the function is hardly ever seen.
func (s *sample) ratios(f int, callees bool, shifts []float64) (logs, variances []float64, ok bool) {
	mean := 0.0
	for i := range s.past {
		p := &s.past[i]
		log, v := logRatio(at(p.after.column(callees), f), p.after.work, at(p.before.column(callees), f), p.before.work)
		logs, variances = append(logs, log-shifts[i]), append(variances, v)
		mean += v / float64(len(s.past))
	}
	return logs, variances, mean <= 1
}

// unusualDays returns how much the functions differed on each earlier day from what they
// usually do, as variances beyond chance. If instances came or went that day, or a machine
// was bad, nearly all functions differ. That day then says less about the season.
func (s *sample) unusualDays(shifts []float64, callees bool) []float64 {
	days := make([][]deviation, len(s.past))
	for f := range s.frames.Names {
		logs, variances, ok := s.ratios(f, callees, shifts)
		if !ok {
			continue
		}
		usual := median(logs)
		for i, l := range logs {
			days[i] = append(days[i], deviation{l - usual, variances[i]})
		}
	}
	out := make([]float64, len(days))
	for i, all := range days {
		out[i] = max(scatter(all), 1e-7)
	}
	return out
}

// middle returns the weighted mean of values, where those further than two deviations from
// the median count as that far: a bad machine on one of the days doesn't make a season.
// Weights are one divided by the variance. It returns the variance of the mean, too.
func middle(values, deviations []float64) (mean, variance float64) {
	center, sum := median(values), 0.0
	for i, v := range values {
		by := 2 * deviations[i]
		weight := 1 / (deviations[i] * deviations[i])
		mean += weight * min(max(v, center-by), center+by)
		sum += weight
	}
	return mean / sum, 1 / sum
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}
