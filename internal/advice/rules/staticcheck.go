package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"honnef.co/go/tools/simple/s1001"
	"honnef.co/go/tools/simple/s1012"
	"honnef.co/go/tools/simple/s1018"
	"honnef.co/go/tools/simple/s1033"
	"honnef.co/go/tools/simple/s1035"
	"honnef.co/go/tools/simple/s1036"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// These analyzers of staticcheck make a hot line faster and need only syntax and types. Those that
// find what rules here find, too, aren't among them: SA6000 (regexp-per-call), SA6002 (pool-value),
// SA6005 (tolower-equal), SA6006 (string-bytes-conversion), S1011 (bulk-append), S1025 and QF1012
// (sprintf-simple), S1032 (sort-slice).

var mapGuard = &advice.Rule{
	ID:    "map-guard",
	Title: "a map is checked before it is updated",
	Doc: `A missing key returns the zero value, which append and + handle correctly. Checking first looks up the key two or three
times; m[k] = append(m[k], v), m[k] += v and m[k]++ look it up once.`,
	Analyzer: s1036.Analyzer,
	Class:    advice.Safe,
	Frames:   mapLookup,
	Gain:     1.6,
	Match: advice.FromAnalyzer(s1036.Analyzer, "The key is looked up to check for it, and again to store; a missing key has the zero value, so the check isn't needed.",
		func(s *advice.Site, _ string, c inspector.Cursor, m *advice.Match) bool {
			// m[k] += v with v = -0, and append(m[k], vs...) with []any{vs}, give another result.
			other := false
			ast.Inspect(c.Node(), func(n ast.Node) bool {
				assign, ok := n.(*ast.AssignStmt)
				if !ok || len(assign.Lhs) != 1 {
					return true
				}
				call, isCall := assign.Rhs[0].(*ast.CallExpr)
				other = other || assign.Tok == token.ADD_ASSIGN && facts.IsFloat(s.Info.TypeOf(assign.Lhs[0])) ||
					isCall && call.Ellipsis.IsValid() && types.ExprString(call.Args[0]) == types.ExprString(assign.Lhs[0])
				if entry, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr); ok {
					values := assign.Rhs
					if isCall && s.Callee(call) == "append" {
						values = call.Args[1:]
					}
					for _, v := range values {
						edit.MustCheck(m, askedFirst(s, entry, v))
					}
				}
				return !other
			})
			return !other
		}),
	Conditions: advice.Conditions{
		Offered: "the check for the key only decides whether to append, add or count",
		Review:  "evaluating the new value doesn't change the map or the key, and doesn't panic if the key may",
	},
}

// askedFirst returns what to check if the map isn't asked for the key before the stored value is
// evaluated.
func askedFirst(s *advice.Site, entry *ast.IndexExpr, value ast.Expr) (check []string) {
	if !facts.UnchangedBy(s.Place, entry, false, facts.Change{Code: []ast.Node{value}}) {
		check = append(check, fmt.Sprintf("that %s doesn't change %s, which is now looked up after it", s.Source(value), s.Source(entry)))
	}
	own := facts.PanicsBeside(s.Place, entry)
	if own != 0 && facts.EffectsOf(s.Place, facts.CallsIn(s.Place, value)...)&(facts.MayPanic|facts.MayWrite) != 0 || facts.CanTell(own, facts.PanicsBeside(s.Place, value)) {
		check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated after %s", s.Source(entry), s.Source(value)))
	}
	return check
}

var deleteGuard = &advice.Rule{
	ID:    "delete-guard",
	Title: "a map is checked before a key is deleted",
	Doc: `Deleting a missing key does nothing, so checking first looks up the key twice.

Review the rewrite: goroutines that find nothing to delete may check concurrently, for example under a read lock, but
must not call delete concurrently.`,
	Analyzer: s1033.Analyzer,
	Class:    advice.Review,
	Frames:   mapLookup,
	Gain:     1.2,
	Match: advice.FromAnalyzer(s1033.Analyzer, "delete does nothing for a missing key, so the check only looks it up twice. Check that no other goroutine reads the map concurrently.",
		func(s *advice.Site, _ string, c inspector.Cursor, _ *advice.Match) bool {
			guard, ok := c.Node().(*ast.IfStmt)
			if !ok {
				return false
			}
			ask, ok := guard.Init.(*ast.AssignStmt)
			return ok && len(ask.Rhs) == 1 && !facts.Calls(s.Place, ask.Rhs[0]) // calls would run once instead of twice
		}),
	Conditions: advice.Conditions{
		Offered: "the check for the key calls no function",
		Review:  "goroutines don't run this concurrently, for example under a read lock",
	},
}

