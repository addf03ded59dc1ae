package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// space is a file system that watches the free space on the disk.
//
// Pebble can't continue after a failed write to its log. So Put fails as soon as less than a
// reserve is free, which is more than Pebble needs for running writes. If the disk is
// completely full, because of other programs, writes wait until there is space instead of
// failing. Put returns an error without waiting for them. The same happens while the directory
// is missing.
type space struct {
	vfs.FS
	dir     string
	min     uint64
	closing context.Context
	lock    os.FileInfo // of the file that the directory is known by; nil if it isn't
	health  *health     // says why nothing is written any more; may be nil

	mu      sync.Mutex
	at      time.Time     // of the last look
	found   error         // what it found
	waiting int           // writes that wait for room
	reason  error         // why they wait
	none    chan struct{} // closed while writes wait
	gaveUp  atomic.Bool   // a write failed, as the store is being closed
}

// Available returns the free disk space of a directory, in bytes.
func Available(dir string) (uint64, error) {
	usage, err := vfs.Default.GetDiskUsage(dir)
	return usage.AvailBytes, err
}

func newSpace(closing context.Context, f vfs.FS, dir string, reserve int64, h *health) *space {
	return &space{FS: f, dir: f.PathDir(f.PathJoin(dir, lockName)), min: uint64(max(reserve, 0)), closing: closing, health: h, none: make(chan struct{})}
}

// check returns store.ErrFull if the disk is full, and store.ErrUnavailable if nothing can be
// written for another reason.
func (r *space) check() error {
	if r.health != nil {
		if err := r.health.check(); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting > 0 {
		return r.why()
	}
	if now := time.Now(); now.Sub(r.at) > 100*time.Millisecond {
		r.at, r.found = now, r.checkUsable()
		if r.found != nil {
			return r.found
		}
		if u, err := r.FS.GetDiskUsage(r.dir); err == nil && u.AvailBytes < r.min {
			r.found = fmt.Errorf("%w: %d MiB are left on the disk of %s, and %d MiB stay free", store.ErrFull, u.AvailBytes>>20, r.dir, r.min>>20)
		}
	}
	return r.found
}

// remember stores which directory this is, for checkUsable. Only the operating system's file
// system needs that: others can't lose a directory.
func (r *space) remember() error {
	if r.FS != userFS {
		return nil
	}
	info, err := os.Stat(filepath.Join(r.dir, lockName))
	r.lock = info
	return err
}

// checkUsable returns an error if the directory is gone or has been replaced. Whatever is
// written then goes to files that nobody can find.
func (r *space) checkUsable() error {
	if r.lock == nil {
		return nil
	}
	info, err := os.Stat(filepath.Join(r.dir, lockName))
	switch {
	case err == nil && os.SameFile(info, r.lock):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s was removed or replaced while it was in use: restart the server", store.ErrUnavailable, r.dir)
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// noRoom returns a channel that is closed while writes wait for space.
func (r *space) noRoom() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.none
}

// explain turns errors about a full disk into store.ErrFull.
func (r *space) explain(err error) error {
	if err != nil && errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: the disk of %s is full: %w", store.ErrFull, r.dir, err)
	}
	return err
}

// full returns the reason why writes wait.
func (r *space) full() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why()
}

// why is full with the lock held.
func (r *space) why() error {
	if err := r.checkUsable(); err != nil {
		return err
	}
	if r.reason == nil || errors.Is(r.reason, store.ErrFull) {
		return cmp.Or(r.reason, store.ErrFull)
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, r.reason)
}

// retryEvery is the time between two tries of a write on a full disk.
const retryEvery = 100 * time.Millisecond

// errStopped is the error of a write that is rejected because nothing is written any more.
var errStopped = errors.New("nothing is written any more")

// retry calls write until it succeeds, as long as the disk is full. With always, it retries
// after any error.
func (r *space) retry(always bool, write func() error) error {
	if r.stopped() {
		return errStopped
	}
	err := write()
	if !r.passes(err) && !(always && err != nil) {
		return err
	}
	r.mu.Lock()
	if r.waiting++; r.waiting == 1 {
		close(r.none)
		r.reason = r.explain(err)
		if r.health != nil {
			r.health.log.Error("writes fail; hone retries them until they succeed", "directory", r.dir, "error", cmp.Or(r.checkUsable(), err))
		}
	}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		if r.waiting--; r.waiting == 0 {
			r.none = make(chan struct{})
		}
		r.mu.Unlock()
	}()
	for r.passes(err) || always && err != nil {
		select {
		case <-r.closing.Done():
			r.gaveUp.Store(true)
			if r.health == nil {
				return err
			}
			r.health.Fatalf("%v", err)
			return errStopped
		case <-time.After(retryEvery):
		}
		err = write()
	}
	return err
}

