package advice

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"slices"

	"github.com/hone-go/hone/internal/infile"
)

// setups distinguishes the setup of a benchmark from what it measures: profiles have both. Code in its
// function outside the loop over b.N, before the timer is reset, or while it is stopped, runs however
// fast the rest is, and doesn't count for any operation.
type setups struct {
	files  map[string]*benchmarkFile // nil for what can't be parsed
	phases map[place]phase
}

func newSetups() setups {
	return setups{files: make(map[string]*benchmarkFile), phases: make(map[place]phase)}
}

// A phase is what a frame says about its sample: what the benchmark did then.
type phase uint8

const (
	measured phase = iota
	prepares       // outside of what is measured
	asks           // in a function without a loop that has a *testing.B: what it calls may have one
)

// runsBenchmark is the function that calls benchmarks.
const runsBenchmark = "testing.(*B).runN"

// prepares reports whether a sample, whose frames are given from the root, is in the setup of a
// benchmark.
func (u *setups) prepares(frames iter.Seq[*step]) bool {
	known, begun := asks, false
	for f := range frames {
		if !begun {
			begun = f.runs
			continue
		}
		if f.line == nil {
			break // measured, or not the user's to say
		}
		if known = u.phase(f.line.place); known != asks {
			break
		}
	}
	return begun && known == prepares
}

func (u *setups) phase(p place) phase {
	known, ok := u.phases[p]
	if !ok {
		file, read := u.files[p.file]
		if !read {
			file = parseBenchmarks(p.file)
			u.files[p.file] = file
		}
		known = file.phase(p)
		u.phases[p] = known
	}
	return known
}

// A benchmarkFile is a file with benchmarks, and the names of their parameters.
type benchmarkFile struct {
	set  *token.FileSet
	file *ast.File
	bs   map[string]bool
}

func parseBenchmarks(name string) *benchmarkFile {
	text, err := infile.ReadFile(context.Background(), name, infile.MaxSource)
	if err != nil {
		return nil
	}
	b := &benchmarkFile{set: token.NewFileSet(), bs: make(map[string]bool)}
	if b.file, err = parser.ParseFile(b.set, name, text, parser.SkipObjectResolution); err != nil {
		return nil
	}
	ast.Inspect(b.file, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			for _, p := range benchmarkParams(f) {
				b.bs[p] = true
			}
		}
		return true
	})
	return b
}

// benchmarkParams are the names of a function's parameters of type *testing.B.
func benchmarkParams(f *ast.FuncType) (names []string) {
	for _, p := range f.Params.List {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		if sel, ok := star.X.(*ast.SelectorExpr); !ok || sel.Sel.Name != "B" {
			continue
		}
		for _, name := range p.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// phase classifies a line of a function. If the source has changed since, the line counts as measured.
func (b *benchmarkFile) phase(p place) phase {
	if b == nil {
		return measured
	}
	var typ *ast.FuncType
	var body *ast.BlockStmt
	ast.Inspect(b.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil && b.begins(n.Type, p) {
				typ, body = n.Type, n.Body
			}
		case *ast.FuncLit:
			if b.begins(n.Type, p) {
				typ, body = n.Type, n.Body
			}
		}
		return true
	})
	if body == nil || b.line(body.End()) < p.line {
		return measured
	}
	reset := b.reset(body)
	if paused, _ := b.paused(body.List, p.line); paused || p.line < reset {
		return prepares
	}
	loops, runs := b.loops(body)
	loops = slices.DeleteFunc(loops, func(l ast.Node) bool { return b.line(l.End()) < reset })
	for _, l := range loops {
		if b.line(l.Pos()) <= p.line && p.line <= b.line(l.End()) {
			if b.stopped(l, p.line) {
				return prepares
			}
			return measured
		}
	}
	switch {
	case len(loops) > 0 || runs:
		return prepares
	case len(benchmarkParams(typ)) > 0:
		return asks
	}
	return measured
}

func (b *benchmarkFile) line(pos token.Pos) int64 { return int64(b.set.Position(pos).Line) }

func (b *benchmarkFile) begins(f *ast.FuncType, p place) bool { return b.line(f.Pos()) == p.startLine }

