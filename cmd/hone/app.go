package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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

// errMissed is the end of a verb that did its work and found an objective missed
// or a regression, which it has told by then.
var errMissed = errors.New("an objective was missed, or a regression found")

// errNoVerb makes hone without arguments, which has told how it is used, end with
// exitUsage.
var errNoVerb = errors.New("no verb")

// app is what a verb may use of the outside.
type app struct {
	stdin  io.Reader
	stdout io.Writer // a shell.Screen if it is a terminal
	stderr io.Writer // the same
	getenv func(string) string
	compat bool // reports are those of go tool pprof
}

func (a *app) warn(msg string) { fmt.Fprintln(a.stderr, report.NoCommands(msg)) }

func (a *app) warnAll(msgs []string) {
	for _, m := range msgs {
		a.warn(compare.Printable(m))
	}
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
