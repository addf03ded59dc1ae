// Package workspace builds and runs programs in one or two states of their code, such
// that nothing is left behind, whatever ends hone.
package workspace

import (
	"context"
	"os"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
)

// A Workspace is where a program is built and run, in one or two states of its
// code, by one Go.
type Workspace struct {
	Scratch *Scratch
	Tool    GoTool
	Sides   [2]Side // by experiment.Side; the base after Checkout or BaseFromHead
}

// Open returns a workspace of the code in a folder, "" for the current one. It has to be
// closed.
func Open(ctx context.Context, dir string) (*Workspace, error) {
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	tool, err := FindGo(ctx, dir)
	if err != nil {
		return nil, err
	}
	scratch, err := NewScratch()
	if err != nil {
		return nil, err
	}
	w := &Workspace{Scratch: scratch, Tool: tool}
	w.Sides[experiment.Head] = Side{Dir: dir, Env: tool.Env}
	return w, nil
}

// Go returns a call of the go command on a side. It and its child processes end with hone.
func (w *Workspace) Go(s Side, args ...string) gocmd.Command {
	return gocmd.Command{Dir: s.Dir, Env: s.Env, Args: args, Run: w.Scratch.Dir.Run}
}

// Close removes what was built.
func (w *Workspace) Close() error { return w.Scratch.Remove() }

// Checkout makes a revision of the code the base.
func (w *Workspace) Checkout(ctx context.Context, ref string) (*Base, error) {
	head := &w.Sides[experiment.Head]
	repo, err := findRepository(ctx, head.Dir)
	if err != nil {
		return nil, err
	}
	base := &Base{Revision: experiment.Revision{Name: ref}, repo: repo}
	if base.Commit, err = repo.resolve(ctx, ref); err != nil {
		return nil, err
	}
	base.Subject = experiment.ReadSubject(ctx, head.Dir, base.Commit)
	side, warnings, err := checkout(ctx, w.Scratch, w.Tool, repo, base.Commit)
	if err != nil {
		return nil, err
	}
	head.Top, w.Sides[experiment.Base], base.Warnings = repo.top, side, warnings
	return base, nil
}

// Untracked returns the files of the head's repository that git neither tracks nor ignores.
func (w *Workspace) Untracked(ctx context.Context) (map[string]bool, error) {
	repo, err := findRepository(ctx, w.Sides[experiment.Head].Dir)
	if err != nil {
		return nil, err
	}
	return repo.untracked(ctx)
}

// BaseFromHead makes the code of the head the base, too.
func (w *Workspace) BaseFromHead() { w.Sides[experiment.Base] = w.Sides[experiment.Head] }

// HasBase reports whether there are two sides.
func (w *Workspace) HasBase() bool { return w.Sides[experiment.Base].Dir != "" }
