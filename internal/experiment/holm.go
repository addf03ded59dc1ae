package experiment

import "slices"

// A level is what the correction allows a series.
type level struct {
	alpha     float64 // the level at which its interval decides
	adjustedP float64 // of "no change beyond the floor"
	rejected  bool    // the correction lets it count as changed
}

// correct applies Holm's correction to the series that are tested, and returns the level
// of each series and how many were tested.
//
// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979): the k-th
// smallest of m p values counts at the level α/(m−k+1), as long as all before it did. It
// needs no independence, which benchmarks measured side by side don't have.
//
// A second run is of each series alone: its levels are not corrected, unless the first run
// may have claimed more than its own correction allows.
func correct(all []estimate, roles []role, q *question) (levels []level, tested int) {
	type candidate struct {
		at int // in all
		p  float64
	}
	var candidates []candidate
	levels = make([]level, len(all))
	for i := range all {
		e := &all[i]
		levels[i] = level{alpha: q.opts.Alpha * e.share, adjustedP: e.adjustedP, rejected: true}
		switch {
		case !roles[i].tested:
		case e.exact:
			candidates = append(candidates, candidate{i, e.p})
		default:
			candidates = append(candidates, candidate{i, gateP(e) / e.share})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		switch {
		case a.p < b.p:
			return -1
		case a.p > b.p:
			return 1
		}
		return 0
	})
	adjusted, stopped, alpha := 0.0, false, q.opts.Alpha
	for k, c := range candidates {
		left := float64(len(candidates) - k)
		if !q.corrected() {
			left, stopped = 1, false
		}
		if !stopped {
			alpha = q.opts.Alpha / left
			stopped = c.p > alpha
		}
		adjusted = min(1, max(adjusted, c.p*left))
		levels[c.at] = level{alpha: alpha * all[c.at].share, adjustedP: adjusted, rejected: !stopped}
	}
	return levels, len(candidates)
}

// gateP is the p value of "the change is no more than the floor": two one-sided
// tests, each with half of the level.
func gateP(e *estimate) float64 {
	lo, hi := e.sample.within(e.floor.Bias)
	return min(1, 2*min(e.shift.AtLeast(lo), e.shift.AtMost(hi)))
}
