package load

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Pacer says when requests are due. Its times never decrease. It is for one
// goroutine.
type Pacer interface {
	// Next returns when the next request is due, and false if there is none.
	Next() (time.Duration, bool)
	// Rate returns the rate asked for at a time, in requests per second.
	Rate(at time.Duration) float64
	// Due returns how many requests are due before a time, on average.
	Due(before time.Duration) float64
	// End returns the end of the times: no request is due after it. It is 0 if requests
	// are due as soon as there is room for them, so that there is no rate and no end.
	End() time.Duration
}

// A Step is a rate that is held for a time. The rate may move evenly from From
// to To; they are the same where it is constant.
type Step struct {
	From, To float64 // requests per second
	For      time.Duration
}

// Steps paces through steps, one after the other: request n is due when the
// integral of the rate reaches n.
type Steps struct {
	steps []Step
	now   int           // the step of the next request
	start time.Duration // of that step
	base  float64       // requests due before it
	n     float64       // of the next request
}

// Constant paces at one rate for a time.
func Constant(rate float64, d time.Duration) (*Steps, error) {
	return NewSteps(Step{rate, rate, d})
}

// NewSteps checks the steps: rates must be finite and not negative, times
// positive, and the requests of all steps countable.
func NewSteps(steps ...Step) (*Steps, error) {
	if len(steps) == 0 {
		return nil, errors.New("no rate given")
	}
	total := 0.0
	for i, s := range steps {
		switch {
		case !(s.From >= 0 && s.To >= 0) || math.IsInf(s.From+s.To, 0):
			return nil, fmt.Errorf("step %d: rates must be numbers of requests per second, not %v to %v", i+1, s.From, s.To)
		case s.For <= 0:
			return nil, fmt.Errorf("step %d: invalid duration %v", i+1, s.For)
		}
		total += s.requests()
	}
	if total > 1<<52 {
		return nil, fmt.Errorf("%.3g requests are too many to count: lower the rate or the time", total)
	}
	return &Steps{steps: steps}, nil
}

// requests returns how many requests are due within a step.
func (s Step) requests() float64 { return (s.From + s.To) / 2 * s.For.Seconds() }

// at returns when n requests of the step are due, n in [0, requests()).
func (s Step) at(n float64) time.Duration {
	slope := (s.To - s.From) / s.For.Seconds()
	// n = From·t + slope·t²/2, solved so that nothing cancels out where slope is near 0.
	t := 2 * n / (s.From + math.Sqrt(math.Max(0, s.From*s.From+2*slope*n)))
	if n == 0 {
		t = 0
	}
	return min(time.Duration(t*float64(time.Second)), s.For)
}

func (p *Steps) Next() (time.Duration, bool) {
	for ; p.now < len(p.steps); p.now++ {
		s := p.steps[p.now]
		if n := p.n - p.base; n < s.requests() {
			p.n++
			return p.start + s.at(n), true
		}
		p.base += s.requests()
		p.start += s.For
	}
	return 0, false
}

func (p *Steps) Rate(at time.Duration) float64 {
	for _, s := range p.steps {
		if at < s.For {
			return s.From + (s.To-s.From)*float64(at)/float64(s.For)
		}
		at -= s.For
	}
	return 0
}

func (p *Steps) Due(before time.Duration) float64 {
	due := 0.0
	for _, s := range p.steps {
		if before <= s.For {
			t := max(0, before).Seconds()
			return due + s.From*t + (s.To-s.From)/s.For.Seconds()*t*t/2
		}
		due += s.requests()
		before -= s.For
	}
	return due
}

func (p *Steps) End() time.Duration {
	var end time.Duration
	for _, s := range p.steps {
		end += s.For
	}
	return end
}

// Poisson paces a service's independent users: the requests of mean are due at
// random, each without regard to the others, as often on average as mean says.
// The same seed gives the same times.
func Poisson(mean *Steps, seed uint64) Pacer {
	return &poisson{mean, rand.New(rand.NewPCG(seed, 0)), 0}
}

// poisson walks the mean's count of requests in exponential strides, which gives
// a Poisson process of that rate, constant or not.
type poisson struct {
	mean *Steps
	rng  *rand.Rand
	n    float64
}

func (p *poisson) Next() (time.Duration, bool) {
	p.n += p.rng.ExpFloat64()
	p.mean.n = p.n
	return p.mean.Next()
}

func (p *poisson) Rate(at time.Duration) float64 { return p.mean.Rate(at) }

func (p *poisson) Due(before time.Duration) float64 { return p.mean.Due(before) }

func (p *poisson) End() time.Duration { return p.mean.End() }
