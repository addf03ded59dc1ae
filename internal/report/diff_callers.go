package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// With callees, all callers of a function that changed changed as well. This is about which row is the
// cause, and which rows only call it.

const (
	// nestedRows is how many rows are told apart: more than any sentence names.
	nestedRows = 32
	// mostOfChange is the part of a caller's change that its callee has to have to explain it. The rest is chance.
	mostOfChange = 0.8
)

// nesting tells of the first rows of a Diff how much of their change is in calls of each other.
type nesting struct {
	// within[a][b] is the change of the stacks in which row a calls row b, directly or not.
	within [][]float64
	yours  []bool
}

// explains reports whether most of the change of row a is in its calls of row b.
func (n *nesting) explains(d *Diff, b, a int) bool {
	of, in := float64(d.Rows[a].Cum.Delta), n.within[a][b]
	return of != 0 && in/of >= mostOfChange
}

// nest returns the nesting of the first rows.
func (d *Diff) nest(
	ctx context.Context, profiles []*profile.Profile, maps []*profile.FrameMap, values [][]int64, runs []diffRun, table *profile.FrameTable,
) (*nesting, error) {
	rows := d.Rows[:min(len(d.Rows), nestedRows)]
	n := &nesting{within: make([][]float64, len(rows)), yours: make([]bool, len(rows))}
	origins := table.Origins()
	number := make([]uint8, table.Len()) // of a frame's row, plus 1
	for i := range rows {
		n.within[i] = make([]float64, len(rows))
		frame := table.Frame(uint32(rows[i].frame))
		n.yours[i] = origins.Of(&frame) == profile.OriginOwn
		number[rows[i].frame] = uint8(i + 1)
	}
	for i, p := range profiles {
		by := runs[i].scale / float64(d.HeadRuns)
		if i < d.BaseRuns {
			by = -runs[i].scale / float64(d.BaseRuns)
		}
		stop := stopper{ctx: ctx}
		var outer []uint8
		for s, v := range values[i] {
			if stop.at(s) {
				return nil, stop.err()
			}
			if v == 0 {
				continue
			}
			outer = outer[:0]
			for _, l := range slices.Backward(p.Stack(s)) {
				for _, ref := range slices.Backward(maps[i].At(l)) {
					row := number[ref.Index()]
					if row == 0 || slices.Contains(outer, row) {
						continue
					}
					for _, o := range outer {
						n.within[o-1][row-1] += by * float64(v)
					}
					outer = append(outer, row)
				}
			}
		}
	}
	return n, nil
}

// order puts rows of the same weight in the order of calls, innermost first.
func (n *nesting) order(d *Diff) {
	order := make([]int, len(n.within))
	callers := make([]int, len(n.within))
	for b := range n.within {
		order[b] = b
		for a := range n.within {
			if n.explains(d, b, a) {
				callers[b]++
			}
		}
	}
	rows := slices.Clone(d.Rows[:len(order)])
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Round(d.weight(&rows[b])), math.Round(d.weight(&rows[a]))), cmp.Compare(callers[b], callers[a]))
	})
	within, yours := n.within, n.yours
	n.within, n.yours = make([][]float64, len(order)), make([]bool, len(order))
	for i, from := range order {
		d.Rows[i], n.yours[i] = rows[from], yours[from]
		n.within[i] = make([]float64, len(order))
		for j, to := range order {
			n.within[i][j] = within[from][to]
		}
	}
}

// A cause is a row, and the rows that changed because they call it.
type cause struct {
	row     int
	callers []int
}

// causes returns the causes among rows, which are numbers of d.Rows in order. A cause is the innermost
// row, or the innermost of yours if there is any: others can't be changed.
func (d *Diff) causes(rows []int) []cause {
	n := d.nesting
	var all []cause
next:
	for _, r := range rows {
		if n == nil || r >= len(n.within) {
			all = append(all, cause{row: r})
			continue
		}
		for i := range all {
			c := &all[i]
			if c.row >= len(n.within) {
				continue
			}
			switch {
			case n.explains(d, c.row, r): // r calls it
				if n.yours[r] && !n.yours[c.row] {
					c.row = r // what it calls isn't named: it is how the cost of r comes about
				} else if n.yours[r] || !n.yours[c.row] {
					c.callers = append(c.callers, r)
				}
				continue next
			case n.explains(d, r, c.row): // it calls r
				if n.yours[r] || !n.yours[c.row] {
					c.callers = append([]int{c.row}, c.callers...)
					c.row = r
				}
				continue next
			}
		}
		all = append(all, cause{row: r})
	}
	return all
}
