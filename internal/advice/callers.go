package advice

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"
)

// calledFrom counts a sample at the user's line that is the next one up the stack.
func (h *hot) calledFrom(above *hot, v *visit, subject int) {
	if h.callers == nil {
		h.callers = make(map[*hot]matched)
	}
	countAt(h.callers, above, v, subject)
}

// calls counts a sample at the line below, as one of its function's.
func (h *hot) calls(below *hot, v *visit, subject int) {
	if h.called == nil {
		h.called = make(map[string]matched)
	}
	countAt(h.called, below.function, v, subject)
}

func countAt[K comparable](at map[K]matched, key K, v *visit, subject int) {
	m := at[key]
	if m == nil {
		m = make(matched)
		at[key] = m
	}
	m.of(subject).add(v.values)
}

// Callers with a smaller share of a line are left out, and all but the first maxCallers.
const (
	callerShare = 0.1
	maxCallers  = 3
)

// A line that spends nearly all its cost in one call passes that call on. Only its callers know what
// the call is for, so they are listed, too, up to maxPassed levels.
const (
	passedOn  = 0.9
	maxPassed = 2
)

// calledBy returns the lines that called a line's function in a subject, and the callers of those that
// only pass the call on. Tests are left out.
func (e *evidence) calledBy(h *hot, subject int) []Caller {
	if all := h.sum[subject]; all != nil {
		return e.calledByAs(h, subject, mainDimension(all), 0)
	}
	return nil
}

// CalledFrom reports whether profiles show a call of the line's function at a place in a function of its package.
// If they show no callers at all, every call counts.
func (c *Costs) CalledFrom(function string, call token.Position) bool {
	for at := range c.hot.callers {
		if name := parseName(at.function); at.file == call.Filename && int(at.line) == call.Line && path.Ext("."+name.declared()) == "."+function {
			return true
		}
	}
	return len(c.hot.callers) == 0
}

// Ran reports whether profiles show a line. If they show no callers of the site's line, every line counts.
func (c *Costs) Ran(line token.Position) bool {
	for at := range c.seen.lines {
		if at.file == line.Filename && int(at.line) == line.Line {
			return true
		}
	}
	return len(c.hot.callers) == 0
}

// calledByAs compares by a dimension; passed is the number of levels below that pass the call on.
func (e *evidence) calledByAs(h *hot, subject int, by dimension, passed int) []Caller {
	all := h.sum[subject]
	var callers []Caller
	for above, m := range h.callers {
		v := m[subject]
		if v == nil || above.testing {
			continue
		}
		if share := float64(v[by]) / float64(all[by]); share >= callerShare {
			name := parseName(above.function)
			c := Caller{Function: name.declared(), File: above.file, Line: int(above.line), Share: share}
			if passed < maxPassed && above.passesOn(h.function, subject, by) {
				c.Callers = e.calledByAs(above, subject, by, passed+1)
			}
			callers = append(callers, c)
		}
	}
	slices.SortFunc(callers, func(a, b Caller) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return callers[:min(maxCallers, len(callers))]
}

// passesOn reports whether a line costs hardly more than its calls of a function.
func (h *hot) passesOn(function string, subject int, by dimension) bool {
	return float64(h.called[function][subject][by]) >= passedOn*float64(h.sum[subject][by])
}
