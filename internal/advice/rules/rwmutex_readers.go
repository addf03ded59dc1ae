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

The rule reports RLock calls that take at least 3 % of the CPU time, where more than one CPU was busy. Without
contention RLock takes about 5 ns, which can also be 3 % of a small function. Use a parallel benchmark to measure
readers. Which of these fits depends on how the data is written, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: countsReaders,
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
