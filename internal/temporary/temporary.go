// Package temporary makes files and directories that are removed however hone ends.
//
// A process can't clean up after kill -9, so the next hone does. To tell what is still in
// use, the process that makes a temporary file or directory locks it (flock on Unix, an
// open file on Windows). The system drops the lock when the process ends, so reused process
// ids cause no confusion. Before hone makes a temporary file, it sweeps the folder: an
// unlocked file with such a name was left by a killed hone.
//
//	hone-tmp-123    a directory in the system's temporary directory: Make
//	.hone-tmp-123   a file or directory that is renamed when it is complete: Replace, MakeIn;
//	                or a directory that says how to undo a half-done replacement: ReplaceTexts
//
// Nothing else in hone makes temporary files; a test checks that.
//
// From the ground up:
//
//	remove.go     removes directories
//	lock.go       locks, and removal of what has none: lock_unix.go, lock_windows.go
//	sweep.go      finds what killed hones have left
//	replace.go    replaces a file
//	several.go    replaces several files, and undoes it if a hone was killed before the last one
//	guard.go      removes a directory when hone ends
//	temporary.go  directories
//	run.go        runs a command with a directory of its own
package temporary

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hone-go/hone/internal/durable"
)

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
	loosen(d.Path, d.lock)
	defer d.lock.Close() // last, so that others don't sweep a directory that is being removed
	return removeAll(d.Path)
}

// Rename gives the directory its final name; it is then no longer temporary.
func (d *Dir) Rename(to string) error {
	loosen(d.Path, d.lock)
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

// Guard makes a process group end with hone; 0 means none. It guards only one group, and
// only after Env was called.
func (d *Dir) Guard(group int) { d.guard.set(group) }

// Env returns the environment that makes programs put their temporary files into the
// directory, and starts the guard.
func (d *Dir) Env() ([]string, error) {
	tmp := filepath.Join(d.Path, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if d.guard.watch == nil {
		d.guard = watch(d.Path)
	}
	env := []string{"TMPDIR=" + tmp, "GOTMPDIR=" + tmp}
	if runtime.GOOS == "windows" {
		env = append(env, "TMP="+tmp, "TEMP="+tmp)
	}
	return env, nil
}
