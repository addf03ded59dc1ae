package loadtest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// A Gate is what a server of a test has its requests pass. It counts them, and holds them up
// when it is told to.
type Gate struct {
	seen atomic.Int64

	mu   sync.Mutex
	held chan struct{} // closed when requests may pass; nil: they may
}

// Pass is called by the server for each request. It returns when the request may be answered, or
// ctx has ended.
func (g *Gate) Pass(ctx context.Context) {
	g.seen.Add(1)
	g.mu.Lock()
	held := g.held
	g.mu.Unlock()
	if held == nil {
		return
	}
	select {
	case <-held:
	case <-ctx.Done():
	}
}

// Hold implements [Service].
func (g *Gate) Hold(t *testing.T) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := make(chan struct{})
	g.held = held
	release = sync.OnceFunc(func() {
		g.mu.Lock()
		g.held = nil
		g.mu.Unlock()
		close(held)
	})
	t.Cleanup(release)
	return release
}

// Seen implements [Service].
func (g *Gate) Seen(*testing.T) int64 { return g.seen.Load() }
