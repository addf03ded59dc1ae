package regress

import "math"

// calls are the calls between functions before and after the change, as shares of all
// cost, and how much each function's cost grew.
type calls struct {
	before, after    map[Edge]float64
	callers, callees map[int32][]int32
	own, cum         map[int]*effect // effects on functions that cost enough to look at
	events           float64         // number of events after the change
	moves            map[key]float64 // memo of moved
	names            []string
	amount           bool
}

// key names an effect.
type key struct {
	f       int
	callees bool
}

// newCalls joins the calls of a sample with the effects on functions.
func newCalls(s *sample, all []effect) *calls {
	after, before := s.after.total(), s.before.total()
	c := &calls{
		before: map[Edge]float64{}, after: map[Edge]float64{}, callers: map[int32][]int32{}, callees: map[int32][]int32{},
		own: map[int]*effect{}, cum: map[int]*effect{}, moves: map[key]float64{},
		names: s.frames.Names, amount: s.amount,
	}
	for _, v := range after.own {
		c.events += v
	}
	shift := s.shift(&after, &before)
	for i, to := range []map[Edge]float64{c.before, c.after} {
		for e, v := range s.edges[i] {
			if e.Caller == e.Callee {
				continue
			}
			if i == 0 {
				v *= math.Exp(shift)
			}
			if _, known := c.before[e]; !known || i == 0 {
				c.callers[e.Callee] = append(c.callers[e.Callee], e.Caller)
				c.callees[e.Caller] = append(c.callees[e.Caller], e.Callee)
			}
			to[e] = v * after.work / max(c.events, 1)
		}
	}
	for i := range all {
		if e := &all[i]; e.callees {
			c.cum[e.f] = e
		} else {
			c.own[e.f] = e
		}
	}
	return c
}

// growth returns how much a call's cost grew, and how much it varies by chance.
func (c *calls) growth(e Edge) (growth, chance float64) {
	a, b := c.after[e], c.before[e]
	return a - b, math.Sqrt((a + b + 1/c.events) / c.events)
}

// with returns the effect on a function, including what it calls.
func (c *calls) with(f int) *effect {
	if e := c.cum[f]; e != nil {
		return e
	}
	return c.own[f]
}

// moved reports whether the cost only moved here from another function: the function was
// renamed, inlined or wraps another one, or now makes the calls that another one made.
func (c *calls) moved(e *effect) bool { return c.net(e, 0) < e.growth/2 }

// net returns the part of an effect's growth that no other function lost.
func (c *calls) net(e *effect, depth int) float64 {
	k := key{e.f, e.callees}
	if v, ok := c.moves[k]; ok {
		return v
	}
	c.moves[k] = e.growth // for recursive functions
	v := 0.0
	if !e.callees {
		v = max(0, e.growth-c.lost(e))
	} else {
		v = c.netCalls(e, depth)
	}
	c.moves[k] = v
	return v
}

// netCalls returns the net growth of a function with its callees: the growth of its own
// cost, and that of each call, but not more than the callee grew in all.
func (c *calls) netCalls(e *effect, depth int) (v float64) {
	if own := c.own[e.f]; own != nil && own.growth > 0 {
		v = c.net(own, depth)
	}
	for _, callee := range c.callees[int32(e.f)] {
		growth, _ := c.growth(Edge{int32(e.f), callee})
		if growth <= 0 {
			continue
		}
		of := c.with(int(callee))
		switch {
		case of == nil:
			// It costs too little to be looked at.
		case of.growth <= 0:
			growth = 0
		case depth < 50:
			growth = min(growth, c.net(of, depth+1))
		}
		v += growth
	}
	return v
}

// lost returns the own cost that a function's callers, its callees and the other callees of
// its callers lost. A caller or sibling counts if it lost about what the function gained.
func (c *calls) lost(e *effect) (sum float64) {
	seen := map[int32]bool{int32(e.f): true}
	const sure = -3 // as a normal deviate
	look := func(f int32) {
		of := c.own[int(f)]
		if seen[f] || of == nil {
			return
		}
		seen[f] = true
		if of.z < sure && -of.growth > e.growth/4 && -of.growth < 2*e.growth {
			sum -= of.growth
		}
	}
	for _, callee := range c.callees[int32(e.f)] {
		// An inlined function may have other callers, which get their parts.
		if of := c.own[int(callee)]; of != nil && of.z < sure {
			call := Edge{int32(e.f), callee}
			sum += min(max(0, c.before[call]-c.after[call]), -of.growth)
			seen[callee] = true
		}
	}
	for _, caller := range c.callers[int32(e.f)] {
		look(caller)
		for _, sibling := range c.callees[caller] {
			look(sibling)
		}
	}
	return sum
}

// reaches reports whether a function calls another one, perhaps through others.
func (c *calls) reaches(from, to int) bool {
	seen := map[int32]bool{int32(from): true}
	todo := []int32{int32(from)}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, callee := range c.callees[f] {
			if int(callee) == to {
				return true
			}
			if !seen[callee] && c.after[Edge{f, callee}] > 0 {
				seen[callee] = true
				todo = append(todo, callee)
			}
		}
	}
	return false
}
