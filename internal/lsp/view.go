package lsp

import "slices"

// A view has the costs of a file at the lines that it has in the editor. Costs of lines are known in declarations that are as they were
// measured; lines of others may be anything.
type view struct {
	doc      *document
	measured *measured
	recorded *recordedFile
	decls    []declaration           // of the document
	byText   map[string]*declaration // of the source that was measured
}

// viewOf places what was measured.
func viewOf(m *measured, r *recordedFile, doc *document) *view {
	v := &view{doc: doc, measured: m, recorded: r, byText: make(map[string]*declaration)}
	if r.costs == nil {
		return v
	}
	v.decls = declarations(doc.text.all)
	for i := range r.decls {
		v.byText[r.decls[i].text] = &r.decls[i]
	}
	return v
}

// A placed is a function of the document that was measured.
type placed struct {
	*declaration
	measured *function
	edited   bool // since it was measured
}

// functions returns the functions that have costs, in the order of the document.
func (v *view) functions() (all []placed) {
	for i := range v.decls {
		if p := v.place(&v.decls[i]); p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// place returns what was measured of a function; nil if nothing was.
func (v *view) place(d *declaration) *placed {
	if d.symbol == "" || d.symbol == "init" || d.symbol == "_" { // there may be several
		return nil
	}
	of := v.recorded.costs.functions[d.symbol]
	if of == nil {
		return nil
	}
	return &placed{d, of, v.unchanged(d) == nil}
}

// unchanged returns the declaration as it was measured, if it is the same; else nil.
func (v *view) unchanged(d *declaration) *declaration {
	was := v.byText[d.text]
	if was == nil || was.symbol != d.symbol || !v.recorded.known(was) {
		return nil
	}
	return was
}

// A lineCost is what is known about a line.
type lineCost struct {
	function *placed // that it is in; nil for variables, and functions that weren't measured
	spot     spot    // of the profiles
	costs    []cost  // empty if the function was edited, or the line takes nothing
	first    bool    // it is the function's first line
}

// line returns what is known about a line, which counts from 1; nil for nothing.
func (v *view) line(n int) *lineCost {
	if v.recorded.costs == nil {
		return nil
	}
	d := around(v.decls, n)
	if d == nil {
		return nil
	}
	at := &lineCost{function: v.place(d), first: n == d.first}
	if was := v.unchanged(d); was != nil {
		line := int64(n - d.first + was.first)
		spots := slices.Clone(v.recorded.byLine[line])
		slices.SortFunc(spots, func(a, b spot) int { return len(a.symbol) - len(b.symbol) })
		for _, s := range spots { // one, if a function is declared here
			at.spot = s
			at.costs = append(at.costs, v.recorded.costs.lines[s]...)
		}
	}
	if at.function == nil && len(at.costs) == 0 {
		return nil
	}
	return at
}
