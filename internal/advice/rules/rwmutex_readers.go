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
	Title: "readers of an RWMutex contend for its counter",
	Doc: `Readers of an RWMutex don't wait for each other, but each one increments and decrements a shared counter, so its cache
line moves between the CPUs. This gets worse with more CPUs, and no mutex profile shows it. If data is read far more
often than written, keep it in an atomic.Pointer and replace it as a whole: readers load the pointer, and writers make a
changed copy. You can also spread the counter with shards by key, or use sync.Map for stable keys.

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
			Why:  fmt.Sprintf("Each reader updates a shared counter in %s, whose cache line moves between CPUs. If the data is read far more often than written, keep it in an atomic.Pointer that writers replace; or split it by key.", s.Source(sel.X)),
		}}
	}
	return nil
}
