package disk

import (
	"context"

	"github.com/hone-go/hone/internal/store"
)

// begin starts a call. Unless it fails, s.calls.Done is to be called.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.callsMu.RLock()
	defer s.callsMu.RUnlock()
	if s.closed {
		return store.ErrClosed
	}
	s.calls.Add(1)
	return nil
}
