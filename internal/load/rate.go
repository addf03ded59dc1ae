package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Pacing describes the rate over a period of any length: constant, moving evenly, or in
// steps.
type Pacing struct {
	steps   []Step // For is not set: all are as long
	poisson bool
	seed    uint64
}

// ParsePacing reads a rate in requests per second, 500 or 500/s, or per minute,
// 30000/m; a rate that moves evenly, 0..1000; or steps of the same length:
// 100,200,400. Some rate has to be above 0. With poisson, requests are due at random times of that rate on
// average, which follow from seed.
func ParsePacing(text string, poisson bool, seed uint64) (Pacing, error) {
	p := Pacing{poisson: poisson, seed: seed}
	sends := false
	for _, item := range strings.Split(text, ",") {
		from, to, ramp := strings.Cut(item, "..")
		if !ramp {
			to = from
		}
		a, err := parseRateOrZero(from)
		if err != nil {
			return p, err
		}
		b, err := parseRateOrZero(to)
		if err != nil {
			return p, err
		}
		p.steps = append(p.steps, Step{From: a, To: b})
		sends = sends || a+b > 0
	}
	if !sends {
		return p, badRate(text)
	}
	return p, nil
}

func badRate(text string) error {
	return fmt.Errorf("invalid rate %q: use 500, 500/s or 30000/m", text)
}

// parseRate reads a rate above 0.
func parseRate(text string) (float64, error) {
	v, err := parseRateOrZero(text)
	if err == nil && v == 0 {
		err = badRate(text)
	}
	return v, err
}

func parseRateOrZero(text string) (float64, error) {
	number, per, _ := strings.Cut(text, "/")
	seconds, ok := map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[per]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok || !(v >= 0) || v > 1e9 {
		return 0, badRate(text)
	}
	return v / seconds, nil
}

// At returns a pacing at a constant rate in requests per second.
func (p Pacing) At(rate float64) Pacing {
	p.steps = []Step{{From: rate, To: rate}}
	return p
}

// Pacer returns the times of a period. Warm-up is at the rate that it begins with.
func (p Pacing) Pacer(warmup, d time.Duration) (Pacer, error) {
	var steps []Step
	if warmup > 0 {
		steps = append(steps, Step{p.steps[0].From, p.steps[0].From, warmup})
	}
	for _, s := range p.steps {
		s.For = d / time.Duration(len(p.steps))
		steps = append(steps, s)
	}
	all, err := NewSteps(steps...)
	if err != nil || !p.poisson {
		return all, err
	}
	return Poisson(all, p.seed), nil
}

// String returns the pacing as reports show it.
func (p Pacing) String() string {
	var items []string
	for _, s := range p.steps {
		item := strconv.FormatFloat(s.From, 'f', -1, 64)
		if s.To != s.From {
			item += ".." + strconv.FormatFloat(s.To, 'f', -1, 64)
		}
		items = append(items, item)
	}
	text := strings.Join(items, ", then ") + "/s"
	if p.poisson {
		text += " at random"
	}
	return text
}

// RateText formats a rate with four digits, or all digits before the decimal point.
func RateText(rate float64) string {
	if rate >= 1000 {
		return strconv.FormatFloat(rate, 'f', 0, 64)
	}
	return strconv.FormatFloat(rate, 'g', 4, 64)
}

// Rate returns the rate that a period begins with, in requests per second.
func (p Pacing) Rate() float64 { return p.steps[0].From }
