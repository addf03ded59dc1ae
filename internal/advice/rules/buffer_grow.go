package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var bufferGrow = &advice.Rule{
	ID:    "buffer-grow",
	Title: "a buffer is reallocated while it is written to",
	Doc: `When a strings.Builder or bytes.Buffer is full, it allocates a buffer twice as large and copies its contents. If you
know the final length, or have a good estimate, call Grow first to allocate once. If a bytes.Buffer isn't needed after
the call, keep it or take it from a sync.Pool, and call Reset to reuse its memory.

If the length isn't known, the rule only gives advice, and only for a large share.`,
	Class:  advice.Safe,
	Frames: bufferGrowFrames,
	Gain:   1.2,
	Match:  matchBufferGrow,
	Conditions: advice.Conditions{
		Offered: "a new local buffer is written to without branches or loops, from strings that don't change",
		Review:  "the function doesn't use the spare capacity of what Bytes returns",
	},
}

var bufferWrites = []string{
	"(*strings.Builder).WriteString", "(*strings.Builder).WriteByte", "(*strings.Builder).WriteRune", "(*strings.Builder).Write",
	"(*bytes.Buffer).WriteString", "(*bytes.Buffer).WriteByte", "(*bytes.Buffer).WriteRune", "(*bytes.Buffer).Write",
}

func matchBufferGrow(s *advice.Site) []advice.Match {
	var matches []advice.Match
	seen := make(map[types.Object]bool)
	for _, c := range s.Calls(bufferWrites...) {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		obj := facts.Object(s.Place, sel.X)
		if obj == nil || seen[obj] || !facts.IsLocal(s.Place, obj) || facts.IsParameter(s.Place, obj) {
			continue
		}
		seen[obj] = true
		d, ok := facts.NewlyDeclared(s.Place, obj)
		if !ok || facts.CallsMethod(s.Place, obj, "Grow", "Reset", "Truncate") {
			continue
		}
		m := advice.Match{Node: d.Node(), Class: advice.AdviceOnly}
		at, grow, left := edit.GrowAt(s, obj, d)
		switch size, ok := edit.StraightSize(s, obj, d, at); {
		case ok && !left:
			m.Edits = []advice.Edit{grow(size)}
			m.Why = fmt.Sprintf("%s starts empty and is copied each time it is full, although the final length is known. Call Grow first.", obj.Name())
			m.Class = advice.Safe
			if facts.CallsMethod(s.Place, obj, "Bytes") {
				edit.MustCheck(&m, []string{fmt.Sprintf("that no code uses the spare capacity of %s.Bytes()", obj.Name())})
			}
		case s.Share(bufferGrowFrames) < 0.05:
			continue
		default:
			m.Why = growAdvice(s, obj)
		}
		matches = append(matches, m)
	}
	return matches
}

var bufferGrowFrames = lazyregexp.New(`^bytes\.(growSlice|\(\*Buffer\)\.grow)$|^strings\.\(\*Builder\)\.(Write\w*|grow)$`)

// growAdvice says what to do about a growing buffer whose final size isn't known.
func growAdvice(s *advice.Site, obj types.Object) string {
	why := fmt.Sprintf("%s starts empty and is copied each time it is full. Call Grow with the final length, or a good estimate, before the first write.", obj.Name())
	if !temporary(s, obj) {
		return why
	}
	why += " Or reuse a buffer: it isn't needed after the call, so " + keepIt(s) + ", and call Reset."
	if _, ok := facts.BufferUses(s.Place, obj); ok {
		why += " String also copies the text; a strings.Builder with enough capacity doesn't."
	}
	return why
}

// keepIt says where to keep an object between calls. The calls of a function that calls itself each need one.
func keepIt(s *advice.Site) string {
	if s.Decl != nil && facts.CallsItself(s.Place) {
		return "take it from a sync.Pool, because the function calls itself"
	}
	return "keep it in a longer-lived object or a sync.Pool"
}

// temporary reports whether a bytes.Buffer isn't needed after the function returns: it is only written
// to, and its contents are copied to a string or a writer.
func temporary(s *advice.Site, obj types.Object) bool {
	if strings.TrimPrefix(facts.TypeName(obj.Type()), "*") != "bytes.Buffer" {
		return false
	}
	return !slices.ContainsFunc(s.Uses(obj), func(id *ast.Ident) bool {
		use, ok := s.Root().FindNode(id)
		return !ok || !borrowed(s, use)
	})
}

// borrowed reports whether a use of a buffer, in the site's own function, keeps no reference to its
// memory.
func borrowed(s *advice.Site, use inspector.Cursor) bool {
	for f := range use.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if f.Node() != s.Func.Node() {
			return false // may run later
		}
		break
	}
	method, ok := use.Parent().Node().(*ast.SelectorExpr)
	if !ok {
		return facts.PrintsTo(s.Place, use)
	}
	call := use.Parent().Parent()
	if n, ok := call.Node().(*ast.CallExpr); !ok || n.Fun != method {
		return false
	}
	switch method.Sel.Name {
	case "Write", "WriteByte", "WriteRune", "WriteString", "Len", "String", "WriteTo", "ReadFrom":
		return true
	case "Bytes":
		taker, ok := call.Parent().Node().(*ast.CallExpr)
		return ok && (s.Info.Types[taker.Fun].IsType() && facts.IsString(s.Place, taker) || facts.Borrows(s.Place, taker, call.Node()))
	}
	return false
}
