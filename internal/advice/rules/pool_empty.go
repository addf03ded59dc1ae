package rules

import (
	"go/ast"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var poolEmpty = &advice.Rule{
	ID:    "pool-empty",
	Title: "a pool has to make what is taken from it",
	Doc: `The New of a sync.Pool is for the beginning, and for when the garbage collector has emptied the pool. Where it takes a
tenth of what is allocated, more is taken than is put back: a path returns before its Put, such as one for errors; what is
taken is handed on, and nobody puts it back; or Put drops what has become too large, as all of it does.

Look at what calls Get, and put back on each path, with defer where there are several.`,
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
		if e, ok := c.Node().(ast.Expr); ok && e != lit && facts.InPoolNew(s, c) {
			// Of several lines it is one pool.
			return []advice.Match{{Node: lit, Why: "Get finds the pool empty time and again, and has this made: some path that takes from it doesn't Put back."}}
		}
	}
	return nil
}
