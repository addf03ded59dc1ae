package bench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/internal/temporary"
)

// A scratch is the temporary directory of a measurement, and the guard of what
// runs in it. It is how nothing is left behind, whatever ends hone:
//
//   - All files but the run itself are in it: test binaries, the other revision's
//     files, TMPDIR and GOTMPDIR of every process. The user's repository is only
//     read; it never learns of another worktree.
//   - Every process leads a process group, and on Linux dies with hone.
//   - The directory's guard ends the group and removes the directory when hone is gone,
//     even by kill -9; if it was killed too, the next hone sweeps.
//
// doc/design/0005-bench.md says what else was considered.
type scratch struct {
	*temporary.Dir
	env []string // of processes: where their temporary files go
}

func newScratch() (*scratch, error) {
	dir, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	env, err := dir.Env()
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &scratch{dir, env}, nil
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
	file := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return temporary.ReplaceText(file, 0o644, []byte("*\n"))
}
