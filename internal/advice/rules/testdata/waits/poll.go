package waits

import (
	"runtime"
	"sync/atomic"
)

// A turn says whose turn it is.
type turn struct{ of atomic.Int64 }

func (t *turn) wait(me int64) {
	for t.of.Load() != me {
		runtime.Gosched()
	}
}

func (t *turn) pass(to int64) { t.of.Store(to) }
