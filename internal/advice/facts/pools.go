package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// Pooled reports whether code creates objects for a sync.Pool: in its New function, or in the
// branch where Get returned nothing.
func Pooled(s *code.Place, c inspector.Cursor) bool {
	if InPoolNew(s, c) {
		return true
	}
	for outer := range c.Enclosing((*ast.IfStmt)(nil)) {
		branch := outer.Node().(*ast.IfStmt)
		var got ast.Expr
		switch cond := ast.Unparen(branch.Cond).(type) {
		case *ast.BinaryExpr: // v == nil
			if cond.Op == token.EQL && s.Info.Types[cond.Y].IsNil() {
				got = cond.X
			}
		case *ast.UnaryExpr: // !ok
			if cond.Op == token.NOT {
				got = cond.X
			}
		}
		if got != nil && Within(branch.Body, c.Node().Pos()) && isFromPool(s, Object(s, got)) {
			return true
		}
	}
	return false
}

// InPoolNew reports whether code is in the New function of a sync.Pool.
func InPoolNew(s *code.Place, c inspector.Cursor) bool {
	isPool := func(t types.Type) bool { return IsNamed(t, "sync", "Pool") }
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		switch p := lit.Parent().Node().(type) {
		case *ast.KeyValueExpr:
			if t := s.Info.TypeOf(lit.Parent().Parent().Node().(ast.Expr)); t != nil && isPool(t) {
				return true
			}
		case *ast.AssignStmt:
			for _, l := range p.Lhs {
				if sel, ok := l.(*ast.SelectorExpr); ok && isPool(s.Info.TypeOf(sel.X)) {
					return true
				}
			}
		}
	}
	return false
}

// isFromPool reports whether a variable is assigned the result of a sync.Pool's Get, or the ok of a
// type assertion of that result.
func isFromPool(s *code.Place, v types.Object) bool {
	if v == nil {
		return false
	}
	for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		if !slices.ContainsFunc(c.Node().(*ast.AssignStmt).Lhs, func(e ast.Expr) bool { return Object(s, e) == v }) {
			continue
		}
		for in := range c.Preorder((*ast.CallExpr)(nil)) {
			if s.Callee(in.Node().(*ast.CallExpr)) == "(*sync.Pool).Get" {
				return true
			}
		}
	}
	return false
}

// Borrows reports whether a call is known not to keep an argument.
func Borrows(s *code.Place, call *ast.CallExpr, arg ast.Node) bool {
	name := s.Callee(call)
	switch name {
	case "len", "cap", "copy", "clear", "io.ReadFull", "io.ReadAtLeast", "bytes.IndexByte", "bytes.Index", "bytes.LastIndexByte", "bytes.LastIndex", "bytes.IndexAny",
		"bytes.Equal", "bytes.EqualFold", "bytes.Compare", "bytes.Contains", "bytes.Count", "bytes.HasPrefix", "bytes.HasSuffix",
		"unicode/utf8.DecodeRune", "unicode/utf8.EncodeRune", "unicode/utf8.Valid", "unicode/utf8.RuneCount":
		return true
	case "io.CopyBuffer":
		return len(call.Args) == 3 && call.Args[2] == arg
	case "append":
		return call.Ellipsis.IsValid() && call.Args[0] != arg
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "Read", "ReadAt", "ReadFrom", "ReadFromUDP", "ReadFromUDPAddrPort", "Write", "WriteAt", "WriteTo", "PutUint16", "PutUint32", "PutUint64", "Uint16", "Uint32", "Uint64", "PutUvarint", "PutVarint", "Uvarint", "Varint", "Encode", "Decode":
		return !returnsMemory(s, call)
	}
	return false
}

// returnsMemory reports whether the results of a call may contain memory of its arguments: some are neither
// numbers, texts nor errors.
func returnsMemory(s *code.Place, call *ast.CallExpr) bool {
	holds := func(t types.Type) bool {
		_, basic := t.Underlying().(*types.Basic)
		return !basic && !types.Identical(t, types.Universe.Lookup("error").Type())
	}
	t := s.Info.TypeOf(call)
	results, several := t.(*types.Tuple)
	if !several {
		return t != nil && holds(t)
	}
	for v := range results.Variables() {
		if holds(v.Type()) {
			return true
		}
	}
	return false
}

// RarelyRuns reports whether code is only there to fail (it creates an error or panics) or to fill
// a pool.
func RarelyRuns(s *code.Place, c inspector.Cursor) bool {
	if Pooled(s, c) {
		return true
	}
	for outer := range c.Enclosing((*ast.CallExpr)(nil)) {
		switch s.Callee(outer.Node().(*ast.CallExpr)) {
		case "panic", "fmt.Errorf", "errors.New", "errors.Join", "log.Fatal", "log.Fatalf":
			return true
		}
	}
	return false
}
