package advice

import (
	"go/ast"
	"strings"
	"time"

	"golang.org/x/tools/go/ast/inspector"
)

// relocate returns the line of a function that a line of a profile is on now that the source has changed,
// by the functions that the profile shows below it. The line stays if it calls one of them. Otherwise it
// is the nearest line that does: after it if two are as near, because changes usually add lines.
func (p *Package) relocate(h *hot, function inspector.Cursor, line int) int {
	below := h.calledNames()
	if len(below) == 0 {
		return line
	}
	best, distance := line, -1
	for at, names := range p.callsIn(function) {
		calls := false
		for name := range names {
			calls = calls || below[name]
		}
		if !calls {
			continue
		}
		d := 2 * (at - line)
		if d < 0 {
			d = -d + 1
		}
		if distance < 0 || d < distance {
			best, distance = at, d
		}
	}
	return best
}

// calledNames are the names, without package and receiver, of the functions that a profile shows directly below a
// line. Functions of the runtime and literals have no name in the source.
func (h *hot) calledNames() map[string]bool {
	names := make(map[string]bool)
	add := func(function string) {
		if n := parseName(function); n.closure == "" && !strings.HasPrefix(function, "runtime.") && !strings.HasPrefix(function, "internal/") {
			names[n.name] = true
		}
	}
	for _, k := range h.chains {
		if len(k.below) > 0 {
			add(k.below[0])
		}
	}
	for function := range h.called {
		add(function)
	}
	return names
}

// callsIn are the names that a function calls on its lines. Deferred calls run elsewhere, and literals are
// functions of their own.
func (p *Package) callsIn(function inspector.Cursor) map[int]map[string]bool {
	lines := make(map[int]map[string]bool)
	function.Inspect([]ast.Node{(*ast.CallExpr)(nil), (*ast.FuncLit)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)}, func(c inspector.Cursor) bool {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			return c == function
		}
		name := ""
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name = fun.Sel.Name
		case *ast.IndexExpr: // with a type argument
			if id, ok := fun.X.(*ast.Ident); ok {
				name = id.Name
			} else if sel, ok := fun.X.(*ast.SelectorExpr); ok {
				name = sel.Sel.Name
			}
		}
		if name != "" {
			at := p.Line(call.Lparen)
			if lines[at] == nil {
				lines[at] = make(map[string]bool)
			}
			lines[at][name] = true
		}
		return true
	})
	return lines
}

// newerThan reports whether a file was written after the profiles of a line were taken, if both times are
// known.
func (p *Package) newerThan(h *hot) bool {
	written, ok := p.written[h.file]
	return ok && h.taken > 0 && written.After(time.Unix(0, h.taken))
}