var copyLoop = &advice.Rule{
	ID:    "copy-loop",
	Title: "elements are copied one by one",
	Doc: `copy, and the assignment of an array, move many bytes per instruction. A loop moves one element per step and checks two
indexes.

Review the rewrite: if the destination is shorter, the loop panics and copy stops. If both are parts of the same slice
and the destination starts within the source, the loop repeats elements it has just moved, and copy doesn't. If they are
known to be parts of the same slice, the rule only gives advice.`,
	Analyzer: s1001.Analyzer,
	Class:    advice.Review,
	Gain:     4,
	Match: advice.FromAnalyzer(s1001.Analyzer, "The loop moves one element per step and checks two indexes; copy moves many bytes per instruction. Check that the destination is long enough, since the loop would panic and copy stops, and that the two don't overlap.",
		func(s *advice.Site, message string, c inspector.Cursor, m *advice.Match) bool {
			if sharesSlice(s, facts.LoopBody(c.Node())) {
				m.Edits = nil
			}
			return takesTime(s, message, c, m)
		}),
	Conditions: advice.Conditions{
		Offered: "the loop only copies elements at the same index",
		Review:  "the destination is long enough, since the loop panics and copy stops; it doesn't overlap the source",
	},
}

// sharesSlice reports whether a loop's body moves elements between parts of one slice.
func sharesSlice(s *advice.Site, body *ast.BlockStmt) bool {
	wholes := make(map[string]bool)
	sliced, shares := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		index, ok := n.(*ast.IndexExpr)
		if !ok {
			return true
		}
		whole, part := partOf(s, index.X)
		sliced = sliced || part
		shares = shares || wholes[whole]
		wholes[whole] = true
		return true
	})
	return sliced && shares
}

// partOf returns the slice that an expression slices, following local variables, as source, and
// whether it may be only a part.
func partOf(s *advice.Site, e ast.Expr) (whole string, part bool) {
	for range 10 { // x := x[1:] would have no end
		e = ast.Unparen(e)
		switch x := e.(type) {
		case *ast.SliceExpr:
			e, part = x.X, true
			continue
		case *ast.Ident:
			if value, ok := facts.Definition(s.Place, facts.Object(s.Place, x)); ok {
				switch value := ast.Unparen(value.Node().(ast.Expr)).(type) {
				case *ast.SliceExpr, *ast.Ident, *ast.SelectorExpr:
					e = value
					continue
				}
			}
		}
		break
	}
	return s.Source(e), part
}

var slideLoop = &advice.Rule{
	ID:    "slide-loop",
	Title: "elements are moved down one by one",
	Doc: `copy also moves elements within a slice, even if the ranges overlap, and many bytes per instruction.

Review the rewrite: if there are fewer elements than the loop moves, the loop panics and copy stops. If the count is
negative, the loop does nothing and copy panics.`,
	Analyzer: s1018.Analyzer,
	Class:    advice.Review,
	Gain:     4,
	Match: advice.FromAnalyzer(s1018.Analyzer, "The loop moves one element per step and checks two indexes; copy moves many bytes per instruction, also within a slice. Check that there are as many elements as the loop moves, and that the count isn't negative: the loop and copy panic in different cases.",
		func(s *advice.Site, message string, c inspector.Cursor, m *advice.Match) bool {
			if loop, ok := c.Node().(*ast.ForStmt); ok {
				if init, ok := loop.Init.(*ast.AssignStmt); !ok || init.Tok != token.DEFINE {
					return false // the variable is used after the loop
				}
			}
			return takesTime(s, message, c, m)
		}),
	Conditions: advice.Conditions{
		Offered: "the loop only moves elements down",
		Review:  "there are as many elements as the loop moves, and the count isn't negative, since only one of loop and copy panics then",
	},
}

