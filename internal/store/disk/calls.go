package disk

import (
	"context"
	"sync"

	"github.com/hone-go/hone/internal/store"
)

// calls counts the running calls, so that Close can wait for them.
type calls struct {
	running sync.WaitGroup
	mu      sync.RWMutex // guards closed against calls that begin
	closed  bool
}

// begin starts a call. If it returns nil, the caller must call done.
func (c *calls) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return store.ErrClosed
	}
	c.running.Add(1)
	return nil
}

func (c *calls) done() { c.running.Done() }

// close makes later calls of begin fail. To wait for running calls, wait for running.
func (c *calls) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return store.ErrClosed
	}
	c.closed = true
	return nil
}
