package advice

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Work is what a line itself runs, in the subject where that costs most: its own code and the functions
// it calls, with all they call up to the next line of the user's. Shares are of the subject's total.
type Work struct {
	CPU, Bytes, Objects float64
	Parts               []Part // most first
	BlockSize           int64  // of what is allocated, in bytes on average; 0 if nothing is
}

// A Part is a function that a line calls.
type Part struct {
	Function string // as profiles name it; "" is the line's own code
	// Below is the function that takes the most time below Function.
	Below string
	CPU   float64
}

// Work returns what the line itself runs.
func (c *Costs) Work() Work {
	all := c.hot.match(about{folded: true})
	subject, ok := c.seen.costliest(all)
	if !ok {
		return Work{}
	}
	v := all[subject]
	w := Work{
		CPU:     c.seen.share(v[cpuTime], subject, cpuTime),
		Bytes:   c.seen.share(v[allocBytes], subject, allocBytes),
		Objects: c.seen.share(v[allocBlocks], subject, allocBlocks),
		Parts:   c.parts(subject),
	}
	if v[allocBlocks] > 0 {
		w.BlockSize = v[allocBytes] / v[allocBlocks]
	}
	return w
}

// parts are the functions that take time below the line, in a subject.
func (c *Costs) parts(subject int) (all []Part) {
	sums := make(map[string]int64)
	below := make(map[string]map[string]int64)
	for _, k := range c.hot.chains {
		v := k.values[subject]
		if v == nil || !k.toLeaf || v[cpuTime] == 0 {
			continue
		}
		name := ""
		if len(k.below) > 0 {
			name = k.below[0]
			if below[name] == nil {
				below[name] = make(map[string]int64)
			}
			below[name][k.below[len(k.below)-1]] += v[cpuTime]
		}
		sums[name] += v[cpuTime]
	}
	for name, sum := range sums {
		p := Part{Function: name, CPU: c.seen.share(sum, subject, cpuTime)}
		most := int64(0)
		for _, leaf := range slices.Sorted(maps.Keys(below[name])) {
			if n := below[name][leaf]; n > most && leaf != name {
				p.Below, most = leaf, n
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), strings.Compare(a.Function, b.Function))
	})
	return all
}

// costliest returns the subject in which a part has the largest bound.
func (e *evidence) costliest(m matched) (best int, ok bool) {
	var most Bound
	for _, subject := range slices.Sorted(maps.Keys(m)) {
		if e.weight(m[subject], subject) == 0 {
			continue
		}
		if b := e.bound(m[subject], subject, defaultGain); !ok || b.better(&most) {
			best, most, ok = subject, b, true
		}
	}
	return best, ok
}
