package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A scratch is the temporary directory of a measurement, and the guard of what
// runs in it. It is how nothing is left behind, whatever ends hone:
//
//   - All files but the run itself are in it: test binaries, the other revision's
//     files, TMPDIR and GOTMPDIR of every process. The user's repository is only
//     read; it never learns of another worktree.
//   - Every process leads a process group, and on Linux dies with hone.
//   - A watcher, a shell that waits for the other end of a pipe to close, learns
//     the number of each group. When hone is gone, even by kill -9, it ends the
//     group and removes the directory.
//   - Where there is no shell, or the watcher was killed too, the next
//     measurement removes the directories that nobody holds the lock of.
//
// doc/design/0005-bench.md says what else was considered.
type scratch struct {
	dir   string
	lock  *os.File
	watch *exec.Cmd
	tell  io.WriteCloser // the watcher's standard input; nil without one
}

const (
	scratchPrefix = "hone-bench-"
	lockName      = "lock"
)

// watchScript reads numbers of process groups until the pipe closes; an empty
// line is for "none runs". It tries for some seconds, since what was killed may
// still be writing.
const watchScript = `trap '' HUP INT QUIT TERM
g=
while read -r v; do g=$v; done
if [ -n "$g" ]; then kill -9 "-$g" 2>/dev/null; fi
n=0
while [ -d "$1" ] && [ $n -lt 50 ]; do
	rm -rf "$1" 2>/dev/null || { chmod -R u+rwx "$1"; sleep 0.1; } 2>/dev/null
	n=$((n+1))
done`

// newScratch makes a directory below root, and removes those of measurements
// that are over.
func newScratch(root string) (*scratch, error) {
	s, err := lockedDir(root)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.tmp(), 0o700); err != nil {
		s.close()
		return nil, err
	}
	s.startWatcher()
	return s, nil
}

// lockedDir makes the directory alone.
func lockedDir(root string) (*scratch, error) {
	sweepScratch(root)
	s := new(scratch)
	var err error
	for range 3 { // another hone may sweep between the two steps
		if s.dir, err = os.MkdirTemp(root, scratchPrefix); err != nil {
			return nil, err
		}
		if s.lock, err = lockFile(filepath.Join(s.dir, lockName)); err == nil {
			break
		}
		os.RemoveAll(s.dir)
	}
	return s, err
}

// TempDir makes a temporary directory that is removed by remove or, if hone is killed before,
// by the next hone that makes one: it holds a lock that goes with its process.
func TempDir() (dir string, remove func() error, err error) {
	s, err := lockedDir(os.TempDir())
	if err != nil {
		return "", nil, err
	}
	return s.dir, s.close, nil
}

// HoldFile keeps SweepFiles of other processes from a file until it is released. The error says
// that one of them has already removed it: whatever has its name now is another file.
func HoldFile(f *os.File) (release func(), err error) {
	if runtime.GOOS == "windows" {
		return func() {}, nil // an open file can't be removed there
	}
	lock, err := lockFile(f.Name())
	if err != nil {
		return nil, err
	}
	held, err := lock.Stat()
	mine, err2 := f.Stat()
	if err = errors.Join(err, err2); err == nil && !os.SameFile(held, mine) {
		os.Remove(f.Name()) // which locking it has made
		err = fmt.Errorf("%s was removed by another hone: try again", f.Name())
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// SweepFiles removes files by a pattern that a killed hone left, and no other hone holds.
func SweepFiles(pattern string) {
	names, _ := filepath.Glob(pattern)
	for _, name := range names {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if lock, err := lockFile(name); err == nil {
			lock.Close()
			os.Remove(name)
		}
	}
}

// tmp is the directory for temporary files of processes.
func (s *scratch) tmp() string { return filepath.Join(s.dir, "tmp") }

func (s *scratch) startWatcher() {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return // the next start sweeps
	}
	cmd := exec.Command(shell, "-c", watchScript, "hone-watcher", s.dir)
	cmd.Dir = os.TempDir()
	setOwnSession(cmd)
	tell, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if cmd.Start() == nil {
		s.watch, s.tell = cmd, tell
	}
}

// guard tells the watcher which process group runs; 0 for none.
func (s *scratch) guard(group int) {
	if s.tell == nil {
		return
	}
	text := "\n"
	if group > 0 {
		text = fmt.Sprintf("%d\n", group)
	}
	io.WriteString(s.tell, text) // a watcher that was killed can't be told
}

// close removes everything. No process runs any more.
func (s *scratch) close() error {
	s.lock.Close() // Windows removes no open file
	err := removeAll(s.dir)
	if s.tell != nil {
		s.tell.Close()
		s.watch.Wait()
	}
	return err
}

// removeAll removes read-only folders, too, which benchmarks may leave.
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
	return os.RemoveAll(dir)
}

// sweepScratch removes directories whose owner is dead: the lock of a file goes
// with its process, so numbers of processes that were given out again mislead
// nobody.
func sweepScratch(root string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		dir := filepath.Join(root, e.Name())
		name := filepath.Join(dir, lockName)
		if _, err := os.Lstat(name); err != nil {
			// Just made, or just being removed, or left between the two steps.
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
				removeAll(dir)
			}
			continue
		}
		if lock, err := lockFile(name); err == nil {
			lock.Close()
			removeAll(dir)
		}
	}
}

// sweepStore removes what a run that was killed while being created left in a
// store. Creating takes milliseconds.
func sweepStore(store string) {
	entries, _ := os.ReadDir(store)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".new-") && time.Since(info.ModTime()) > time.Minute {
			os.RemoveAll(filepath.Join(store, e.Name()))
		}
	}
}

// HideStore keeps .hone, where runs lie by default, out of the user's git
// status, as caches of other tools do. A store elsewhere is the user's business.
func HideStore(store string) error {
	dir := filepath.Dir(store)
	if filepath.Base(dir) != ".hone" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}
