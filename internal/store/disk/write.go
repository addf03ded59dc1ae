package disk

import (
	"cmp"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// apply hands a batch to the log.
func (s *Store) apply(b *pebble.Batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return s.space.explain(s.db.ApplyNoSyncWait(b, pebble.Sync))
}

// await waits until a batch is durable, and closes it. With no room on the disk
// it returns store.ErrFull; the batch may become durable all the same.
func (s *Store) await(b *pebble.Batch) error {
	done := make(chan error, 1)
	go func() {
		err := b.SyncWait()
		b.Close()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return s.space.explain(err)
		}
		return s.health.check()
	case <-s.health.broken:
		return s.health.check()
	case <-s.space.noRoom():
		s.unsure.Store(true)
		return cmp.Or(s.health.check(), s.space.full())
	}
}

// barrier waits until all that was put is durable, if that isn't certain.
func (s *Store) barrier() error {
	if !s.unsure.Load() {
		return nil
	}
	b := s.db.NewBatch()
	if err := b.LogData([]byte("barrier"), nil); err != nil {
		return err
	}
	if err := s.apply(b); err != nil {
		return err
	}
	return s.await(b)
}

// write writes a batch of background work. It needs no sync: after a crash the
// work is as if it had not been done.
func (s *Store) write(b *pebble.Batch) error {
	return s.space.explain(s.db.Apply(b, pebble.NoSync))
}

// write1 writes a key.
func (s *Store) write1(key, value []byte) error {
	b := s.db.NewBatch()
	defer b.Close()
	b.Set(key, value, nil)
	return s.write(b)
}
