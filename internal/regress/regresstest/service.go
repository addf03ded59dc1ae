// Package regresstest simulates services in production, as a source of package regress:
// with daily load, deploys, restarts, scale-outs and a bad machine.
//
//	service   a program: its calls, and what they cost
//	kind      what is measured: CPU time, waiting, memory or goroutines
//	fleet     its instances over time
//	sums      what a profiler sees of them
//	trial     runs the detector over a fleet, and others to compare with it
//	records  profiles of a service, for stores in tests
package regresstest

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A node is a call in a program's tree of calls.
type node struct {
	function int
	parent   int // index of a node before it, -1 for a root
	endpoint int // that it serves, -1 for the collector
	share    float64
	exponent float64 // of the load, by which the cost follows it
	leaf     bool    // a function of Go itself, whose cost is its caller's
}

// program is a tree of calls with what each costs on its own.
type program struct {
	names []string
	nodes []node
}

const (
	endpoints = 12
	ownCalls  = 16 // functions of an endpoint
	shared    = 60 // functions of libraries
)

// newProgram returns a random program of about 270 functions and 500 calls.
func newProgram(rng *rand.Rand) *program {
	p := &program{}
	function := func(name string) int { p.names = append(p.names, name); return len(p.names) - 1 }
	add := func(function, parent, endpoint int, weight float64) int {
		p.nodes = append(p.nodes, node{function: function, parent: parent, endpoint: endpoint, share: weight * math.Exp(1.2*rng.NormFloat64()), exponent: 1})
		return len(p.nodes) - 1
	}
	var library [shared]int
	for i := range library {
		library[i] = function(fmt.Sprintf("lib.f%d", i))
	}
	main := add(function("main.main"), -1, -1, 0.01)
	serve := add(function("net/http.serve"), main, -1, 1)
	for e := range endpoints {
		of := math.Exp(0.7 * rng.NormFloat64())
		calls := []int{add(function(fmt.Sprintf("api.handle%d", e)), serve, e, of)}
		for i := range ownCalls - 1 {
			calls = append(calls, add(function(fmt.Sprintf("app%d.f%d", e, i)), calls[max(0, len(calls)-1-rng.IntN(4))], e, of))
		}
		for _, c := range calls {
			for range rng.IntN(3) {
				l := rng.IntN(shared - 3)
				first := add(library[l], c, e, 0.7*of)
				// Libraries call only libraries with higher numbers, so calls can't be recursive.
				add(library[l+1+rng.IntN(shared-l-1)], first, e, 0.5*of)
			}
		}
	}
	gc := add(function("runtime.gcBgMarkWorker"), -1, -1, 2)
	for i := range 8 {
		add(function(fmt.Sprintf("runtime.gc%d", i)), gc, -1, 3)
	}
	p.scale()
	return p
}

// scale makes the sum of shares 1.
func (p *program) scale() {
	sum := 0.0
	for _, n := range p.nodes {
		sum += n.share
	}
	for i := range p.nodes {
		p.nodes[i].share /= sum
	}
}

// own returns the own share of each function.
func (p *program) own() []float64 {
	own := make([]float64, len(p.names))
	for i := range p.nodes {
		own[p.costs(&p.nodes[i])] += p.nodes[i].share
	}
	return own
}

// setShare gives a function an own share.
func (p *program) setShare(f int, share float64) {
	own := p.own()[f]
	for i := range p.nodes {
		if n := &p.nodes[i]; p.costs(n) == f {
			n.share *= share / own
		} else {
			n.share *= (1 - share) / (1 - own)
		}
	}
}

// A Change is what a version does to a program.
type Change struct {
	Function string  // that it is done to
	Factor   float64 // of its own cost; 0 is 1
	Rename   bool    // it has another name
	Inline   bool    // its own cost counts as its callers'
	Wrap     bool    // a new function calls it, in place of its callers
	// Calls is a new function that costs this share and is called by Function.
	Calls float64
	// Leak is by how much its cost grows per hour that a process runs, as a factor.
	Leak float64
}
