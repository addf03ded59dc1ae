package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lsp"
	"github.com/hone-go/hone/internal/shell"
)

const lspHelp = `usage: hone lsp [flags]

Show costs and advice in an editor, by the Language Server Protocol on standard input and
output, next to gopls.

Examples:

  hone lsp                            costs in the module's newest run
  hone lsp -server https://hone.example.com -service checkout
                                      costs in production

Flags:

  -min SHARE      show functions from this share of a profile on (0.01)
  -service NAME   a service, or a selector: '{service="x", region="eu"}'
  -server URL     the server ($HONE_SERVER, or http://127.0.0.1:4600)
  -token-file FILE
                  file with the access token (the token in $HONE_TOKEN)

Exit codes: 0 the editor left, 1 failure, 2 wrong usage.

Editors start this command themselves: see doc/lsp.md. Code lenses say what functions
cost, hovering says it of a line. Findings of hone advise are hints, with their rewrites
as code actions. The command "hone: advise this package" makes new ones. hone reads only
files of the workspace, and runs no code of it.
`

func runLSP(ctx context.Context, a *app, args []string) error {
	fs := newFlags("lsp")
	var server serverFlags
	server.define(fs)
	settings := lsp.DefaultSettings()
	fs.Float64Var(&settings.MinShare, "min", settings.MinShare, "")
	fs.StringVar(&settings.Service, "service", "", "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "lsp", Err: fmt.Errorf(format, args...)}
	}
	if len(rest) > 0 {
		return usage("unexpected argument %q: the editor names files", rest[0])
	}
	if !(settings.MinShare >= 0 && settings.MinShare <= 1) {
		return usage("invalid -min %v: use a share from 0 to 1, such as 0.01", settings.MinShare)
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["server"] && settings.Service == "" {
		return usage("-server needs -service: the service whose costs are shown")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := lsp.Config{Version: honeVersion(), Cache: advisor.CacheFolder(), Dir: dir, Default: settings, Log: a.warn}
	if settings.Service != "" {
		client, err := server.client(ctx, a, "lsp", &capture.Fetcher{})
		if err != nil {
			return err
		}
		c.Source = &serviceCosts{client}
	} else {
		c.Source = &runCosts{ctx: ctx, app: a, pages: uiPages{app: a, byHome: make(map[string]string)}}
	}
	err = lsp.Serve(ctx, infile.Reader(ctx, a.stdin), a.stdout, c)
	if ctx.Err() != nil {
		return nil // ^C, or the end of the editor
	}
	if errors.Is(err, lsp.ErrNoShutdown) {
		return fmt.Errorf("lsp: %w", err)
	}
	return err
}
