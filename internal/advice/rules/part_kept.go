package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var partKept = &advice.Rule{
	ID:    "part-kept",
	Title: "a stored part keeps a larger text in memory",
	Doc: `A substring, and a part of a slice, refers to the memory of the whole. As long as you store the part, all of it stays in
memory. Functions such as strings.Split, strings.Cut, bytes.Fields and the Find methods of regexp return such parts, too.
Store a copy of the part: strings.Clone, bytes.Clone or slices.Clone. Then the rest is freed.

The rule needs a heap profile, and reports lines that hold memory in blocks of at least 256 bytes, if the code stores
parts of them in fields, maps, slices or package variables. It follows the text through the functions of the package. It
doesn't report texts that are also stored as a whole, that a loop cuts into parts that are stored, or that other packages
may keep. How large the parts are is only known at run time, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchPartKept,
}

// leastWhole is the average size, in bytes, of texts whose parts are worth a copy: a copy takes 16 bytes or more.
const leastWhole = 256

func matchPartKept(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		m, what, ok := newText(s, c)
		if !ok {
			continue
		}
		held := s.HeldBy(&m)
		if held.Objects == 0 || held.Bytes/held.Objects < leastWhole {
			continue
		}
		keeps := facts.KeptParts(s.Place, c)
		if len(keeps) == 0 {
			continue
		}
		m.Node = c.Node()
		m.Why = fmt.Sprintf("%s has %s on average. Only a part of it is stored, which keeps all of it in memory: %s. To free the rest, store %s.",
			what, advice.BytesText(held.Bytes/held.Objects), keptIn(s, keeps), clonedPart(s, keeps[0]))
		return []advice.Match{m}
	}
	return nil
}

// keptIn says where parts are stored.
func keptIn(s *advice.Site, keeps []facts.Keep) string {
	var places []string
	for _, k := range keeps {
		at := s.Fset.Position(k.Part.Pos())
		where := fmt.Sprintf("line %d", at.Line)
		if at.Filename != s.Fset.Position(s.File.Package).Filename {
			where = fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
		}
		places = append(places, fmt.Sprintf("%s in %s (%s)", s.Source(k.Part), k.In, where))
	}
	return strings.Join(places, ", ")
}

// clonedPart is what to store in place of a part.
func clonedPart(s *advice.Site, k facts.Keep) string {
	clone := fmt.Sprintf("%s(%s)", cloneOf(s.Info.TypeOf(k.Part)), s.Source(k.Part))
	if k.Key {
		return clone + " if the key is new"
	}
	return clone
}

// newText returns a match about the memory that an expression allocates for a text or slice, and what that is.
func newText(s *advice.Site, c inspector.Cursor) (m advice.Match, what string, ok bool) {
	e, ok := c.Node().(ast.Expr)
	if !ok || !isTextOrSlice(s.Info.TypeOf(e)) {
		return m, "", false
	}
	own := func(size int64) bool { return size >= leastWhole }
	switch e := e.(type) {
	case *ast.BinaryExpr: // a concatenation
		if s.Info.Types[e].Value != nil {
			return m, "", false
		}
		return advice.Match{Blocks: own}, "The text made here", true
	case *ast.CallExpr:
		if _, _, ok := facts.Conversion(s.Place, e); ok {
			return advice.Match{Blocks: own}, "The copy made here", true
		}
		if facts.CalleeDecl(s.Place, e) != nil {
			return m, "", false // its own lines have what it allocates
		}
		switch name := s.Callee(e); name {
		case "make":
			return advice.Match{Blocks: own}, "The slice made here", true
		case "", "append", "slices.Grow":
			return m, "", false
		default:
			if strings.HasPrefix(name[strings.LastIndexByte(name, '.')+1:], "Append") { // what is there before is longer
				return m, "", false
			}
			return advice.Match{Frames: framesOf(name)}, "The result of " + edit.Called(s, e), true
		}
	}
	return m, "", false
}

// isTextOrSlice reports whether a type is a text or a slice, or several values of which the first is.
func isTextOrSlice(t types.Type) bool {
	if results, ok := t.(*types.Tuple); ok && results.Len() > 0 {
		t = results.At(0).Type()
	}
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

// cloneOf is the function that copies a text or slice.
func cloneOf(t types.Type) string {
	switch {
	case facts.PlainBytes(t):
		return "bytes.Clone"
	case t.Underlying() == types.Typ[types.String]:
		return "strings.Clone"
	}
	return "slices.Clone"
}
