// Package temporary makes files and directories that are removed however hone ends.
//
// A process can't clean up after kill -9, so the next hone does. To tell what is still in
// use, the process that makes a temporary file or directory locks it (flock on Unix, an
// open file on Windows). The system drops the lock when the process ends, so reused process
// ids cause no confusion. Before hone makes a temporary file, it sweeps the folder: an
// unlocked file with such a name was left by a killed hone.
//
//	hone-tmp-123    a directory in the system's temporary directory: Make
//	.hone-tmp-123   a file or directory that is renamed when it is complete: Replace, MakeIn
//
// Nothing else in hone makes temporary files; a test checks that.
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

// errSwept: another hone removed a new temporary file before it was locked.
var errSwept = errors.New("another hone removed a temporary file: try again")

// tries is how often to make a file again that others swept before it was locked.
const tries = 1000

// A Dir is a temporary directory. Its owner removes it. If the owner is killed, the next
// hone that makes one in the same place removes it.
type Dir struct {
	Path  string
	lock  io.Closer
	guard guard
}

// Make makes a directory in the system's temporary directory.
func Make() (*Dir, error) { return makeDir(os.TempDir(), prefix) }

// MakeIn makes a hidden directory in a folder, to be renamed when it is complete.
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

// Remove removes the directory, including read-only folders, which benchmarks may leave.
// Afterwards nothing that was started in it is running.
func (d *Dir) Remove() error {
	err := d.empty()
	d.guard.end()
	return err
}

func (d *Dir) empty() error {
	loosen(d)
	defer d.lock.Close() // last, so that others don't sweep a directory that is being removed
	return removeAll(d.Path)
}

// Rename gives the directory its final name; it is then no longer temporary.
func (d *Dir) Rename(to string) error {
	loosen(d)
	defer d.lock.Close()
	if err := durable.Rename(d.Path, to); err != nil {
		return err
	}
	d.Path = to
	return nil
}

// Discard removes a directory in one step: even if hone is killed, no one sees a part of it.
func Discard(dir string) error {
	d, err := MakeIn(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(dir, filepath.Join(d.Path, filepath.Base(dir))), d.Remove())
}

// Replace replaces the content of a file in one step: readers see the old or the new one,
// even if hone is killed. The content is on disk when Replace returns. write gets an empty
// file that only the owner can read; mode is the final mode.
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
		f.Close() // a second time on success
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

// ReplaceText is Replace for a text.
func ReplaceText(path string, mode fs.FileMode, text []byte) error {
	return Replace(path, mode, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// Sweep removes from a folder what killed hones have left.
func Sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // missing, or not ours
	}
	for _, e := range entries {
		if isTemporary(e) {
			sweep(filepath.Join(folder, e.Name()), e.IsDir())
		}
	}
}

// SweepTemp sweeps the system's temporary directory.
func SweepTemp() { Sweep(os.TempDir()) }

// SweepTree sweeps a folder and all folders in it, except those of git and npm.
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

// young is how long a file may lack its lock: it was just made, or is being removed.
const young = time.Minute

// Builds before this package made these. Only names with a number from os.CreateTemp
// count, so a user's .hone-fix-notes stays. The first builds didn't lock files, but had
// them only for milliseconds.
var (
	formerFile = lazyregexp.New(`^\.hone-fix-[0-9]+$`) // next to a rewritten source file
	formerDir  = lazyregexp.New(`^hone-bench-[0-9]+$`) // has a file called lock
)

// isFormer reports whether an older build, which is no longer running, left an entry.
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

// removeAll also removes read-only folders.
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
		return fmt.Errorf("can't remove a temporary directory: %w", err)
	}
	return nil
}
