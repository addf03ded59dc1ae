// Package temporary makes files and directories that go away whatever ends hone.
//
// kill -9 gives nobody the time to clean up, so the next hone does it. To tell what
// is still in use, each temporary file or directory is locked (flock on Unix, an open
// file on Windows) by the process that made it. The system drops the lock with the
// process, so numbers of processes that were given out again mislead nobody. Whoever
// makes a temporary file sweeps its folder first: what has such a name and isn't locked
// was left by a killed hone.
//
//	hone-tmp-123    a directory in the system's temporary directory: Make
//	.hone-tmp-123   a file or directory that gets its name when it is complete: Replace, MakeIn
//
// Nothing else in hone makes temporary files; a test says so.
package temporary

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/lazyregexp"
)

const (
	prefix = "hone-tmp-"
	hidden = "." + prefix
)

// errSwept: another hone took what was just made for a leftover, before it was locked.
var errSwept = errors.New("another hone removed a temporary file: try again")

// tries is how often something is made anew that others swept before it was locked.
const tries = 1000

// A Dir is a temporary directory. Its owner removes it; if the owner is killed, the
// next hone that makes one in the same place does.
type Dir struct {
	Path  string
	lock  io.Closer
	guard guard
}

// Make makes a directory in the system's temporary directory.
func Make() (*Dir, error) { return makeDir(os.TempDir(), prefix) }

// MakeIn makes a hidden directory in a folder, for what is renamed when it is complete.
func MakeIn(folder string) (*Dir, error) { return makeDir(folder, hidden) }

func makeDir(folder, prefix string) (*Dir, error) {
	Sweep(folder)
	for range tries {
		path, err := os.MkdirTemp(folder, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := holdDir(path)
		if err == nil {
			return &Dir{Path: path, lock: lock}, nil
		}
		os.Remove(path)
		if !errors.Is(err, errSwept) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, errSwept
}

// Remove removes the directory, and read-only folders in it, which benchmarks may leave.
// Nothing that was started in it runs any more.
func (d *Dir) Remove() error {
	err := d.empty()
	d.guard.end()
	return err
}

func (d *Dir) empty() error {
	loosen(d)
	defer d.lock.Close() // last: what is half removed is not for others to sweep
	return removeAll(d.Path)
}

// Rename gives the directory a name for good: it is no longer a temporary one.
func (d *Dir) Rename(to string) error {
	loosen(d)
	defer d.lock.Close()
	if err := durable.Rename(d.Path, to); err != nil {
		return err
	}
	d.Path = to
	return nil
}

// Discard removes a directory in one step: whatever ends hone, nobody sees a part of it.
func Discard(dir string) error {
	d, err := MakeIn(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(dir, filepath.Join(d.Path, filepath.Base(dir))), d.Remove())
}

// Replace gives a file another content in one step: whoever reads it, and whatever
// ends hone, there is the old one or the new one. It is on the disk when Replace
// returns. write gets an empty file that only the owner can read; mode is what the
// file has in the end.
func Replace(path string, mode fs.FileMode, write func(*os.File) error) error {
	folder := filepath.Dir(path)
	Sweep(folder)
	for range tries {
		f, err := os.CreateTemp(folder, hidden)
		if err != nil {
			return err
		}
		switch err := holdFile(f); {
		case errors.Is(err, errSwept):
			f.Close()
			continue
		case err != nil:
			return errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
		return fill(f, path, mode, write)
	}
	return errSwept
}

// fill writes the file, which is locked, and renames it.
func fill(f *os.File, path string, mode fs.FileMode, write func(*os.File) error) (err error) {
	defer func() {
		f.Close() // a second time if it went well
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync()); err != nil {
		return err
	}
	if !renamesOpen {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return durable.Rename(f.Name(), path)
}

// ReplaceText is Replace with a text.
func ReplaceText(path string, mode fs.FileMode, text []byte) error {
	return Replace(path, mode, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// Sweep removes from a folder what a killed hone left there.
func Sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // there is nothing to sweep, or it is not ours
	}
	for _, e := range entries {
		if isTemporary(e) {
			sweep(filepath.Join(folder, e.Name()), e.IsDir())
		}
	}
}

// SweepTemp is Sweep of the system's temporary directory.
func SweepTemp() { Sweep(os.TempDir()) }

// SweepTree is Sweep of a folder and all below it, except what git and npm keep.
func SweepTree(root string) {
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case e == nil || err != nil:
			return nil // a folder that can't be read
		case isTemporary(e):
			sweep(path, e.IsDir())
		case !e.IsDir() || e.Name() != ".git" && e.Name() != "node_modules":
			return nil
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// young is how long something may be without its lock: it was just made, or is being
// removed.
const young = time.Minute

// Builds before this package made these. The number is that of os.CreateTemp, so that
// what a user calls .hone-fix-notes stays. The first of them locked no files, but had
// them for milliseconds only.
var (
	formerFile = lazyregexp.New(`^\.hone-fix-[0-9]+$`) // beside a source that is rewritten
	formerDir  = lazyregexp.New(`^hone-bench-[0-9]+$`) // has a file called lock
)

// isFormer reports whether an older build left an entry, unless that one still runs.
func isFormer(e fs.DirEntry) bool {
	name := formerFile
	if e.IsDir() {
		name = formerDir
	} else if !e.Type().IsRegular() {
		return false
	}
	if !name.MatchString(e.Name()) {
		return false
	}
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > young
}

func isTemporary(e fs.DirEntry) bool {
	if isFormer(e) {
		return true
	}
	if e.IsDir() {
		return strings.HasPrefix(e.Name(), prefix) || strings.HasPrefix(e.Name(), hidden)
	}
	return e.Type().IsRegular() && strings.HasPrefix(e.Name(), hidden)
}

// removeAll removes read-only folders, too.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("a temporary directory stays: %w", err)
	}
	return nil
}
