package rules

import (
	"fmt"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var poolValue = &advice.Rule{
	ID:    "pool-value",
	Title: "a non-pointer value is put into a sync.Pool",
	Doc: `sync.Pool.Put takes an interface. A value that isn't a pointer is copied to the heap on each Put (24 bytes for a slice),
which defeats the purpose of the pool. Keep pointers in the pool, also to slices, and put back the pointer that Get
returned. All calls of Get and Put must change together, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^runtime\.convT`),
	Allocates: true,
	Gain:      1.5,
	Match:     matchPoolValue,
}

func matchPoolValue(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("(*sync.Pool).Put") {
		if len(c.Args) != 1 {
			continue
		}
		t := s.Info.TypeOf(c.Args[0])
		if pointerShaped(t) || s.Info.Types[c.Args[0]].Value != nil {
			continue
		}
		what := "a value of " + edit.Spelled(s, c.Args[0])
		if _, ok := t.Underlying().(*types.Slice); ok {
			what = "a slice"
		}
		m := advice.Match{Node: c.CallExpr, Why: fmt.Sprintf("Put takes an interface, so %s is copied to the heap each time. Keep pointers in the pool, and put back the one that Get returned.", what)}
		matches = append(matches, m)
	}
	return matches
}

// pointerShaped reports whether an interface holds values of a type without copying them to the heap,
// or the type isn't known well enough.
func pointerShaped(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil
	case *types.Struct:
		return u.NumFields() == 0 || u.NumFields() == 1 && pointerShaped(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 0 || u.Len() == 1 && pointerShaped(u.Elem())
	}
	return false
}
