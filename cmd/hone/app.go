package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
)

// Exit codes; see the manual in doc.go.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitMissed  = 3
)

// errMissed ends a verb that worked and found a missed objective or a regression, which it
// has already printed.
var errMissed = errors.New("an objective was missed, or a regression found")

// errNoVerb ends hone without arguments with exitUsage; its usage is already printed.
var errNoVerb = errors.New("no verb")

// app gives verbs access to the outside.
type app struct {
	stdin  io.Reader
	stdout io.Writer // a shell.Screen if it is a terminal
	stderr io.Writer // the same
	getenv func(string) string
	compat bool                  // print reports like go tool pprof
	told   func(progress string) // instead of a terminal that shows it; may be nil
}

func (a *app) warn(msg string) { fmt.Fprintln(a.stderr, report.NoCommands(msg)) }

func (a *app) warnAll(msgs []string) {
	for _, m := range msgs {
		a.warn(compare.Printable(m))
	}
}

// warnOnce prints the messages that were not told before. It returns all that were.
func (a *app) warnOnce(told, msgs []string) []string {
	for _, m := range msgs {
		if !slices.Contains(told, m) {
			a.warnAll([]string{m})
			told = append(told, m)
		}
	}
	return told
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case *shell.Screen:
		return true
	case *os.File:
		return term.IsTerminal(int(s.Fd()))
	}
	return false
}

// verb is a command of hone.
type verb struct {
	name    string
	summary string
	run     func(ctx context.Context, a *app, args []string) error
	help    func() string
}
