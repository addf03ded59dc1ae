package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var mapRange = &advice.Rule{
	ID:    "map-range",
	Title: "a map is iterated repeatedly",
	Doc: `Iterating over a map starts at a random position, visits all groups, including empty ones, and checks for each key
whether the map has grown. This takes several times as long as iterating over a slice, whose elements are contiguous. If
a map is iterated more often than it changes, keep its entries or keys in a slice as well, or only there if no code
looks up keys. The order is then also stable.

No rewrite is offered, because all code that changes the map would have to change the slice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^internal/runtime/maps\.\(\*Iter\)\.|^runtime\.mapIter(Start|Next)$|^runtime\.mapiter(init|next)$`),
	Gain:   3,
	Match:  matchMapRange,
}

func matchMapRange(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		r, ok := c.Node().(*ast.RangeStmt)
		if !ok {
			continue
		}
		if _, ok := facts.Under(s.Info.TypeOf(r.X)).(*types.Map); !ok || facts.RunsOnce(s.Place, c) {
			continue
		}
		name := s.Source(r.X)
		if !edit.OneLine(name) {
			name = "the map"
		}
		m := advice.Match{Node: r}
		if obj := facts.Object(s.Place, r.X); deletesFrom(s, r) || obj != nil && facts.IsLocal(s.Place, obj) && facts.StartsAsNewMap(s.Place, obj) {
			continue // it changes each time
		}
		m.Why = fmt.Sprintf("Iterating over %s is slower than over a slice. If this happens more often than %s changes, keep its entries in a slice as well.", name, name)
		matches = append(matches, m)
	}
	return matches
}

func deletesFrom(s *advice.Site, r *ast.RangeStmt) bool {
	found := false
	ast.Inspect(r.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && s.Callee(call) == "delete" && types.ExprString(call.Args[0]) == types.ExprString(r.X) {
			found = true
		}
		return !found
	})
	return found
}