// passes reports whether a failed write may succeed later.
func (r *space) passes(err error) bool {
	return err != nil && (errors.Is(err, syscall.ENOSPC) || r.checkUsable() != nil)
}

// stopped reports whether nothing is written any more. Pebble's writes then go nowhere and seem
// to succeed, so that it neither retries forever nor ends the process. Nothing is removed
// either: the files stay as after a crash. Put never reports such writes as stored; see
// kv.checkUsable.
func (r *space) stopped() bool { return r.health != nil && r.health.check() != nil }

func (r *space) Remove(name string) error {
	if r.stopped() {
		return nil
	}
	if strings.HasSuffix(name, tableExt) {
		r.FS.Remove(parityName(name)) // there may be none
		if r.health != nil && r.inside(name) {
			r.health.removed(r.FS.PathBase(name))
		}
	}
	if strings.HasPrefix(r.FS.PathBase(name), manifestPrefix) {
		r.FS.Remove(copyName(r.FS, name)) // there may be none
	}
	return r.FS.Remove(name)
}

func (r *space) Link(oldname, newname string) error {
	if r.stopped() {
		return nil
	}
	if strings.HasSuffix(oldname, tableExt) && strings.HasSuffix(newname, tableExt) {
		r.FS.Link(parityName(oldname), parityName(newname)) // there may be none
	}
	return r.FS.Link(oldname, newname)
}

// inside reports whether a file belongs to the store. Files of a copy elsewhere don't wait for
// space.
func (r *space) inside(name string) bool { return r.FS.PathDir(name) == r.dir }

// file opens a file for writing, and retries after any error. Otherwise, Pebble would retry a
// failed flush at once, and end the process if it can't create a log.
func (r *space) file(name string, open func() (vfs.File, error)) (f vfs.File, err error) {
	if !r.inside(name) {
		return open()
	}
	err = r.retry(r.health != nil, func() (err error) { f, err = open(); return err })
	if err == errStopped {
		return vfs.NewMem().Create("nowhere", vfs.WriteCategoryUnspecified)
	}
	if err != nil {
		return nil, err
	}
	return &spaceFile{f, r}, nil
}

func (r *space) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := r.file(name, func() (vfs.File, error) { return r.FS.Create(name, category) })
	if err == nil && strings.HasSuffix(name, tableExt) {
		f = newParityWriter(f, r.FS, r.stopped, name)
	}
	if err == nil && strings.HasPrefix(r.FS.PathBase(name), manifestPrefix) {
		f = newListWriter(f, r.FS, r.stopped, name)
	}
	return f, err
}

func (r *space) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return r.file(name, func() (vfs.File, error) { return r.FS.OpenReadWrite(name, category, opts...) })
}

func (r *space) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return r.file(newname, func() (vfs.File, error) { return r.FS.ReuseForWrite(oldname, newname, category) })
}

func (r *space) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if r.health == nil || !strings.HasSuffix(name, tableExt) {
		return r.FS.Open(name, opts...)
	}
	f, err := openTableFile(r.FS, name, opts...)
	if err != nil {
		return nil, err
	}
	r.health.watch(f)
	if err := f.checkIndex(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (r *space) Rename(oldname, newname string) error {
	err := r.retry(false, func() error { return r.FS.Rename(oldname, newname) })
	if err == errStopped {
		err = nil
	}
	return err
}

func (r *space) Unwrap() vfs.FS { return r.FS }

// A spaceFile is a file on a space.
type spaceFile struct {
	vfs.File
	space *space
}

func (f *spaceFile) Write(p []byte) (n int, err error) {
	return f.write(len(p), func(n int) (int, error) { return f.File.Write(p[n:]) })
}

func (f *spaceFile) WriteAt(p []byte, at int64) (n int, err error) {
	return f.write(len(p), func(n int) (int, error) { return f.File.WriteAt(p[n:], at+int64(n)) })
}

// write writes the rest, from byte n on, until size bytes are written.
func (f *spaceFile) write(size int, rest func(n int) (int, error)) (n int, err error) {
	err = f.space.retry(f.space.health != nil, func() error {
		k, err := rest(n)
		n += k
		return err
	})
	if err == errStopped {
		return size, nil
	}
	return n, err
}

func (f *spaceFile) Sync() error     { return f.unless(f.File.Sync) }
func (f *spaceFile) SyncData() error { return f.unless(f.File.SyncData) }

func (f *spaceFile) unless(sync func() error) error {
	if f.space.stopped() {
		return nil
	}
	return sync()
}
