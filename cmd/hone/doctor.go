package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hone-go/hone/internal/doctor"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store/disk"
)

const doctorHelp = `usage: hone doctor [-json]

Check what hone needs on this machine, and what makes measurements unreliable.

Examples:

  hone doctor
  hone doctor -json

Flags:

  -json       print the checks as JSON

Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage.

Each line says what was found, what it means, and what to do about it:

  ok      nothing to do
  note    measurements are less exact, or a part of hone does less
  fail    some verbs don't work
`

func runDoctor(ctx context.Context, a *app, args []string) error {
	flags := newFlags("doctor")
	asJSON := flags.Bool("json", false, "")
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &shell.UsageError{Verb: "doctor", Err: fmt.Errorf("unexpected argument %q", rest[0])}
	}
	checks := doctor.Run(ctx, doctor.Machine{
		Getenv: a.getenv, Terminal: isTerminal(a.stdout), Browsers: shell.Browsers(a.getenv), Free: disk.Available,
	})
	if *asJSON {
		err = writeJSON(a.stdout, checks)
	} else {
		err = printChecks(a.stdout, checks)
	}
	if err == nil && doctor.Failed(checks) {
		err = errors.New("a check failed: see the lines that start with fail")
	}
	return err
}

func printChecks(w io.Writer, checks []doctor.Check) error {
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "%-5s %-10s %s\n", c.State, c.Name, c.Found)
		if c.Means != "" {
			fmt.Fprintf(&b, "%17s%s\n", "", c.Means)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
