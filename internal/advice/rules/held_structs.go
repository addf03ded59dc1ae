package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// newStruct returns the type of &T{} or new(T), if T is a struct that the package declares; nil otherwise.
func newStruct(s *advice.Site, c inspector.Cursor) *types.Named {
	switch n := c.Node().(type) {
	case *ast.UnaryExpr:
		if literal, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			return ownStruct(s, s.Info.TypeOf(literal))
		}
	case *ast.CallExpr:
		if s.Callee(n) == "new" && s.Info.Types[n.Args[0]].IsType() {
			return ownStruct(s, s.Info.TypeOf(n.Args[0]))
		}
	}
	return nil
}

// ownStruct returns a type if it is a struct of known size that the package declares; nil otherwise.
func ownStruct(s *advice.Site, t types.Type) *types.Named {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != s.Types || !facts.Sized(named) {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// smallestOrder returns the order of a struct's fields that takes least memory, and how many bytes that saves; 0
// if the struct has no gaps that another order avoids. Fields of equal alignment keep their order.
func smallestOrder(s *advice.Site, t *types.Named) (order string, saved int64) {
	st := t.Underlying().(*types.Struct)
	fields := make([]*types.Var, st.NumFields())
	for i := range fields {
		if fields[i] = st.Field(i); fields[i].Name() == "_" { // the layout is wanted
			return "", 0
		}
	}
	slices.SortStableFunc(fields, func(a, b *types.Var) int {
		emptyA, emptyB := s.Sizes.Sizeof(a.Type()) == 0, s.Sizes.Sizeof(b.Type()) == 0
		switch {
		case emptyA != emptyB && emptyA: // an empty one at the end takes a word, so that no pointer to it leaves the struct
			return -1
		case emptyA != emptyB:
			return 1
		}
		return cmp.Compare(s.Sizes.Alignof(b.Type()), s.Sizes.Alignof(a.Type()))
	})
	saved = s.Sizes.Sizeof(t) - s.Sizes.Sizeof(types.NewStruct(fields, nil))
	if saved <= 0 {
		return "", 0
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name()
	}
	return strings.Join(names, ", "), saved
}
