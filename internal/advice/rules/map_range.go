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
	Title: "a map is gone through again and again",
	Doc: `Going through a map begins at a random place, passes all its groups, also those that are empty, and checks for each key
whether the map has grown meanwhile: some times what a slice takes, whose elements stand one after the other. Where a map
is gone through more often than it changes, keep its entries, or keys, in a slice beside it, or instead of it if nobody
looks anything up. The order is then the same each time, too.

No rewrite is offered, as all places that change the map would have to change the slice.`,
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
		if _, ok := facts.Under(s.Info.TypeOf(r.X)).(*types.Map); !ok || facts.RunsOnce(s, c) {
			continue
		}
		name := s.Source(r.X)
		if !edit.OneLine(name) {
			name = "the map"
		}
		m := advice.Match{Node: r}
		if obj := facts.Object(s, r.X); deletesFrom(s, r) || obj != nil && facts.IsLocal(s, obj) && facts.MadeHere(s, obj) {
			continue // it changes each time
		}
		m.Why = fmt.Sprintf("Going through %s takes longer than through a slice. If that happens more often than %s changes, keep its entries in a slice beside it.", name, name)
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
