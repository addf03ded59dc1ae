package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Goal is a bound on what a run measures.
type Goal struct {
	text  string
	value func(r *Result) float64 // +Inf for a quantile that is a failed request's
	bound float64
	least bool // the value has to be at least the bound, not at most

	silence bool // it is on how long no answer may come
}

var goalForm = lazyregexp.New(`^\s*([a-z]+[0-9.]*)\s*(<=|>=|<|>)\s*(\S+)\s*$`)

// ParseGoal reads a goal such as p99<=10ms, p99.9<=1s, mean<=5ms, max<=1s,
// rate>=500, failed<=0.1% or silence<=5s. < is <=, and > is >=.
func ParseGoal(text string) (Goal, error) {
	g := Goal{text: strings.TrimSpace(text)}
	m := goalForm.FindStringSubmatch(text)
	if m == nil {
		return g, fmt.Errorf("invalid goal %q: use p99<=10ms, rate>=500 or failed<=0.1%%", text)
	}
	name, bound := m[1], m[3]
	g.silence = name == "silence"
	g.least = m[2][0] == '>'
	var err error
	switch {
	case name == "rate":
		g.value = func(r *Result) float64 {
			if r.Rate == nil {
				return math.NaN() // what is not known meets nothing
			}
			return *r.Rate
		}
		g.bound, err = parseRate(bound)
	case name == "failed":
		g.value = func(r *Result) float64 { return float64(r.Failed) / math.Max(1, float64(r.Requests())) }
		g.bound, err = strconv.ParseFloat(strings.TrimSuffix(bound, "%"), 64)
		if strings.HasSuffix(bound, "%") {
			g.bound /= 100
		}
	default:
		var at func(r *Result) *time.Duration
		if at, err = timeOf(name); err != nil {
			break
		}
		g.value = func(r *Result) float64 {
			if d := at(r); d != nil {
				return float64(*d)
			}
			return math.Inf(1)
		}
		var d time.Duration
		d, err = time.ParseDuration(bound)
		g.bound = float64(d)
	}
	if err != nil {
		return g, fmt.Errorf("goal %q: %w", text, err)
	}
	return g, nil
}

// timeOf returns what takes a time of a goal's name from a result.
func timeOf(name string) (func(r *Result) *time.Duration, error) {
	switch name {
	case "mean":
		return func(r *Result) *time.Duration { return r.Response.Mean }, nil
	case "max":
		return func(r *Result) *time.Duration {
			if r.Failed > 0 {
				return nil // a failed one is slower than any
			}
			return r.Response.Max
		}, nil
	case "silence":
		return func(r *Result) *time.Duration {
			longest := time.Duration(0)
			for _, s := range r.Silences {
				longest = max(longest, s.End-s.Start)
			}
			return &longest
		}, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	if err != nil || name[0] != 'p' || percent <= 0 || percent >= 100 {
		return nil, fmt.Errorf("unknown metric %q: use p50, p99, p99.9 or another quantile, mean, max, rate, failed or silence", name)
	}
	return func(r *Result) *time.Duration { return r.Quantile(percent / 100) }, nil
}

func (g Goal) String() string { return g.text }

// NoSilence is the name of the goal that every run has: see MissedSilence.
const NoSilence = "answers all the time"

// MissedSilence describes the longest time in which the service didn't answer. It
// returns "" if there was none, or if one of the goals limits silence itself.
func MissedSilence(r *Result, goals []Goal) string {
	if slices.ContainsFunc(goals, func(g Goal) bool { return g.silence }) {
		return ""
	}
	return r.Silent()
}

// Met reports whether a result meets the goal.
func (g Goal) Met(r *Result) bool {
	v := g.value(r)
	if g.least {
		return v >= g.bound
	}
	return v <= g.bound
}

// A Try is one rate that Find tried.
type Try struct {
	Rate     float64  `json:"rate"`
	Answered *float64 `json:"answered"`         // Result's rate: requests per second that succeeded in time
	Missed   string   `json:"missed,omitempty"` // why it is too high; "" if it is not
	*Result
}

// ErrTooSlow is returned if not even the rate that a search begins with meets the
// goals.
var ErrTooSlow = errors.New("the goals are already missed at the first rate of the search: start lower")

// highest is the rate, in requests per second, at which a search ends.
const highest = 1e8

// kept is the share of the requests due that a service has to answer in time to count
// as keeping up.
const kept = .99

// Find looks for the highest rate at which the service meets all goals and keeps up.
// It doubles the rate, from start, until that fails, and then bisects until the
// remaining interval is at most precision times the rate (0.05 is 5 %). A rate that
// fails is tried a second time, since one hiccup says little about a service. A void
// try counts as failed: the generator can't send more. told, which may be nil, is
// called after each try. Find returns the best try and all tries, or ErrTooSlow if
// start was already too high.
func Find(ctx context.Context, start, precision float64, goals []Goal, try func(ctx context.Context, rate float64) (*Result, error), told func(Try)) (best *Try, tries []Try, err error) {
	attempt := func(rate float64) (Try, error) {
		var t Try
		for range 2 {
			r, err := try(ctx, rate)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return t, err
			}
			t = Try{rate, r.Rate, missed(r, goals), r}
			tries = append(tries, t)
			if told != nil {
				told(t)
			}
			if t.Missed == "" {
				break
			}
		}
		return t, nil
	}
	low, high := 0.0, math.Inf(1)
	for rate := start; ; {
		t, err := attempt(rate)
		if err != nil {
			return best, tries, err
		}
		if t.Missed == "" {
			low, best = rate, &t
		} else {
			high = rate
		}
		switch {
		case best == nil:
			return nil, tries, ErrTooSlow
		case math.IsInf(high, 1) && low >= highest:
			return best, tries, nil
		case math.IsInf(high, 1):
			rate = 2 * low
		case high-low <= precision*low:
			return best, tries, nil
		default:
			rate = (low + high) / 2
		}
	}
}

// missed says why a result is not good enough; "" if it is.
func missed(r *Result, goals []Goal) string {
	switch {
	case r.Void != "":
		return r.Void
	case r.Stopped != "":
		return r.Stopped
	}
	if silent := MissedSilence(r, goals); silent != "" {
		return silent
	}
	for _, g := range goals {
		if !g.Met(r) {
			return g.text + " is missed"
		}
	}
	// What was due at the end of the period may be answered after it by a service that
	// keeps up. One that does answers as many in a time as are due in it; in the second
	// half, where the first answers have had their time. One that comes late is many
	// percent of few.
	settled := float64(r.tally.settled)
	if few := 2 / max(r.dueInHalf, 1); settled < kept*r.dueInHalf*(1-few) {
		half := r.Period.Seconds() / 2
		return fmt.Sprintf("%s of %s requests per second were answered in the second half of the period", RateText(settled/half), RateText(r.dueInHalf/half))
	}
	return ""
}
