package regress

import (
	"math"
	"strings"
)

// enters returns the function through which a function's growth enters, or else the
// function itself. alike reports whether it is a caller all of whose callees grew alike:
// then it does more of the same, or is called more often.
func (c *calls) enters(e *effect) (f int, alike bool) {
	f = e.f
	for range 50 {
		next := c.entersFrom(f, e.growth)
		if next < 0 {
			break
		}
		f = next
	}
	if above := c.grewAlike(f); above >= 0 {
		return above, true
	}
	return f, false
}

// entersFrom returns the caller through which a function's growth enters: nearly all of the
// growth is in that caller's calls and most of the cost before wasn't. It returns -1 if
// there is none.
func (c *calls) entersFrom(f int, growth float64) int {
	before, after := 0.0, 0.0
	for _, caller := range c.callers[int32(f)] {
		before += c.before[Edge{caller, int32(f)}]
		after += c.after[Edge{caller, int32(f)}]
	}
	waits, most := c.waits(f), 0.8
	if waits {
		// Other callers wait more or less by chance.
		growth, most = after-before, 0.5
	}
	next := -1
	for _, caller := range c.callers[int32(f)] {
		e := Edge{caller, int32(f)}
		g, chance := c.growth(e)
		sure := g > 3*chance && (c.before[e] < before/2 || waits)
		if g > most*growth && (sure || before < growth/20) {
			next = int(caller)
		}
	}
	return next
}

// waits reports whether a function is one of Go's own in which others wait, or that
// allocates for them: what matters is who calls it.
func (c *calls) waits(f int) bool {
	name := c.names[f]
	return c.amount && (strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "internal/"))
}

// grewAlike returns the highest function above f that grew as f did in its calls, with all
// of its parts, where more than one part costs something; -1 if there is none.
func (c *calls) grewAlike(f int) int {
	found := -1
	for range 50 {
		caller := c.mainCaller(f)
		if caller < 0 {
			break
		}
		grew, alone := c.restGrew(caller, f)
		if !grew && !alone {
			break
		}
		if f = caller; grew {
			found = caller
		}
	}
	return found
}

// mainCaller returns the caller in whose calls nearly all of a function's growth is; -1 if
// there is none.
func (c *calls) mainCaller(f int) int {
	sum := 0.0
	for _, caller := range c.callers[int32(f)] {
		g, _ := c.growth(Edge{caller, int32(f)})
		sum += g
	}
	for _, caller := range c.callers[int32(f)] {
		if g, chance := c.growth(Edge{caller, int32(f)}); g > 0.8*sum && g > 3*chance {
			return int(caller)
		}
	}
	return -1
}

// restGrew reports whether the cost of a caller without a callee clearly grew as it did in
// calls of the callee, or whether the caller has hardly any other cost.
func (c *calls) restGrew(caller, callee int) (grew, alone bool) {
	of := c.with(caller)
	if of == nil {
		return false, false
	}
	call := Edge{int32(caller), int32(callee)}
	after, before := of.share-c.after[call], of.share-of.growth-c.before[call]
	if after < c.after[call]/10 && before < c.before[call]/10 {
		return false, true
	}
	if after <= 0 || before <= 0 || c.before[call] <= 0 {
		return false, false
	}
	log, calls := math.Log(after/before), math.Log(c.after[call]/c.before[call])
	const clearly, about = 3, 0.3
	return log > clearly*math.Sqrt((1/after+1/before)/c.events) && math.Abs(log-calls) < about*calls, false
}
