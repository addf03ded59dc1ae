package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/durable"
)

// ErrUncommitted: the file of a rewrite has changes that are not committed.
var ErrUncommitted = errors.New("has changes that are not committed")

// unchanged checks that a file is the one that the rewrite was made of, and that
// nothing in it is anybody's unsaved work.
func (t *Tuner) unchanged(ctx context.Context, fix *advice.Fix) error {
	now, err := os.ReadFile(fix.File)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, fix.Before) {
		return fmt.Errorf("%s has changed since the advice was given: run hone advise again", fix.File)
	}
	if t.Dirty || bytes.Equal(now, t.written[fix.File]) {
		return nil
	}
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "status", "--porcelain", "--", filepath.Base(fix.File))
	cmd.Dir = filepath.Dir(fix.File)
	out, err := cmd.Output()
	if err != nil {
		return ctx.Err() // not in a repository, or no git: there is nothing to compare with
	}
	if text := strings.TrimSpace(string(out)); text != "" && !strings.HasPrefix(text, "!!") {
		return fmt.Errorf("%s %w; -dirty changes it all the same", fix.File, ErrUncommitted)
	}
	return nil
}

// keep writes the rewritten file in one step: whatever happens, it is the old text or
// the new one.
func (t *Tuner) keep(fix *advice.Fix) (err error) {
	info, err := os.Stat(fix.File)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(fix.File), ".hone-fix-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(fix.After)
	err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(fix.File)
	if err != nil {
		return err
	}
	if err := durable.Rename(tmp.Name(), target); err != nil {
		return err
	}
	if t.written == nil {
		t.written, t.first = make(map[string][]byte), make(map[string][]byte)
	}
	if t.first[fix.File] == nil {
		t.first[fix.File] = fix.Before
	}
	t.written[fix.File] = fix.After
	return nil
}
