package rules

import (
	"go/ast"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var poolEmpty = &advice.Rule{
	ID:    "pool-empty",
	Title: "a sync.Pool keeps allocating new objects",
	Doc: `The New function of a sync.Pool is meant for the start, and for when the garbage collector has emptied the pool. If it
causes a tenth of all allocations, more objects are taken than put back. Perhaps a path, such as an error path, returns
before its Put; the object is passed on and never put back; or the code drops objects that have grown too large, as all
of them do.

Check the code that calls Get, and call Put on every path, with defer if there are several. Only the surrounding code
shows where the missing Put belongs, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    allocatedFrames,
	Allocates: true,
	Own:       true,
	Gain:      2,
	Match:     matchPoolEmpty,
}

var allocatedFrames = lazyregexp.New(`^runtime\.(newobject|makeslice|mallocgc\w*)$`)

func matchPoolEmpty(s *advice.Site) []advice.Match {
	lit, ok := s.Func.Node().(*ast.FuncLit)
	if !ok || s.Allocates() < 0.1 {
		return nil
	}
	for _, c := range s.Nodes() {
		if e, ok := c.Node().(ast.Expr); ok && e != lit && facts.InPoolNew(s.Place, c) {
			// Several lines may use the same pool.
			return []advice.Match{{Node: lit, Why: "Get keeps finding the pool empty and calls New; some path that takes an object doesn't put it back."}}
		}
	}
	return nil
}
