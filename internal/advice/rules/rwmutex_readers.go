package rules

import (
	"fmt"
	"go/ast"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var countsReaders = lazyregexp.New(`^(sync/atomic|internal/runtime/atomic)\.\(\*Int32\)\.Add$`)

var rwmutexReaders = &advice.Rule{
	ID:    "rwmutex-readers",
	Title: "readers of an RWMutex take turns to count themselves",
	Doc: `Readers of an RWMutex don't wait for each other, but each adds itself to a count, and takes itself off it: the processors pass
the cache line with the count around, one after the other. With more processors it gets worse, and no mutex profile shows it.
What is read far more often than written can be a value that is replaced as a whole, in an atomic.Pointer: readers load it,
which costs next to nothing, and writers make a changed copy. Shards by key, or sync.Map for keys that stay, spread the count.

The rule speaks where RLock takes 3 % of the CPU time or more for it, as RUnlock does then, and where more than one processor
ran the program: to count itself with nobody else there takes a reader some 5 ns, which is 3 % of a small function, too. A
benchmark tells about readers if it runs in parallel.`,
	Class:  advice.AdviceOnly,
	Frames: countsReaders,
	Gain:   5,
	Match:  matchRWMutexReaders,
}

func matchRWMutexReaders(s *advice.Site) []advice.Match {
	if s.Share(countsReaders) < 0.03 || !s.Parallel(countsReaders) {
		return nil
	}
	for _, c := range s.Calls("(*sync.RWMutex).RLock") {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		return []advice.Match{{
			Node: c.CallExpr,
			Why:  fmt.Sprintf("Each reader counts itself in %s, and the processors pass that count around. If what it guards is read far more often than written, keep it as a value that is replaced as a whole, in an atomic.Pointer, so that readers only load it; or split it by key.", s.Source(sel.X)),
		}}
	}
	return nil
}
