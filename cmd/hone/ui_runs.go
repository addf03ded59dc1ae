package main

import (
	"context"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// keptRuns returns the runs that a UI shows: those in root, and those that the command
// line names.
func keptRuns(ctx context.Context, a *app, inv *shell.Invocation, compat bool, root string) (*runs.Kept, error) {
	dirs, _, _ := uiRunDirs(ctx, root, inv.Sources) // runDirectories says what latest skipped
	return runs.Open(ctx, root, dirs, moduleObjectives, func(file string) func(context.Context) (*profile.Profile, error) {
		return loadLater(a, inv, compat, file)
	})
}

// uiRunDirs returns the directories of the runs among sources, which newer runs latest
// skipped, and whether all of them are runs.
func uiRunDirs(ctx context.Context, root string, sources []string) (dirs, skipped []string, all bool) {
	for _, s := range sources {
		if infile.IsDir(s) && experiment.IsRun(s) {
			dirs = append(dirs, s)
		} else if s != "" && !infile.Exists(s) && !strings.Contains(s, "://") {
			if dir, newer, err := experiment.Resolve(ctx, root, strings.TrimSuffix(s, ":")); err == nil {
				dirs, skipped = append(dirs, dir), append(skipped, newer...)
			}
		}
	}
	return dirs, skipped, len(dirs) > 0 && len(dirs) == len(sources)
}

// runsPage is the page of runs that a command line asks for, "" for none.
func runsPage(ctx context.Context, root string, inv *shell.Invocation) string {
	if len(inv.Sources) == 0 && len(inv.Base) == 0 {
		return "runs"
	}
	dirs, _, all := uiRunDirs(ctx, root, inv.Sources)
	if !all || len(inv.Base) > 0 {
		return ""
	}
	var ids []string
	for _, dir := range dirs {
		run, err := experiment.Open(ctx, dir)
		if err != nil {
			return ""
		}
		ids = append(ids, "run="+run.ID)
	}
	page := "run?"
	if len(ids) > 1 {
		page = "compare?"
	}
	return page + strings.Join(ids, "&")
}
