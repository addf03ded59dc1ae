package regress

import "math"

// A measure says how the costs of a kind of profile are compared.
type measure struct {
	column string // the sample type that is compared
	// amount is set if costs are compared per second or moment of an instance. Otherwise,
	// they are compared as shares: that needs many functions with a cost, but load doesn't
	// matter. Often, one lock has nearly all of the waiting.
	amount bool
	// least is the least growth of an amount that matters.
	least float64
	// load has the lowest and the highest exponent of the load by which the kind's costs
	// may follow it.
	load [2]float64
	// rate is the part of a look's rate of false alarms that the kind has. The kinds of a
	// service together should raise about as many as CPU profiles.
	rate float64
	// events is the sample type that counts the profiler's events, if another one does.
	events string
	// lasting is set if an event that the profiler counts is in the profiles of all later
	// moments, too: an object in use.
	lasting bool
	// grows is set if costs grow from the start of a process: memory while caches fill.
	grows bool
}

// measureOf returns the measure of a kind. Other kinds than these have none.
func measureOf(kind string) (measure, bool) {
	const millisecond, mebibyte, otherRate = 1e6, 1 << 20, 0.2
	switch kind {
	case "cpu":
		return measure{column: "cpu", rate: 1}, true
	case "allocs":
		return measure{column: "alloc_space", rate: otherRate}, true
	case "heap":
		return measure{column: "inuse_space", rate: otherRate, amount: true, least: mebibyte, load: [2]float64{0, 1}, lasting: true, grows: true}, true
	case "goroutine":
		return measure{column: "goroutine", rate: otherRate, amount: true, least: 1, load: [2]float64{0, 1}}, true
	case "mutex":
		// With twice the requests, twice as many wait for twice as long.
		return measure{column: "delay", rate: otherRate, amount: true, least: millisecond, load: [2]float64{0, 2}, events: "contentions"}, true
	case "block":
		// Idle goroutines wait longer if there are fewer requests.
		return measure{column: "delay", rate: otherRate, amount: true, least: millisecond, load: [2]float64{-1, 2}, events: "contentions"}, true
	}
	return measure{}, false
}

// explained returns by how much a change of the load may have changed the costs of a kind:
// the largest increase that an exponent gives. Both are logarithms of ratios.
func (m *measure) explained(load float64) float64 {
	return max(0, m.load[0]*load, m.load[1]*load)
}

// unknownLoad is the variance of the logarithm of the load of a service without CPU
// profiles: 20 %.
const unknownLoad = 0.2 * 0.2

// loadChange returns the logarithm of the ratio of two loads, and whether both are known.
func loadChange(before, after float64) (log float64, known bool) {
	if before <= 0 || after <= 0 {
		return 0, false
	}
	return math.Log(after / before), true
}
