package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var bytesSprintf = &advice.Rule{
	ID:    "bytes-sprintf",
	Title: "a string is formatted only to be converted to bytes",
	Doc: `[]byte(fmt.Sprintf(…)) allocates a string and then the bytes it is copied to. fmt.Appendf(nil, …) appends to a []byte
directly; with a reused slice it doesn't allocate. To write formatted text, use fmt.Fprintf.

Up to 32 bytes that don't outlive the function aren't allocated. If a memory profile shows only the string there,
nothing is reported.

Review the rewrite if the result may be empty: fmt.Appendf(nil, …) then returns nil.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^fmt\.Sprint|^runtime\.stringtoslicebyte`),
	Except: formatted,
	Since:  "1.19",
	Gain:   1.1,
	Match:  matchBytesSprintf,
	Conditions: advice.Conditions{
		Offered: "the formatted text is converted to a []byte, appended to one, or written",
		Review: "the code doesn't distinguish nil from an empty slice when the result is empty; the function doesn't use the spare " +
			"capacity of the bytes; a Write method neither keeps nor changes the bytes it receives; formatting doesn't set the " +
			"variable that is appended or written to",
	},
}

func matchBytesSprintf(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln") {
		outer, ok := c.Parent().Node().(*ast.CallExpr)
		name, named := c.Fun.(*ast.SelectorExpr)
		if !ok || !named || facts.Commented(s.Place, outer.Pos(), c.Pos()) {
			continue
		}
		kind := strings.TrimPrefix(c.Name, "fmt.Sprint")
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe}
		call := func(function string, first string) {
			if len(c.Args) > 0 {
				first += ", "
			}
			m.Edits = []advice.Edit{
				{Pos: outer.Pos(), End: c.Lparen + 1, New: s.Source(name.X) + "." + function + kind + "(" + first},
				{Pos: c.End(), End: outer.End()},
			}
		}
		if _, to, ok := facts.Conversion(s.Place, outer); ok && facts.IsBytes(s.Place, outer) {
			if types.Identical(to, types.NewSlice(types.Typ[types.Byte])) {
				call("Append", "nil")
			} else if facts.PlainBytes(to) {
				m.Edits = []advice.Edit{{Pos: c.Pos(), End: c.Lparen + 1, New: s.Source(name.X) + ".Append" + kind + "(nil, "}}
				if len(c.Args) == 0 {
					continue
				}
			} else {
				continue
			}
			m.Why = fmt.Sprintf("%s allocates a string, which is copied and dropped; fmt.Append%s makes the bytes directly.", edit.Short(c.Name), kind)
			if w, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && len(w.Args) == 1 && w.Args[0] == outer {
				if dst, safe, ok := writerOf(s, w); ok && !facts.Deferred(c.Parent().Parent()) { // it would be formatted later
					outer = w
					call("Fprint", dst)
					m.Title, m.Since = "a string is formatted only to be written", "1.0"
					m.Why = fmt.Sprintf("%s allocates a string, which is copied into bytes to be written; fmt.Fprint%s writes it directly.", edit.Short(c.Name), kind)
					to := w.Fun.(*ast.SelectorExpr).X
					edit.MustCheck(&m, facts.SetMeanwhile(s.Place, to, c.Args), facts.WrittenFirst(s.Place, to, edit.FormattedSteps(s, c)))
					if !safe {
						edit.MustCheck(&m, []string{fmt.Sprintf("that the Write method of %s neither keeps nor changes the bytes it receives", s.Source(to))})
					}
					matches = append(matches, m)
					continue
				}
			}
			if !onStack(s) {
				if !surelyText(s, c) {
					edit.MustCheck(&m, []string{"that no code distinguishes nil from an empty slice: an empty result is now nil"})
				}
				if assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == len(assign.Rhs) {
					at := slices.Index(assign.Rhs, ast.Expr(outer))
					if v := facts.Object(s.Place, assign.Lhs[at]); v != nil && facts.CapacityObserved(s.Place, v) {
						edit.MustCheck(&m, []string{fmt.Sprintf("that no code uses the spare capacity of %s", v.Name())})
					}
				}
				matches = append(matches, m)
			}
			continue
		}
		if s.Callee(outer) == "append" && outer.Ellipsis.IsValid() && len(outer.Args) == 2 && outer.Args[1] == c.CallExpr &&
			types.Identical(s.Info.TypeOf(outer), types.NewSlice(types.Typ[types.Byte])) && s.Info.Types[outer.Args[0]].Value == nil && !s.Info.Types[outer.Args[0]].IsNil() {
			call("Append", s.Source(outer.Args[0]))
			m.Title = "a string is formatted only to be appended"
			m.Why = fmt.Sprintf("%s allocates a string, which is copied and dropped; fmt.Append%s appends directly.", edit.Short(c.Name), kind)
			edit.MustCheck(&m, facts.SetMeanwhile(s.Place, outer.Args[0], c.Args), facts.WrittenFirst(s.Place, outer.Args[0], edit.FormattedSteps(s, c)))
			matches = append(matches, m)
		}
	}
	return matches
}

var sprinted = lazyregexp.New(`^fmt\.Sprint`)

// onStack reports whether the profile shows no allocation for the bytes that a string is converted to.
// Up to 32 bytes stay on the stack if they don't outlive the function. Appending to nil would then
// allocate as often as the string does, and as many bytes.
func onStack(s *advice.Site) bool {
	size := s.BlockSize(sprinted)
	return 0 < size && size <= edit.StackText && s.Allocates() == 0
}

// surelyText reports whether a call of fmt.Sprint… can't return an empty string.
func surelyText(s *advice.Site, c code.Call) bool {
	switch c.Name {
	case "fmt.Sprintln":
		return true
	case "fmt.Sprint":
		return false
	}
	if len(c.Args) == 0 {
		return false
	}
	format, ok := facts.ConstantText(s.Place, c.Args[0])
	for ok && format != "" {
		text, rest, verb := strings.Cut(format, "%")
		if text != "" {
			return true
		}
		if verb && rest != "" && strings.IndexByte("%dtqfge", rest[0]) >= 0 {
			return true
		}
		format = strings.TrimLeft(rest, "+-# 0123456789.[]*")
		if format != "" {
			format = format[1:]
		}
	}
	return false
}

// writerOf returns the destination of a Write call, as an io.Writer. safe is set if it is known to do
// the same however it is called.
func writerOf(s *advice.Site, call *ast.CallExpr) (dst string, safe, ok bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Write" || s.Info.Selections[sel] == nil || !facts.Pure(s.Place, sel.X) {
		return "", false, false
	}
	t := s.Info.TypeOf(sel.X)
	dst = s.Source(sel.X)
	switch {
	case types.Implements(t, facts.Writer):
	case types.Implements(types.NewPointer(t), facts.Writer):
		dst = "&" + dst
		t = types.NewPointer(t)
	default:
		return "", false, false
	}
	return dst, facts.Writers[facts.TypeName(t)], true
}