// reset is the line of the last b.ResetTimer directly in a function's body, or 0: earlier work is not
// measured.
func (b *benchmarkFile) reset(body *ast.BlockStmt) int64 {
	for _, s := range slices.Backward(body.List) {
		if b.calls(s) == "ResetTimer" {
			return b.line(s.Pos())
		}
	}
	return 0
}

// loops returns a function's own loops over b.N or a value computed from it, over b.Loop, and calls of
// b.RunParallel. runs reports whether the function runs sub-benchmarks.
func (b *benchmarkFile) loops(body *ast.BlockStmt) (loops []ast.Node, runs bool) {
	made := b.madeOfN(body)
	counts := func(head ast.Node) bool { return b.counts(head, made) }
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			if n.Init != nil && counts(n.Init) || n.Cond != nil && counts(n.Cond) {
				loops = append(loops, n)
				return false
			}
		case *ast.RangeStmt:
			if counts(n.X) {
				loops = append(loops, n)
				return false
			}
		case *ast.CallExpr:
			switch b.method(n.Fun) {
			case "RunParallel":
				loops = append(loops, n)
			case "Run":
				runs = true
			}
		}
		return true
	})
	return loops, runs
}

// counts reports whether the head of a loop uses b.N, b.Loop, or a variable computed from b.N.
func (b *benchmarkFile) counts(head ast.Node, made map[string]bool) bool {
	found := false
	ast.Inspect(head, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			name := b.method(n)
			found = found || name == "N" || name == "Loop" || b.counts(n.X, made)
			return false // a field may have a variable's name
		case *ast.Ident:
			found = found || made[n.Name]
		}
		return !found
	})
	return found
}

// madeOfN returns the names of variables computed from b.N: numbers of iterations, or collections of
// that size.
func (b *benchmarkFile) madeOfN(body *ast.BlockStmt) map[string]bool {
	made := make(map[string]bool)
	set := func(to, from ast.Expr) {
		if name, ok := to.(*ast.Ident); ok && name.Name != "_" && b.counts(from, nil) {
			made[name.Name] = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt: // of several results the first
			for i, from := range n.Rhs[:min(len(n.Lhs), len(n.Rhs))] {
				set(n.Lhs[i], from)
			}
		case *ast.ValueSpec:
			for i, from := range n.Values[:min(len(n.Names), len(n.Values))] {
				set(n.Names[i], from)
			}
		}
		return true
	})
	return made
}

// method is the method that is selected from a benchmark's parameter, or "".
func (b *benchmarkFile) method(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok && b.bs[x.Name] {
			return sel.Sel.Name
		}
	}
	return ""
}

// stopped reports whether a line is between statements that stop and start the timer, or after one
// that stops it until the next iteration.
func (b *benchmarkFile) stopped(loop ast.Node, line int64) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			paused, since := b.paused(block.List, line)
			found = found || paused || since != 0 && since < line && line <= b.line(block.End())
		}
		return !found
	})
	return found
}

// paused reports whether a line is between statements of a list that stop and start the timer, and the
// line since which it is stopped at the end of the list, or 0. A statement in between that starts the
// timer is measured.
func (b *benchmarkFile) paused(list []ast.Stmt, line int64) (found bool, since int64) {
	for _, s := range list {
		switch b.calls(s) {
		case "StopTimer":
			since = b.line(s.Pos())
		case "StartTimer":
			found = found || since != 0 && since < line && line < b.line(s.Pos())
			since = 0
		case "":
			if b.starts(s) {
				since = 0
			}
		}
	}
	return found, since
}

// calls is the method of a benchmark's parameter that a statement calls, or "".
func (b *benchmarkFile) calls(s ast.Stmt) string {
	if e, ok := s.(*ast.ExprStmt); ok {
		if call, ok := e.X.(*ast.CallExpr); ok {
			return b.method(call.Fun)
		}
	}
	return ""
}

// starts reports whether a call in a statement, outside function literals, starts the timer.
func (b *benchmarkFile) starts(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && b.method(call.Fun) == "StartTimer"
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}
