package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// room is a file system that watches the space left on the disk.
//
// Pebble can't go on after a write to its log has failed. So Put is refused
// while there is less room than a reserve, which is more than Pebble needs for
// what is under way; and when there is no room at all, because of somebody else,
// writes wait until there is, instead of failing. Put doesn't wait with them.
type room struct {
	vfs.FS
	dir     string
	min     uint64
	closing context.Context

	mu      sync.Mutex
	at      time.Time     // of the last look
	full    error         // what it found
	waiting int           // writes that wait for room
	none    chan struct{} // closed while writes wait
	gaveUp  atomic.Bool   // a write failed, as the store is being closed
}

func newRoom(closing context.Context, f vfs.FS, dir string, min int64) *room {
	return &room{FS: f, dir: dir, min: uint64(max(min, 0)), closing: closing, none: make(chan struct{})}
}

// check returns store.ErrFull if there is no room to write.
func (r *room) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting > 0 {
		return fmt.Errorf("%w: the disk of %s is full", store.ErrFull, r.dir)
	}
	if now := time.Now(); now.Sub(r.at) > 100*time.Millisecond {
		r.at, r.full = now, nil
		if u, err := r.FS.GetDiskUsage(r.dir); err == nil && u.AvailBytes < r.min {
			r.full = fmt.Errorf("%w: %d MiB are left of the %d MiB that stay free on the disk of %s", store.ErrFull, u.AvailBytes>>20, r.min>>20, r.dir)
		}
	}
	return r.full
}

// noRoom returns a channel that is closed while writes wait for room.
func (r *room) noRoom() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.none
}

// explain makes errors about a full disk store.ErrFull.
func (r *room) explain(err error) error {
	if err != nil && errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// retryEvery is how often writes that found no room are tried again.
const retryEvery = 100 * time.Millisecond

// retry does write, and does it again while there is no room.
func (r *room) retry(write func() error) error {
	err := write()
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	r.mu.Lock()
	if r.waiting++; r.waiting == 1 {
		close(r.none)
	}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		if r.waiting--; r.waiting == 0 {
			r.none = make(chan struct{})
		}
		r.mu.Unlock()
	}()
	for errors.Is(err, syscall.ENOSPC) {
		select {
		case <-r.closing.Done():
			r.gaveUp.Store(true)
			return err
		case <-time.After(retryEvery):
		}
		err = write()
	}
	return err
}

func (r *room) file(open func() (vfs.File, error)) (f vfs.File, err error) {
	err = r.retry(func() (err error) { f, err = open(); return err })
	if err != nil {
		return nil, err
	}
	return &roomFile{f, r}, nil
}

func (r *room) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.Create(name, category) })
}

func (r *room) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.OpenReadWrite(name, category, opts...) })
}

func (r *room) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return r.file(func() (vfs.File, error) { return r.FS.ReuseForWrite(oldname, newname, category) })
}

func (r *room) MkdirAll(dir string, perm os.FileMode) error {
	return r.retry(func() error { return r.FS.MkdirAll(dir, perm) })
}

func (r *room) Rename(oldname, newname string) error {
	return r.retry(func() error { return r.FS.Rename(oldname, newname) })
}

func (r *room) Link(oldname, newname string) error {
	return r.retry(func() error { return r.FS.Link(oldname, newname) })
}

func (r *room) Unwrap() vfs.FS { return r.FS }

// roomFile is a file of a room.
type roomFile struct {
	vfs.File
	room *room
}

func (f *roomFile) Write(p []byte) (n int, err error) {
	err = f.room.retry(func() error {
		k, err := f.File.Write(p[n:])
		n += k
		return err
	})
	return n, err
}

func (f *roomFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.room.retry(func() error {
		k, err := f.File.WriteAt(p[n:], at+int64(n))
		n += k
		return err
	})
	return n, err
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
		return s.room.explain(err)
	case <-s.room.noRoom():
		s.unsure.Store(true)
		return fmt.Errorf("%w: the disk of %s is full", store.ErrFull, s.dir)
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
