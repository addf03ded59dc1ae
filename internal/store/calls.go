package store

import (
	"context"
	"sync"
)

// Calls counts the running calls of a store, so that its Close can wait for them. The zero
// value has none.
type Calls struct {
	running sync.WaitGroup
	mu      sync.RWMutex // guards closed against calls that begin
	closed  bool
}

// Begin starts a call. If it returns nil, the caller must call Done.
func (c *Calls) Begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return ErrClosed
	}
	c.running.Add(1)
	return nil
}

// Done ends a call.
func (c *Calls) Done() { c.running.Done() }

// Close makes later calls of Begin and Close fail with ErrClosed. It doesn't wait.
func (c *Calls) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.closed = true
	return nil
}

// Wait waits for the running calls.
func (c *Calls) Wait() { c.running.Wait() }
