package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

var equalStrings = &advice.Rule{
	ID:    "equal-strings",
	Title: "many strings are kept that have few different values",
	Doc: `string(b) copies the bytes each time, also if the program keeps many equal strings, such as a level, a country or the
name of a host. Keep one of each: look it up with m[string(b)], which doesn't copy, and store only new ones. Or use
unique.Make (Go 1.23), whose handles are as large as a pointer and compare as fast.

The rule needs a heap profile. It reports conversions to string that hold memory and are stored in a field, if the
package compares the field with constants, or uses it as a key of a map of numbers or slices, so that it seems to have few
values. How many it has is only known at run time, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchEqualStrings,
}

// largestEqual is the largest average size, in bytes, of strings that are likely to repeat.
const largestEqual = 64

func matchEqualStrings(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		operand, _, ok := facts.Conversion(s.Place, call)
		if !ok || !facts.IsString(s.Place, call) || !facts.IsBytes(s.Place, operand) {
			continue
		}
		field := storedIn(s.Place, c)
		if field == nil {
			continue
		}
		use, ok := fewValues(s.Place, field)
		if !ok {
			continue
		}
		m := advice.Match{Node: call, Blocks: func(size int64) bool { return size <= largestEqual }}
		held := s.HeldBy(&m)
		if held.Objects == 0 {
			continue
		}
		m.Why = fmt.Sprintf("%d strings of %d bytes on average are in use for field %s. %s, so it seems to have few values. Look them up in a map with m[%s], which doesn't copy, and store only new ones.",
			held.Objects, held.Bytes/held.Objects, field.Name(), use, s.Source(call))
		if s.AtLeast("1.23") {
			m.Why += " Or make the field a unique.Handle[string], set with unique.Make."
		}
		return []advice.Match{m}
	}
	return nil
}

// storedIn returns the field that a value is stored in, directly or by way of a local variable; nil if it
// isn't, or if it is also a new key of a map.
func storedIn(s *code.Place, c inspector.Cursor) *types.Var {
	v, field := destination(s, c)
	if v == nil {
		return field
	}
	for _, id := range s.Uses(v) {
		use, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		if index, ok := use.Parent().Node().(*ast.IndexExpr); ok && index.Index == id && facts.IsAssigned(use.Parent()) {
			return nil // the map keeps one of each
		}
		if _, to := destination(s, use); to != nil {
			field = to
		}
	}
	return field
}

// destination returns the local variable or the field that an expression is assigned to.
func destination(s *code.Place, c inspector.Cursor) (v, field *types.Var) {
	e, ok := c.Node().(ast.Expr)
	if !ok {
		return nil, nil
	}
	var to ast.Expr
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		for i := range p.Rhs {
			if len(p.Lhs) == len(p.Rhs) && p.Rhs[i] == e {
				to = p.Lhs[i]
			}
		}
	case *ast.KeyValueExpr:
		if p.Value == e {
			to = p.Key
		}
	}
	switch to := to.(type) {
	case *ast.Ident:
		v, _ = s.Info.ObjectOf(to).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = s.Info.Uses[to.Sel].(*types.Var)
	}
	switch {
	case v == nil:
		return nil, nil
	case v.IsField():
		return nil, v
	case v.Parent() != s.Types.Scope():
		return v, nil
	}
	return nil, nil
}

// fewValues reports whether the package uses a field as if it had few values, and how.
func fewValues(s *code.Place, field *types.Var) (use string, ok bool) {
	for _, id := range s.Uses(field) {
		c, found := s.Root().FindNode(id)
		if !found {
			continue
		}
		if sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id {
			c = c.Parent()
		}
		line := s.Package.Line(id.Pos())
		switch p := c.Parent().Node().(type) {
		case *ast.BinaryExpr:
			other := p.X
			if other == c.Node() {
				other = p.Y
			}
			if text, constant := facts.ConstantText(s, other); (p.Op == token.EQL || p.Op == token.NEQ) && constant && text != "" {
				return fmt.Sprintf("Line %d compares it with %q", line, text), true
			}
		case *ast.SwitchStmt:
			if p.Tag == c.Node() {
				return fmt.Sprintf("Line %d distinguishes its values", line), true
			}
		case *ast.IndexExpr:
			if p.Index == c.Node() && groups(s, c.Parent()) {
				return fmt.Sprintf("Line %d groups by it", line), true
			}
		}
	}
	return "", false
}

// groups reports whether an element of a map is counted, added to, or appended to.
func groups(s *code.Place, index inspector.Cursor) bool {
	e := index.Node().(*ast.IndexExpr)
	if !facts.IsMap(s, e.X) {
		return false
	}
	switch p := index.Parent().Node().(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		if p.Tok == token.ADD_ASSIGN {
			return true
		}
		_, ok := facts.AppendTo(s, p)
		return ok && p.Lhs[0] == e
	}
	return false
}
