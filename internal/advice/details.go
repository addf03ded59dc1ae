package advice

import "path/filepath"

// details collects what lines in folders call, and what calls the hot ones among them. The same for all
// lines would take several times the memory of a large profile.
//
// A finding also names who calls the callers that pass a call on, so these are collected level by level.
func (c *collector) details(inputs []Input, lines []*hot, folders []string) {
	in := make(map[string]bool)
	for _, dir := range folders {
		in[dir] = true
	}
	chained, linked := make(map[*hot]bool), make(map[*hot]bool)
	for _, h := range c.lines {
		if in[filepath.Dir(h.file)] {
			chained[h] = true
		}
	}
	for _, h := range lines {
		linked[h] = true
	}
	done := make(map[*hot]bool)
	for level := 0; level <= maxPassed && len(chained)+len(linked) > 0; level++ {
		for _, input := range inputs {
			c.addDetails(input, chained, linked)
		}
		above := make(map[*hot]bool)
		for h := range linked {
			done[h] = true
			for caller, part := range h.callers {
				if part.reaches(callerShare, h.sum) {
					above[caller] = true
				}
			}
		}
		for h := range done {
			delete(above, h)
		}
		chained, linked = nil, above
	}
}

// reaches reports whether a part has a share of all in some subject and dimension.
func (m matched) reaches(share float64, all matched) bool {
	for subject, v := range m {
		for d, n := range v {
			if n > 0 && float64(n) >= share*float64(all[subject][d]) {
				return true
			}
		}
	}
	return false
}

// addDetails adds what some lines call, and what calls others.
func (c *collector) addDetails(in Input, chained, linked map[*hot]bool) {
	subject := c.subject(in.Subject)
	var below *hot // of the same sample
	c.walk(in, func(h *hot) bool { return chained[h] || linked[h] }, func(v *visit) {
		h := v.line
		if chained[h] {
			h.count(v, subject)
			h.countBlocks(v, subject, in.Profile)
		}
		if below != nil && linked[below] {
			below.calledFrom(h, v, subject)
		}
		if below != nil && linked[h] {
			h.calls(below, v, subject)
		}
		below = h
	}, func(*values, bool, bool) { below = nil })
}

// linesIn returns the lines of a file.
func (e *evidence) linesIn(file string) []*hot {
	if e.byFile == nil {
		e.byFile = make(map[string][]*hot)
		for _, h := range e.lines {
			e.byFile[h.file] = append(e.byFile[h.file], h)
		}
	}
	return e.byFile[file]
}
