package disk

import (
	"context"

	"github.com/hone-go/hone/internal/store"
)

// begin starts a call. Unless it fails, s.calls.Done is to be called.
func (c *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.callsMu.RLock()
	defer c.callsMu.RUnlock()
	if c.closed {
		return store.ErrClosed
	}
	c.calls.Add(1)
	return nil
}
