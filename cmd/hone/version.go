package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/hone-go/hone/internal/shell"
)

const versionHelp = `usage: hone version

Print the versions of hone and of the Go toolchain it was built with.

Exit codes: 0 success, 2 wrong usage.
`

func runVersion(_ context.Context, a *app, args []string) error {
	fs := flag.NewFlagSet("version", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if err := shell.ParseFlags("version", fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return &shell.UsageError{Verb: "version", Err: fmt.Errorf("unexpected argument %q", fs.Arg(0))}
	}
	_, err := fmt.Fprintf(a.stdout, "hone %s %s\n", honeVersion(), runtime.Version())
	return err
}

func honeVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}
