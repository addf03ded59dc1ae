package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/workspace"
)

// explainRevisions replaces the error about names that are neither runs nor files. If they are git
// revisions, the error says how to compare those.
func explainRevisions(ctx context.Context, verb string, names []string, err error) error {
	if !errors.As(err, new(*experiment.NoRunError)) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	commit := func(ref string) string { return workspace.Commit(ctx, ".", ref) }
	if text := revisionsText(verb, names, commit); text != "" {
		return errors.New(text)
	}
	return err
}

// revisionsText says what to run instead for names that are git revisions, or is "". commit
// returns the commit that a name means, or "".
func revisionsText(verb string, names []string, commit func(ref string) string) string {
	var refs []string
	for _, name := range names {
		if _, rest, labeled := strings.Cut(name, "="); labeled {
			name = rest
		}
		some := []string{name}
		if from, to, isRange := strings.Cut(name, ".."); isRange {
			some = []string{from, cmp.Or(strings.TrimPrefix(to, "."), "HEAD")}
		}
		for _, ref := range some {
			if ref != "" && !compare.IsRunName(ref) && !infile.Exists(ref) && commit(ref) != "" {
				refs = append(refs, ref)
			}
		}
	}
	if len(refs) == 0 {
		return ""
	}
	base, head, what := refs[0], "HEAD", refs[0]+" is a git revision"
	if len(refs) > 1 {
		head, what = refs[1], refs[0]+" and "+refs[1]+" are git revisions"
	}
	next := "to compare the current code with " + base + ", run hone bench -against " + base + " ./..."
	if commit(head) != commit("HEAD") {
		at := base
		if strings.HasPrefix(base, "HEAD") || strings.HasPrefix(base, "@") { // it moves with the checkout
			at = commit(base)[:min(12, len(commit(base)))]
		}
		next = fmt.Sprintf("to compare %s with %s, run git switch --detach %s && hone bench -against %s ./...", head, base, head, at)
	}
	return compare.Printable(fmt.Sprintf("%s; hone %s reads runs and files of results: %s", what, verb, next))
}
