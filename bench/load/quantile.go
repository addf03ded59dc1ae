package main

import (
	"math"
	"slices"
	"time"
)

// quantiles are the ones that are compared.
var quantiles = []float64{.99, .999, .9999}

// exact returns the quantiles of times, without a histogram.
func exact(all []time.Duration) []time.Duration {
	slices.Sort(all)
	var times []time.Duration
	for _, q := range quantiles {
		if len(all) == 0 {
			break
		}
		times = append(times, all[max(0, int(math.Ceil(q*float64(len(all))))-1)])
	}
	return times
}
