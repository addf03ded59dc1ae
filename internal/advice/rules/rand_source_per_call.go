package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var randSourcePerCall = &advice.Rule{
	ID:    "rand-source-per-call",
	Title: "a random source is seeded per call",
	Doc: `Seeding a source of math/rand computes 607 numbers, which takes about 8 µs and 5 KiB. Drawing a number takes some
nanoseconds. Since Go 1.20 the package's own functions are seeded randomly at startup, and each thread draws from its
own state, without a lock.

If a source is seeded with the time and used only to draw numbers, the rewrite draws from the package. Review it,
because other code may rely on rand.Seed, and the expression of the seed no longer runs. If a source has a fixed seed to reproduce
its numbers, keep it, or create it with rand.NewPCG of math/rand/v2, which is cheap but gives other numbers. That is
advice only.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^math/rand\.(NewSource|newSource|New$|seedrand|\(\*rngSource\)\.Seed)`),
	Since:  "1.20",
	Gain:   100,
	Match:  matchRandSourcePerCall,
	Conditions: advice.Conditions{
		Offered: "the source is seeded with the time and only used to draw numbers",
		Review:  "no code relies on rand.Seed",
	},
}

// drawing has the methods of a rand.Rand that are also functions of the package.
var drawing = []string{"Int", "Intn", "Int31", "Int31n", "Int63", "Int63n", "Uint32", "Uint64", "Float32", "Float64", "ExpFloat64", "NormFloat64", "Perm", "Shuffle"}

func matchRandSourcePerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("math/rand.NewSource") {
		if facts.RunsOnce(s.Place, c.Cursor) || s.Decl != nil && facts.IsConstructor(s.Decl.Name.Name) && !facts.InLoop(c.Cursor) {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		if byTime := asksTheTime(s, c.Args[0]); !byTime {
			m.Why = "Seeding takes about 8 µs each time this runs. Keep the source, or create it with rand.NewPCG of math/rand/v2, which needs no table but gives other numbers."
		} else {
			m.Why = "Seeding takes about 8 µs each time this runs. The package's own functions are seeded randomly at startup; use them. Check that no code calls rand.Seed."
			if seed := s.Source(c.Args[0]); seedRuns(s, c.Args[0]) && edit.OneLine(seed) {
				m.Why = strings.TrimSuffix(m.Why, ".") + fmt.Sprintf(", and that %s doesn't need to be evaluated.", seed)
			} else if seedRuns(s, c.Args[0]) {
				m.Why = strings.TrimSuffix(m.Why, ".") + ", and that the seed doesn't need to be evaluated."
			}
			drawFromPackage(s, c, &m)
		}
		matches = append(matches, m)
	}
	return matches
}

// asksTheTime reports whether a seed is the current time, in seconds or fractions of them, perhaps
// with something added or multiplied: then the numbers should differ each time. A day, or a divided
// time, doesn't count, because those numbers should stay the same for a while.
func asksTheTime(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.XOR, token.OR, token.MUL:
			return asksTheTime(s, e.X) || asksTheTime(s, e.Y)
		}
	case *ast.CallExpr:
		if operand, _, ok := facts.Conversion(s.Place, e); ok {
			return asksTheTime(s, operand)
		}
		switch s.Callee(e) {
		case "(time.Time).Unix", "(time.Time).UnixMilli", "(time.Time).UnixMicro", "(time.Time).UnixNano", "(time.Time).Nanosecond":
			return isNow(s, e)
		}
	}
	return false
}

// seedRuns reports whether evaluating a seed may do something other than read the clock.
func seedRuns(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return seedRuns(s, e.X) || seedRuns(s, e.Y) || e.Op == token.QUO || e.Op == token.REM
	case *ast.CallExpr:
		if operand, _, ok := facts.Conversion(s.Place, e); ok {
			return seedRuns(s, operand)
		}
		if isNow(s, e) {
			return false
		}
	}
	return facts.EffectsOf(s.Place, e)&(facts.MayPanic|facts.MayWrite) != 0
}

// isNow reports whether a method is called on the current time, in any time zone.
func isNow(s *advice.Site, method *ast.CallExpr) bool {
	sel, ok := method.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	switch s.Callee(of) {
	case "time.Now":
		return true
	case "(time.Time).UTC", "(time.Time).Local":
		return isNow(s, of)
	}
	return false
}

// drawFromPackage fills in the rewrite, if the result of rand.New is only used to draw numbers.
func drawFromPackage(s *advice.Site, c code.Call, m *advice.Match) {
	made, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || s.Callee(made) != "math/rand.New" || seeds(s) {
		return
	}
	at := c.Parent()
	if sel, ok := at.Parent().Node().(*ast.SelectorExpr); ok && slices.Contains(drawing, sel.Sel.Name) {
		if name, ok := facts.PackageName(s.Place, "math/rand", made.Pos()); ok && !facts.Commented(s.Place, made.Pos(), made.End()) {
			m.Edits = []advice.Edit{edit.Replace(made, name)}
			m.Class = advice.Review
		}
		return
	}
	assign, ok := at.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
		return
	}
	stmt := at.Parent()
	next, ok := stmt.NextSibling()
	obj := facts.Object(s.Place, assign.Lhs[0])
	if _, block := stmt.Parent().Node().(*ast.BlockStmt); !ok || !block || obj == nil || facts.Commented(s.Place, assign.Pos(), assign.End()) {
		return
	}
	end := next.Node().Pos()
	if facts.Commented(s.Place, assign.End(), end) {
		end = assign.End()
	}
	edits := []advice.Edit{{Pos: assign.Pos(), End: end}}
	for _, id := range s.Uses(obj) {
		use, ok := s.Root().FindNode(id)
		if !ok {
			return
		}
		name, resolved := facts.PackageName(s.Place, "math/rand", id.Pos())
		sel, ok := use.Parent().Node().(*ast.SelectorExpr)
		if !ok || !resolved || sel.X != ast.Expr(id) || !slices.Contains(drawing, sel.Sel.Name) {
			return
		}
		edits = append(edits, edit.Replace(id, name))
	}
	m.Edits, m.Class = edits, advice.Review
}

// seeds reports whether the package seeds the global source.
func seeds(s *advice.Site) bool {
	found := false
	s.Root().Inspect([]ast.Node{(*ast.CallExpr)(nil)}, func(c inspector.Cursor) bool {
		found = found || s.Callee(c.Node().(*ast.CallExpr)) == "math/rand.Seed"
		return !found
	})
	return found
}
