package main

import (
	"bytes"
	"context"
	"io"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

func runPprof(ctx context.Context, a *app, args []string) error {
	inv, err := shell.Parse(args, a.stderr)
	if err != nil {
		return err
	}
	if inv.HTTP != "" {
		return serveUI(ctx, a, inv, uiFlags{}, true)
	}
	like := *a
	like.compat = !inv.JSON // which the original doesn't have
	a = &like
	l := newOpener(a, inv)
	l.compat = true
	p, err := l.difference(ctx)
	if err != nil {
		return err
	}
	if inv.Command == "" {
		return interact(ctx, a, inv, p)
	}
	return deliverReport(ctx, a, inv, inv.Command, p)
}

// runReport returns the function of a short verb.
func runReport(name string) func(context.Context, *app, []string) error {
	return func(ctx context.Context, a *app, args []string) error {
		inv, err := shell.ParseVerb(name, args, a.stderr)
		if err != nil {
			return err
		}
		p, err := newOpener(a, inv).difference(ctx)
		if err != nil {
			return err
		}
		like := name
		if !isTerminal(a.stdout) {
			like = "" // hone weblist RE cpu.pb.gz >page.html is not for a browser
		}
		return deliverReport(ctx, a, inv, like, p)
	}
}

// deliverReport writes the report that a command line asks for where it asks for it,
// or else where reports of the command like go; "" is standard output.
func deliverReport(ctx context.Context, a *app, inv *shell.Invocation, like string, p *profile.Profile) error {
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, ToScreen: isTerminal(a.stdout), Getenv: a.getenv}
	defer out.Close()
	if inv.JSON {
		like = "" // text, whatever the report's own format is
	}
	return out.Deliver(ctx, like, inv.Output, func(ctx context.Context, w io.Writer) error {
		if !inv.JSON {
			return generateReport(ctx, a, w, p, inv.Command, inv.Param, inv.Options)
		}
		r, err := report.New(p, inv.Command, inv.Param, inv.Options, reportEnv(ctx, a, inv.Options))
		if err != nil {
			return err
		}
		return r.WriteJSON(w)
	})
}

// generateReport writes the report of a command in its final format.
func generateReport(ctx context.Context, a *app, w io.Writer, p *profile.Profile, command, param string, o report.Options) error {
	format := ""
	switch command {
	case "svg", "png", "gif", "pdf", "ps":
		format = command
	case "web", "eog":
		format = "svg"
	case "evince":
		format = "pdf"
	case "gv":
		format = "ps"
	case "flame":
		return writeFlame(ctx, a, w, nil, p, flameFlags{format: "html"}, o)
	}
	if format == "" {
		return report.Generate(w, p, command, param, o, reportEnv(ctx, a, o))
	}
	var dot bytes.Buffer
	if err := report.Generate(&dot, p, command, param, o, reportEnv(ctx, a, o)); err != nil {
		return err
	}
	return graphEngine(a).Render(ctx, dot.Bytes(), format, w)
}

func interact(ctx context.Context, a *app, inv *shell.Invocation, p *profile.Profile) error {
	s := &shell.Session{
		Profile: p, Config: inv.Config,
		Header: func(p *profile.Profile, o report.Options) ([]string, error) {
			r, err := report.New(p, "top", "", o, reportEnv(ctx, a, o))
			if err != nil {
				return nil, err
			}
			return r.ProfileHeader(), nil
		},
		Generate: func(ctx context.Context, w io.Writer, p *profile.Profile, command, param string, o report.Options) error {
			return generateReport(ctx, a, w, p, command, param, o)
		},
		In: a.stdin, Out: a.stdout, Err: a.stderr, Getenv: a.getenv,
	}
	if isTerminal(a.stdin) {
		s.HistoryFile, _ = shell.HistoryFile()
		// In the shell, ^C ends a command, which the shell sees to itself.
		ctx = context.WithoutCancel(ctx)
	}
	return s.Run(ctx)
}
