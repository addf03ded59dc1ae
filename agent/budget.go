package agent

import (
	"math"
	"time"
)

// A budget decides how often each source of profiles is used, so that all of
// them together cost no more than limit:
//
//	sum over sources of cost / (every * period) <= limit
//
// every begins at 1, or at the least that a source asks for, and is doubled for the source that contributes most, until
// the sum fits. It is a function of the costs alone, so sources come back by
// themselves when they get cheaper.
type budget struct {
	limit  float64 // CPU seconds per second
	period time.Duration
	costs  map[string]*cost // by name of the source
}

// cost is what is known of one source.
type cost struct {
	expected time.Duration // CPU time of the next use
	least    int           // rounds from one use to the next, whatever it costs
	every    int           // use it in one round of so many
	rounds   int           // since it was used
	size     int           // what expected is for; 0: unknown, or it has none
}

func newBudget(limit float64, period time.Duration) *budget {
	return &budget{limit: limit, period: period, costs: make(map[string]*cost)}
}

func (b *budget) of(source string) *cost {
	c, ok := b.costs[source]
	if !ok {
		// Everything is due at first.
		c = &cost{least: 1, every: 1, rounds: math.MaxInt32}
		b.costs[source] = c
	}
	return c
}

// spent tells what a use of a source has cost.
func (b *budget) spent(source string, d time.Duration) {
	c := b.of(source)
	c.rounds = 0
	// Rising costs count at once, falling ones by a quarter at a time: one
	// cheap profile is no reason to double the rate.
	if d > c.expected {
		c.expected = d
	} else {
		c.expected += (d - c.expected) / 4
	}
	b.stretch()
}

// foresee tells that the next use of a source will be of so many goroutines.
// Costs are taken to grow and to shrink with their number; each is that of one
// as long as nothing is known.
func (b *budget) foresee(source string, goroutines int, each time.Duration) {
	c := b.of(source)
	goroutines = max(1, goroutines)
	if c.size == 0 {
		c.expected = time.Duration(goroutines) * each
	} else {
		c.expected = time.Duration(float64(c.expected) * float64(goroutines) / float64(c.size))
	}
	c.size = goroutines
	b.stretch()
}

// stretch computes every anew.
func (b *budget) stretch() {
	share := func(c *cost) float64 { return c.expected.Seconds() / (float64(c.every) * b.period.Seconds()) }
	total := 0.0
	for _, c := range b.costs {
		c.every = c.least
		total += share(c)
	}
	for total > b.limit {
		var most *cost
		for _, c := range b.costs {
			if most == nil || share(c) > share(most) {
				most = c
			}
		}
		if most.every > math.MaxInt32/2 {
			return // a budget of next to nothing
		}
		total -= share(most) / 2
		most.every *= 2
	}
}

// due reports whether a source is to be used in the round that begins. There are
// at least so many rounds from one use to the next, 0 is 1.
func (b *budget) due(source string, least int) bool {
	c := b.of(source)
	if least = max(1, least); c.least != least {
		c.least = least
		b.stretch()
	}
	if c.rounds < math.MaxInt32 {
		c.rounds++
	}
	return c.rounds >= c.every
}

// stretched reports whether a source is used less often for what it costs.
func (b *budget) stretched(source string) bool {
	c := b.of(source)
	return c.every > c.least
}

// allowance is what one use of a source may cost that can be cut short.
func (b *budget) allowance() time.Duration {
	return time.Duration(b.limit * float64(b.period) / 2)
}
