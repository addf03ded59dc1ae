package advice

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// describe returns the evidence for a part in the subject with the largest bound. Subjects where the
// part has less than a share don't count.
func (e *evidence) describe(h *hot, m matched, gain, least float64) (Evidence, Bound) {
	var out Evidence
	var bound Bound
	worth := 0.0
	type of struct {
		subject int
		weight  float64
	}
	var order []of
	best := -1
	for subject, v := range m {
		w := e.weight(v, subject)
		if w == 0 || w < least {
			continue
		}
		order = append(order, of{subject, w})
		b := e.bound(v, subject, gain)
		worth += b.Expected * b.Expected
		if best < 0 || b.better(&bound) {
			best, bound = subject, b
		}
	}
	if best < 0 {
		return out, bound
	}
	bound.Worth = math.Sqrt(worth)
	slices.SortFunc(order, func(a, b of) int { return cmp.Or(cmp.Compare(b.weight, a.weight), a.subject-b.subject) })
	for _, o := range order {
		if name := e.subjects[o.subject]; name != "" {
			out.Subjects = append(out.Subjects, name)
		}
	}
	v := m[best]
	out.Subject = e.subjects[best]
	part := func(d dimension, unit string, samples int64) *Share {
		if v[d] == 0 {
			return nil
		}
		return &Share{Value: v[d], Unit: unit, Share: e.share(v[d], best, d), Samples: samples}
	}
	out.CPU = part(cpuTime, "nanoseconds", v[cpuSamples])
	out.Bytes = part(allocBytes, "bytes", 0)
	out.Objects = part(allocBlocks, "count", 0)
	out.Mutex = part(mutexTime, "nanoseconds", 0)
	out.Block = part(blockTime, "nanoseconds", 0)
	out.GC = e.share(e.gc[best], best, cpuTime)
	out.Callees = h.callees(e, best)
	out.Callers = e.calledBy(h, best)
	for size, n := range h.blocks[best] {
		out.Ladder = append(out.Ladder, Block{size, n})
	}
	slices.SortFunc(out.Ladder, func(a, b Block) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return out, bound
}

// callees returns up to 5 functions that a line calls, including all below them. Their shares are of
// the time, or else of what the profiles have for the line.
func (h *hot) callees(e *evidence, subject int) []Callee {
	sums := make(map[string]*values)
	var line values
	for _, k := range h.chains {
		if v := k.values[subject]; v != nil && len(k.below) > 0 {
			if sums[k.below[0]] == nil {
				sums[k.below[0]] = new(values)
			}
			sums[k.below[0]].add(v)
			line.add(v)
		}
	}
	by := mainDimension(&line)
	var all []Callee
	for name, v := range sums {
		if v[by] != 0 {
			all = append(all, Callee{name, e.share(v[by], subject, by)})
		}
	}
	slices.SortFunc(all, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Function, b.Function))
	})
	return all[:min(5, len(all))]
}