// takesTime reports whether the line itself takes the time: moving elements calls no function.
func takesTime(s *advice.Site, _ string, _ inspector.Cursor, _ *advice.Match) bool {
	return s.Flat() >= 0.01
}

var timeSince = &advice.Rule{
	ID:    "time-since",
	Title: "time.Now().Sub reads two clocks",
	Doc: `time.Now reads the wall clock and the monotonic clock. For a time that comes from time.Now, time.Since reads only the
monotonic clock, which is about half the work.

Review the rewrite if the argument is a call with side effects, because the clock is then read after it.`,
	Analyzer: s1012.Analyzer,
	Class:    advice.Safe,
	Match: advice.FromAnalyzer(s1012.Analyzer, "time.Now also reads the wall clock, which the difference doesn't need; time.Since reads one clock.",
		func(s *advice.Site, _ string, c inspector.Cursor, m *advice.Match) bool {
			sub, ok := c.Node().(*ast.CallExpr)
			if !ok || len(sub.Args) != 1 || facts.EffectsOf(s.Place, sub.Args[0])&facts.MayWrite != 0 && !ofTimes(s, sub.Args[0]) {
				m.Class = advice.Review
				m.Why += " Check that the clock may be read after the argument is evaluated, not before."
			}
			return true
		}),
	Frames: lazyregexp.New(`^time\.([nN]ow|runtimeNow)$|^runtime\.(nanotime|walltime)`),
	Gain:   1.3,
	Conditions: advice.Conditions{
		Offered: "the current time is only used for the difference",
		Review:  "the clock may be read after the argument is evaluated, if that is a call",
	},
}

// ofTimes reports whether an expression only calls functions of package time that neither wait nor
// read the clock.
func ofTimes(s *advice.Site, e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || s.Info.Types[call.Fun].IsType() {
			continue
		}
		switch name := s.Callee(call); {
		case name == "time.Unix" || name == "time.UnixMilli" || name == "time.UnixMicro" || name == "time.Date" || name == "len":
		case strings.HasPrefix(name, "(time.Time)."):
		default:
			return false
		}
	}
	return true
}

var headerTwice = &advice.Rule{
	ID:    "header-twice",
	Title: "a header name is canonicalized twice",
	Doc: `The methods of http.Header canonicalize the name they are given. Calling http.CanonicalHeaderKey first does the work
twice.`,
	Analyzer: s1035.Analyzer,
	Class:    advice.Safe,
	Match: advice.FromAnalyzer(s1035.Analyzer, "The method canonicalizes the name itself; this call does it twice.",
		func(s *advice.Site, _ string, c inspector.Cursor, m *advice.Match) bool {
			if check := nameMoves(s, c); check != "" {
				m.Class = advice.Review
				m.Why += check
			}
			return true
		}),
	Frames: lazyregexp.New(`^net/http\.CanonicalHeaderKey$|^net/textproto\.(C|c)anonicalMIMEHeaderKey$`),
	Gain:   1.3,
	Conditions: advice.Conditions{
		Offered: "the name is passed to a method of http.Header",
		Review:  "evaluating the value doesn't change the name",
	},
}

// nameMoves says what to check if the name of a header may be read after the value: the call that made
// it canonical ran before the calls in the value.
func nameMoves(s *advice.Site, c inspector.Cursor) string {
	const check = " Check that evaluating the value doesn't change the name, which is now read after it."
	for at := c; at.Node() != nil; at = at.Parent() {
		method, ok := at.Node().(*ast.CallExpr)
		if !ok || !strings.HasPrefix(s.Callee(method), "(net/http.Header).") {
			continue
		}
		if len(method.Args) < 2 {
			return ""
		}
		canonical, ok := ast.Unparen(method.Args[0]).(*ast.CallExpr)
		if !ok || len(canonical.Args) != 1 {
			return check
		}
		name, value := canonical.Args[0], method.Args[1]
		if facts.EffectsOf(s.Place, name)&facts.MayPanic != 0 && facts.EffectsOf(s.Place, value)&(facts.MayPanic|facts.MayWrite) != 0 {
			return " Check that neither panics: the name is now read after the value."
		}
		if facts.UnchangedBy(s.Place, name, false, facts.Change{Code: []ast.Node{value}}) {
			return ""
		}
		return check
	}
	return check
}
