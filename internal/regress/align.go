package regress

import (
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// The compiler may name a function literal differently in each version of a program, and
// names most of them differently since Go 1.27. Before sums are compared, each literal gets
// one number, as in comparisons of profiles: see [profile.RenamedLiterals].

// define notes where a literal is.
func (f *Frames) define(number int32, at *profile.Frame) {
	if _, known := f.literals[number]; known || f.rest(number) || !profile.MayBeLiteral(at.Name) {
		return
	}
	f.literals[number] = profile.Definition{Name: f.Names[number], File: strings.Clone(at.File), StartLine: at.StartLine}
}

// align gives literals that are the same before and after one number.
func (r *reading) align(frames *Frames) {
	renamed := profile.RenamedLiterals(frames.literalsIn(r.before), frames.literalsIn(slices.Concat(r.early, r.late)))
	if len(renamed) == 0 {
		return
	}
	frames.same = map[int32]int32{}
	for from, to := range renamed {
		frames.same[frames.index[from]] = frames.index[to]
	}
	all := [][]Sum{r.before, r.early, r.late}
	for _, p := range r.past {
		all = append(all, p[0], p[1])
	}
	for _, sums := range all {
		for i := range sums { // days of the past may have the same sums: the second time changes nothing
			sums[i].Own, sums[i].Cum = frames.moved(sums[i].Own), frames.moved(sums[i].Cum)
		}
	}
}

// literalsIn returns the literals that have a cost in sums.
func (f *Frames) literalsIn(sums []Sum) (all []profile.Definition) {
	for _, n := range slices.Sorted(maps.Keys(f.literals)) {
		if slices.ContainsFunc(sums, func(one Sum) bool { return at(one.Cum, int(n)) != 0 }) {
			all = append(all, f.literals[n])
		}
	}
	return all
}

// moved returns a column in which the cost of renamed literals is at their new numbers.
func (f *Frames) moved(column []float64) []float64 {
	for _, from := range slices.Sorted(maps.Keys(f.same)) {
		v := at(column, int(from))
		if v == 0 {
			continue
		}
		to := int(f.same[from])
		if to >= len(column) {
			column = append(column, make([]float64, to+1-len(column))...)
		}
		column[from], column[to] = 0, column[to]+v
	}
	return column
}

// aligned returns an edge with the numbers that count.
func (f *Frames) aligned(e Edge) Edge {
	if to, renamed := f.same[e.Caller]; renamed {
		e.Caller = to
	}
	if to, renamed := f.same[e.Callee]; renamed {
		e.Callee = to
	}
	return e
}
