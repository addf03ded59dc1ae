package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

var smallKeyMap = &advice.Rule{
	ID:      "small-key-map",
	Pattern: "P27–P28",
	Title:   "a map is asked what an array would know at once",
	Doc: `A map hashes a key and compares it with those it has, which takes some 5 to 20 ns. An array that is indexed by the key has the
value in one. That is possible for keys of 8 bits, for characters, of which nearly all are below 128 (a map is for the
rest, if there is any), and where the keys that a map of the package is made with are small numbers, as those of an
enumeration are. A set of few characters is a switch, or a mask of bits.

It takes a twentieth of the time before this is reported. Maps in fields, as nodes of a tree have them, are left alone: an
array in each would take too much memory. What a key that is missing means only the code around knows, so that it is advice only.`,
	Class:  advice.AdviceOnly,
	Frames: mapLookup,
	Gain:   4,
	Match:  matchSmallKeyMap,
}

// largestTable is the number up to which keys are small: a table of pointers has 8 kB then.
const largestTable = 1024

func matchSmallKeyMap(s *advice.Site) []advice.Match {
	if s.Share(mapLookup) < muchAllocated {
		return nil
	}
	for _, c := range s.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok || !isMap(s, index.X) {
			continue
		}
		obj := object(s, index.X)
		if sel, ok := ast.Unparen(index.X).(*ast.SelectorExpr); ok && s.Info.Selections[sel] == nil {
			obj = s.Info.Uses[sel.Sel] // of another package
		}
		if obj == nil {
			continue
		}
		if why := tableFor(s, obj); why != "" {
			return []advice.Match{{Node: index, Why: fmt.Sprintf("%s hashes its key for each look-up: %s", s.Source(index.X), why)}}
		}
	}
	return nil
}

// tableFor says what to have in place of a map, "" if nothing is known to be better.
func tableFor(s *advice.Site, m types.Object) string {
	of := under(m.Type()).(*types.Map)
	key, ok := under(of.Key()).(*types.Basic)
	if !ok {
		return ""
	}
	set := ""
	if value, ok := under(of.Elem()).(*types.Basic); ok && value.Kind() == types.Bool {
		set = "; for a set of few, a switch or a mask of bits does as well"
	} else if value, ok := under(of.Elem()).(*types.Struct); ok && value.NumFields() == 0 {
		set = "; for a set of few, a switch or a mask of bits does as well"
	}
	switch {
	case key.Kind() == types.Uint8:
		return "an array of 256 values, indexed by the byte, needs none" + set + "."
	case key.Kind() == types.Int8:
		return "an array of 256 values, indexed by the byte as a uint8, needs none" + set + "."
	case key.Name() == "rune":
		return "characters below 128 can have an array of as many values, and others, if there are any, a map" + set + "."
	case key.Info()&types.IsInteger == 0:
		return ""
	}
	if most, ok := largestKey(s, m); ok && most < largestTable {
		return fmt.Sprintf("its keys are numbers from 0 to %d, so that an array, indexed by them, has the values%s.", most, set)
	}
	return ""
}

// largestKey returns the largest of the constants that a map of the package is made with, if
// all its keys are such and none is below 0.
func largestKey(s *advice.Site, m types.Object) (most int64, ok bool) {
	if m.Parent() != s.Types.Scope() || assignedAnywhere(s, m) {
		return 0, false
	}
	for c := range s.Root().Preorder((*ast.ValueSpec)(nil)) {
		spec := c.Node().(*ast.ValueSpec)
		for i, name := range spec.Names {
			if s.Info.Defs[name] != m || len(spec.Values) != len(spec.Names) {
				continue
			}
			lit, isLiteral := ast.Unparen(spec.Values[i]).(*ast.CompositeLit)
			if !isLiteral || len(lit.Elts) == 0 {
				return 0, false
			}
			for _, e := range lit.Elts {
				key := s.Info.Types[e.(*ast.KeyValueExpr).Key].Value
				if key == nil {
					return 0, false
				}
				n, exact := constant.Int64Val(constant.ToInt(key))
				if !exact || n < 0 {
					return 0, false
				}
				most = max(most, n)
			}
			return most, true
		}
	}
	return 0, false
}
