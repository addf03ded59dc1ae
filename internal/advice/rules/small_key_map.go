package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"math"

	"golang.org/x/tools/go/ast/edge"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var smallKeyMap = &advice.Rule{
	ID:    "small-key-map",
	Title: "a map is used where an array would do",
	Doc: `A map hashes and compares keys, which takes 5 to 20 ns. An array indexed by the key takes one. That works for 8-bit
keys; for characters that are mostly below 128, with a map for the rest; and for maps of the package whose keys are set
only at creation and are small numbers, such as enumerations, or arrays or structs of small numbers. For a set of a few
characters, use a switch or a bit mask.

The lookup must take a twentieth of the time, and be the only map access on the line. Only maps created in the function
and package maps are reported: in the nodes of a tree, or with large values, an array would take too much memory. A
missing key returns the zero value; an index past the end of an array panics, so compare it with the length first. That
is why this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: ownLookup,
	Own:    true,
	Gain:   4,
	Match:  matchSmallKeyMap,
}

// ownLookup matches what the compiler makes of m[k].
var ownLookup = lazyregexp.New(`^runtime\.map(access|assign)`)

func matchSmallKeyMap(s *advice.Site) []advice.Match {
	if s.Share(ownLookup) < muchAllocated {
		return nil
	}
	var m *types.Var
	var at *ast.IndexExpr
	for _, c := range s.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok || !s.Info.Types[index.X].IsValue() || !facts.IsMap(s.Place, index.X) {
			continue
		}
		v, ok := facts.Object(s.Place, index.X).(*types.Var)
		if !ok || m != nil && v != m || facts.RunsOnce(s.Place, c) {
			return nil // whose time it is isn't known
		}
		m, at = v, index
	}
	if m == nil {
		return nil
	}
	why := tableFor(s, m)
	if why == "" {
		return nil
	}
	return []advice.Match{{Node: at, Why: fmt.Sprintf("%s hashes its key on each lookup; %s", m.Name(), why)}}
}

// tableFor says what to use instead of a map; "" if nothing better is known.
func tableFor(s *advice.Site, m *types.Var) string {
	const large = 16 << 10 // bytes of a table
	of := facts.Under(m.Type()).(*types.Map)
	key, ok := facts.Under(of.Key()).(*types.Basic)
	size, sized := facts.SizeOf(of.Elem())
	ofPackage := m.Parent() == s.Types.Scope()
	if !ok && sized && ofPackage && !m.Exported() && isNumbers(of.Key()) && onlyAsked(s, m) {
		if dims, keys := constantDims(s, facts.PackageValue(s.Place, m)); keys > 0 && product(dims)*max(size, 1) <= large && product(dims) <= 32*keys {
			return fmt.Sprintf("its keys are %d small numbers, which can index nested arrays, or one array by a combined index. Compare other keys with the lengths first.", len(dims))
		}
	}
	if !ok || !sized || !ofPackage && !(facts.IsLocal(s.Place, m) && facts.StartsAsNewMap(s.Place, m)) {
		return ""
	}
	var value ast.Expr
	if ofPackage {
		value = facts.PackageValue(s.Place, m)
	}
	keys, known := constantKeys(s, value)
	set := ""
	if isSet(of) {
		set = "; for a small set, use a switch or a bit mask"
	}
	switch {
	case key.Kind() == types.Uint8 && 256*size <= large:
		return "an array of 256 values, indexed by the byte, doesn't" + set + "."
	case key.Kind() == types.Int8 && 256*size <= large:
		return "an array of 256 values, indexed by the byte as a uint8, doesn't" + set + "."
	case key.Name() == "rune" && 128*size <= large:
		ascii := 0
		for _, k := range keys {
			if k < 128 {
				ascii++
			}
		}
		if known && 2*ascii < len(keys) {
			return ""
		}
		return "use an array of 128 values for ASCII, and a map for other characters" + set + "."
	case key.Info()&types.IsInteger == 0 || !known || m.Exported() || !onlyAsked(s, m):
		return ""
	}
	least, most := keys[0], keys[0]
	for _, k := range keys {
		least, most = min(least, k), max(most, k)
	}
	if least < 0 || most >= 8*int64(len(keys)) || (most+1)*size > large { // or mostly empty
		return ""
	}
	return fmt.Sprintf("its keys are numbers from %d to %d, which can index an array%s. Compare other keys with its length first.", least, most, set)
}

// isSet reports whether a map is a set: its values are booleans or empty structs.
func isSet(m *types.Map) bool {
	switch value := facts.Under(m.Elem()).(type) {
	case *types.Basic:
		return value.Kind() == types.Bool
	case *types.Struct:
		return value.NumFields() == 0
	}
	return false
}

// isNumbers reports whether a type is an array or a struct of integers.
func isNumbers(t types.Type) bool {
	isInteger := func(t types.Type) bool {
		b, ok := facts.Under(t).(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	switch t := facts.Under(t).(type) {
	case *types.Array:
		return isInteger(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !isInteger(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// constantDims returns, for a map literal whose keys are literals of constant non-negative numbers,
// the size of each dimension from 0 to the largest number, and the number of keys.
func constantDims(s *advice.Site, e ast.Expr) (dims []int64, keys int64) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, 0
	}
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil, 0
		}
		key, ok := pair.Key.(*ast.CompositeLit)
		if !ok || len(key.Elts) < 2 || dims != nil && len(key.Elts) != len(dims) {
			return nil, 0
		}
		if dims == nil {
			dims = make([]int64, len(key.Elts))
		}
		for i, part := range key.Elts {
			n, ok := facts.ConstantInt(s.Place, part)
			if !ok || n < 0 || n >= math.MaxInt32 {
				return nil, 0 // or with field names, in any order
			}
			dims[i] = max(dims[i], n+1)
		}
	}
	return dims, int64(len(lit.Elts))
}

// product is limited to the largest int32: more is too large for any table.
func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if n *= min(d, math.MaxInt32); n > math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return n
}

// constantKeys returns the keys of a non-empty map literal, if all are constant integers.
func constantKeys(s *advice.Site, e ast.Expr) (keys []int64, ok bool) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		k, ok := facts.ConstantInt(s.Place, pair.Key)
		if !ok {
			return nil, false
		}
		keys = append(keys, k)
	}
	return keys, len(keys) > 0
}

// onlyAsked reports whether the package only looks up keys in its map, iterates over it, and reads its
// length.
func onlyAsked(s *advice.Site, m *types.Var) bool {
	for _, f := range s.Files {
		for e := range facts.Targets(f) {
			if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok && facts.Object(s.Place, index.X) == m {
				return false
			}
		}
	}
	for _, id := range s.Uses(m) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		for c.ParentEdgeKind() == edge.ParenExpr_X {
			c = c.Parent()
		}
		switch c.ParentEdgeKind() {
		case edge.IndexExpr_X, edge.RangeStmt_X:
		case edge.CallExpr_Args:
			if s.Callee(c.Parent().Node().(*ast.CallExpr)) != "len" {
				return false
			}
		default:
			return false
		}
	}
	return true
}
