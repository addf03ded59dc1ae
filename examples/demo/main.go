// Demo shows hone at work, in three screens: make demo.
//
//	demo -program wordindex -dir out            profile a program, and show where its time goes
//	demo -hone bin/hone -dir out/demo [-serve]  the tuning loop on a worked example
//
// The first part needs a small part of hone only, so that there is something to see
// while the rest has yet to be compiled. What it prints is from the packages that print
// it in hone top and hone list. The second part runs hone's own commands. Of each it
// shows the few lines that matter; all of the output is in files.
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
	program := flag.String("program", "", "the `program` to profile, examples/wordindex")
	duration := flag.Duration("for", 3*time.Second, "how long to profile it")
	hone := flag.String("hone", "bin/hone", "the `program` for the loop")
	dir := flag.String("dir", "out/demo", "`folder` for what is written; that of the loop is emptied")
	serve := flag.Bool("serve", isTerminal(os.Stdin) && isTerminal(os.Stdout) && os.Getenv("CI") == "", "open the UI and wait")
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
