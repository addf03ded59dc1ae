package bench

import (
	"context"
	"os"

	"github.com/hone-go/hone/internal/experiment"
)

// A workspace is where a program is built and run, in one or two states of its
// code, by one Go.
type workspace struct {
	scratch *scratch
	tool    goTool
	sides   [2]side // by experiment.Side; the base after a checkout
}

// A side is one of the two states of the code.
type side struct {
	dir   string   // where the go command runs
	env   []string // for the go command, besides the environment of hone
	flags []string // for go list and go test -c, after those of both sides
	top   string   // of the repository, where the other side is a revision of it
	// overlay is that of the user's flags: what stands for which file.
	overlay map[string]string
	// setting is for the environment of what is built: "GOGC=200".
	setting []string
}

// openWorkspace returns a workspace of the code in a folder, "" for the current
// one. Its scratch has to be closed.
func openWorkspace(ctx context.Context, dir string) (*workspace, error) {
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	tool, err := findGo(ctx, dir)
	if err != nil {
		return nil, err
	}
	scratch, err := newScratch()
	if err != nil {
		return nil, err
	}
	w := &workspace{scratch: scratch, tool: tool}
	w.sides[experiment.Head] = side{dir: dir, env: tool.env}
	return w, nil
}

// checkoutBase makes a revision the side base. Warnings say what it lacks.
func (w *workspace) checkoutBase(ctx context.Context, ref string) (base *experiment.Revision, repo *repository, warnings []string, err error) {
	if repo, err = findRepository(ctx, w.sides[experiment.Head].dir); err != nil {
		return nil, nil, nil, err
	}
	base = &experiment.Revision{Name: ref}
	if base.Commit, err = repo.resolve(ctx, ref); err != nil {
		return nil, nil, nil, err
	}
	warnings, err = w.checkout(ctx, repo, base.Commit)
	return base, repo, warnings, err
}
