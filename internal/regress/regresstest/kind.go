package regresstest

import (
	"math"
	"math/rand/v2"
)

// A kind is how a kind of profile is measured.
type kind struct {
	name, typ, unit string
	// event is the value of one count of a sample.
	event float64
	// reported is the event that a source can tell: contentions are counted, but not how
	// much their durations vary, nor that the profiler records only one of ten.
	reported float64
	// seconds are what a bucket is divided by: seconds that were profiled, or moments.
	seconds float64
	// perCore are the counts of a second or moment, per core used on average.
	perCore float64
	// wobble multiplies what changes from hour to hour.
	wobble float64
	// sites is the share of nodes that have a cost, and spread how much it varies among them.
	sites, spread float64
	// exponents are those of the load by which nodes follow it, each for as many nodes.
	exponents []float64
	// leaf is the function of Go itself in which the cost is; "" for the nodes' own.
	leaf string
	// held is set if what exists at one moment exists at the next ones, too.
	held bool
	// durations is set if counts stand for durations that vary.
	durations bool
}

// perBucket are the moments of a bucket, one each minute.
const perBucket = int(bucket / minute)

// kindOf returns how a kind of profile is measured.
func kindOf(name string) *kind {
	switch name {
	case "mutex":
		return &kind{
			name: name, typ: "delay", unit: "nanoseconds", event: 1e6, reported: 2e5, seconds: 300, perCore: 2, wobble: 5,
			sites: 0.1, spread: 2, exponents: []float64{1, 2}, leaf: "sync.(*Mutex).Unlock", durations: true,
		}
	case "block":
		return &kind{
			name: name, typ: "delay", unit: "nanoseconds", event: 1e7, reported: 2e6, seconds: 300, perCore: 4, wobble: 5,
			sites: 0.1, spread: 2, exponents: []float64{-0.5, 0, 1, 2}, leaf: "runtime.chanrecv1", durations: true,
		}
	case "heap":
		return &kind{
			name: name, typ: "inuse_space", unit: "bytes", event: 512 << 10, reported: 512 << 10, seconds: float64(perBucket), perCore: 200, wobble: 3,
			sites: 0.3, spread: 2, exponents: []float64{0, 0.5, 1}, held: true,
		}
	case "goroutine":
		return &kind{
			name: name, typ: "goroutine", unit: "count", event: 1, reported: 1, seconds: float64(perBucket), perCore: 60, wobble: 5,
			sites: 0.1, spread: 2, exponents: []float64{0, 1}, leaf: "runtime.gopark",
		}
	case "allocs":
		return &kind{
			name: name, typ: "alloc_space", unit: "bytes", event: 512 << 10, reported: 512 << 10, seconds: 300, perCore: 50, wobble: 1,
			sites: 0.6, spread: 1.5, exponents: []float64{1},
		}
	}
	return &kind{
		name: "cpu", typ: "cpu", unit: "nanoseconds", event: event, reported: event, seconds: perMinute * float64(bucket/minute), perCore: hertz, wobble: 1,
		sites: 1, exponents: []float64{1},
	}
}

// measure changes a program's shares to those of a kind.
func (p *program) measure(k *kind, rng *rand.Rand) {
	if k.sites == 1 {
		return
	}
	for i := range p.nodes {
		p.nodes[i].exponent = k.exponents[rng.IntN(len(k.exponents))]
		if rng.Float64() < k.sites {
			p.nodes[i].share = math.Exp(k.spread * rng.NormFloat64())
		} else {
			p.nodes[i].share = 0
		}
	}
	if k.leaf != "" {
		p.addLeaves(k.leaf)
	}
	p.scale()
}

// addLeaves moves the cost of nodes to calls of a function.
func (p *program) addLeaves(name string) {
	p.names = append(p.names, name)
	for i := range len(p.nodes) {
		if n := &p.nodes[i]; n.share > 0 {
			p.nodes = append(p.nodes, node{function: len(p.names) - 1, parent: i, endpoint: n.endpoint, share: n.share, exponent: n.exponent, leaf: true})
			p.nodes[i].share = 0
		}
	}
}

// costs returns the function that a node's cost belongs to: the caller of a leaf.
func (p *program) costs(n *node) int {
	if n.leaf {
		return p.nodes[n.parent].function
	}
	return n.function
}

// draw returns the counts of a node, given their mean.
func (k *kind) draw(rng *rand.Rand, mean float64) uint32 {
	switch {
	case mean <= 0:
		return 0
	case k.held:
		return uint32(perBucket * poisson(rng, mean/float64(perBucket)))
	case k.durations:
		// The sum of n exponential durations has the variance n.
		n := float64(poisson(rng, mean))
		return uint32(max(0, math.Round(n+math.Sqrt(n)*rng.NormFloat64())))
	}
	return uint32(poisson(rng, mean))
}
