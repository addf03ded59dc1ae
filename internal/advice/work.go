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

	subject int
	time    float64 // with its share of garbage collection
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
	return c.workIn(subject, all[subject])
}

// workIn is the line's work in a subject, given its values there.
func (c *Costs) workIn(subject int, v *values) Work {
	w := Work{
		CPU:     c.seen.share(v[cpuTime], subject, cpuTime),
		Bytes:   c.seen.share(v[allocBytes], subject, allocBytes),
		Objects: c.seen.share(v[allocBlocks], subject, allocBlocks),
		Parts:   c.parts(subject),
		subject: subject,
		time:    c.seen.time(matched{subject: v}),
	}
	if v[allocBlocks] > 0 {
		w.BlockSize = v[allocBytes] / v[allocBlocks]
	}
	return w
}

// A Beside is another line of a site's function, and what that line runs.
type Beside struct {
	*Site
	Work
	Part float64 // of the time of the site's line
}

// Beside returns the other lines of the site's function that take at least a part of the time that the line with the
// given work takes, in the same subject, the hottest first. It returns none if the source has changed since the profile was taken.
func (s *Site) Beside(w Work, part float64) []Beside {
	if s.Line != int(s.hot.line) {
		return nil
	}
	var all []Beside
	for _, h := range s.seen.linesIn(s.hot.file) {
		if h.function != s.hot.function || h.startLine != s.hot.startLine || h.line == s.hot.line {
			continue
		}
		v := h.match(about{folded: true})[w.subject]
		if v == nil {
			continue
		}
		other := &Site{Place: s.Place, In: s.In, Line: int(h.line), Costs: Costs{h, s.seen}, Allocations: Allocations{h, s.seen}}
		if work := other.workIn(w.subject, v); work.time > 0 && work.time >= part*w.time {
			all = append(all, Beside{other, work, work.time / w.time})
		}
	}
	slices.SortFunc(all, func(a, b Beside) int { return cmp.Or(cmp.Compare(b.time, a.time), a.Line-b.Line) })
	return all
}

// Above returns the line of the package that calls the site's function more often than all others together, by what that costs in
// the subject of the given work, and what that line itself runs, but not its part of the time. ok is false if there is none, or if it
// is in the same function.
func (s *Site) Above(w Work) (above Beside, ok bool) {
	all := s.hot.sum[w.subject]
	if all == nil || s.Line != int(s.hot.line) {
		return above, false
	}
	by := mainDimension(all)
	for h, m := range s.hot.callers {
		if m[w.subject] == nil || 2*m[w.subject][by] <= all[by] || h.testing || h.function == s.hot.function {
			continue
		}
		site, err := s.In.site(h, s.seen)
		if err != nil || site.Line != int(h.line) {
			return above, false // of another package, or changed
		}
		above = Beside{Site: site, Work: Work{subject: w.subject}}
		if v := h.match(about{folded: true})[w.subject]; v != nil {
			above.Work = site.workIn(w.subject, v)
		}
		return above, true
	}
	return above, false
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
