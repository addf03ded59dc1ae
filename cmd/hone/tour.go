package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/internal/tour"
)

const tourHelp = `usage: hone tour [-y] [-dir DIR]

Walk through the tuning loop on a small web server, with hone's own commands.

Examples:

  hone tour
  hone tour -y -dir visitors

Flags:

  -y          don't wait for Enter between steps
  -dir DIR    work in this new folder and keep it (a temporary folder)

Exit codes: 0 success, 1 failure, 2 wrong usage.

The steps: set an objective, measure, find what is slow, get advice, fix it, prove that
it helped, guard it, and put it under load. The tour takes one or two minutes. It needs
Go 1.26 or later and git, but no network.
`

func runTour(ctx context.Context, a *app, args []string) error {
	flags := newFlags("tour")
	yes := flags.Bool("y", false, "")
	dir := flags.String("dir", "", "")
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &shell.UsageError{Verb: "tour", Err: fmt.Errorf("unexpected argument %q", rest[0])}
	}
	if err := tour.Check(); err != nil {
		return err
	}
	g := &tour.Guide{Out: a.stdout, Stdout: shell.TerminalOf(a.stdout), Stderr: shell.TerminalOf(a.stderr)}
	if g.Hone, err = os.Executable(); err != nil {
		return err
	}
	if !*yes && isTerminal(a.stdin) && isTerminal(a.stdout) {
		g.Answers = bufio.NewReader(a.stdin)
	}
	if *dir == "" {
		copied, err := temporary.Make()
		if err != nil {
			return err
		}
		defer copied.Remove()
		g.Dir = copied.Path
		return g.Walk(ctx)
	}
	if g.Dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	if err := os.Mkdir(g.Dir, 0o777); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("-dir %s exists: give the name of a new folder", *dir)
	} else if err != nil {
		return err
	}
	err = g.Walk(ctx)
	fmt.Fprintf(a.stdout, "The copy is in %s.\n", g.Dir)
	return err
}
