// Demo shows what hone does, on three screens: make demo.
//
//	demo -program wordindex -dir out            profile a program, and show where its time goes
//	demo -hone bin/hone -dir out/demo [-serve]  the tuning loop on a worked example
//
// The first part needs only a small part of hone, so there is something to see while the rest
// is being compiled. It uses the packages behind hone top and hone list. The second part runs
// hone's own commands and shows the important lines; the full output is in files.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	program := flag.String("program", "", "the `program` to profile, such as examples/wordindex")
	duration := flag.Duration("for", 3*time.Second, "how long to profile it")
	hone := flag.String("hone", "bin/hone", "the hone `program`")
	dir := flag.String("dir", "out/demo", "`folder` for the output; the loop empties it first")
	serve := flag.Bool("serve", isTerminal(os.Stdin) && isTerminal(os.Stdout) && os.Getenv("CI") == "", "open the UI and wait until ^C")
	flag.Parse()
	s := newScreen(os.Stdout)
	if *program != "" {
		return firstLook(ctx, s, *program, *dir, *duration)
	}
	absolute, err := filepath.Abs(*hone)
	if err != nil {
		return err
	}
	l := &loop{screen: s, hone: absolute, dir: *dir, serve: *serve}
	return l.run(ctx)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
