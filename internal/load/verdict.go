package load

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrMissed is returned by Verdict if a goal was missed.
var ErrMissed = errors.New("a goal was missed")

// Verdict returns nil if a load went well: it met the goals, nothing failed, and the
// service was never silent. A goal can allow failures or silence.
func Verdict(r *Result, goals []Goal) error {
	switch {
	case r.Void != "":
		return errors.New("the run is void: " + r.Void)
	case r.Stopped != "":
		return errors.New("the run was stopped: " + r.Stopped)
	case slices.ContainsFunc(goals, func(g Goal) bool { return !g.Met(r) }):
		return ErrMissed
	}
	if silent := MissedSilence(r, goals); silent != "" {
		if len(goals) > 0 {
			return ErrMissed
		}
		return errors.New(silent)
	}
	if mayFail := slices.ContainsFunc(goals, func(g Goal) bool { return strings.HasPrefix(g.text, "failed") }); r.Failed > 0 && !mayFail {
		return fmt.Errorf("%d of %d requests failed", r.Failed, r.Requests())
	}
	return nil
}

// Above returns the try with the lowest rate above best that missed. If none missed, its
// rate is infinite.
func Above(tries []Try, best float64) Try {
	next := Try{Rate: math.Inf(1)}
	for _, t := range tries {
		if t.Missed != "" && t.Rate > best && t.Rate < next.Rate {
			next = t
		}
	}
	return next
}
