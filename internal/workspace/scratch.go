package workspace

import (
	"errors"

	"github.com/hone-go/hone/internal/temporary"
)

// A Scratch is the temporary directory of a measurement, and the guard of what
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
type Scratch struct {
	*temporary.Dir
	env []string // of processes: where their temporary files go
}

// NewScratch makes a scratch, which has to be removed.
func NewScratch() (*Scratch, error) {
	dir, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	env, err := dir.Env()
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &Scratch{dir, env}, nil
}
