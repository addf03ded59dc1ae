package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/hone-go/hone/internal/shell"
)

func runVersion(_ context.Context, a *app, args []string) error {
	fs := flag.NewFlagSet("version", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if err := shell.ParseFlags("version", fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return &shell.UsageError{Verb: "version", Err: errors.New("it takes no arguments")}
	}
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		_, err := fmt.Fprintf(a.stdout, "hone %s %s\n", version, info.GoVersion)
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "hone %s\n", version)
	return err
}

func honeVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}
