package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/spelling"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// allVerbs lists the commands in the order of the help text.
func allVerbs() []verb {
	vs := []verb{
		{"pprof", "show profiles: reports, call graphs, a shell; replaces go tool pprof", runPprof,
			func() string { return shell.Usage("pprof") }},
		{"ui", "explore profiles and runs in a browser", runUI, func() string { return uiHelp }},
		{"flame", "write a flame graph as a web page, an image or folded stacks", runFlame, func() string { return flameHelp }},
		{"diff", "show what changed between two profiles, function by function", runDiff, func() string { return diffHelp }},
		{"bench", "run and profile benchmarks; -against REF compares with a git revision", runBench, func() string { return benchHelp }},
		{"compare", "compare runs and benchmark files, and show which functions caused the changes", runCompare, func() string { return compareHelp }},
		{"check", "check measurements against the objectives in hone.toml", runCheck, func() string { return checkHelp }},
		{"report", "comment on a pull request what a comparison found, and set its status", runForgeReport, func() string { return reportHelp }},
		{"advise", "suggest changes to hot lines: what they cost, and the rewrite", runAdvise, func() string { return adviseHelp }},
		{"fix", "apply the rewrite of a finding, and keep it if measurements confirm it", runFix, func() string { return fixHelp }},
		{"tune", "try the known rewrites for some packages, and keep those that measurements confirm", runTune, func() string { return tuneHelp }},
		{"prove", "judge a patch or your changes: right or wrong, faster or slower, and why", runProve, func() string { return proveHelp }},
		{"pgo", "merge CPU profiles into default.pgo for the compiler; measure what it gains", runPGO,
			func() string { return pgoHelp }},
		{"load", "send requests to a service; report latency and the cost of a request", runLoad, func() string { return loadHelp }},
		{"gc", "run a program, and report what the garbage collector did", runGC, func() string { return gcHelp }},
		{"wall", "show what goroutines wait for, and where, from an execution trace", runWall, func() string { return wallHelp }},
		{"runs", "list or remove the runs that were kept", runRuns, func() string { return runsHelp }},
		{"serve", "profile programs continuously: collect, store and show profiles", runServe, func() string { return serveHelp }},
		{"query", "print reports of profiles that hone serve has collected", runQuery, func() string { return queryHelp }},
		{"regressions", "list functions that cost more in production than before; -fail is for deploy pipelines", runRegressions,
			func() string { return regressionsHelp }},
		{"lsp", "show costs and advice in editors, by the Language Server Protocol", runLSP, func() string { return lspHelp }},
		{"mcp", "let coding agents ask hone, by the Model Context Protocol", runMCP, func() string { return mcpHelp }},
		{"push", "send profiles to hone serve", runPush, func() string { return pushHelp }},
		{"token", "add, list and remove access tokens of hone serve", runToken, func() string { return tokenHelp }},
		{"session", "list and end login sessions of hone serve", runSession, func() string { return sessionHelp }},
		{"store", "maintain the profiles that hone serve keeps: verify, repair, back up, copy, delete", runStore, func() string { return storeHelp }},
	}
	vs = append(vs, verb{"init", "set a module up: objectives, a workflow for CI, and what coding agents read", runInit, func() string { return initHelp }},
		verb{"tour", "walk through the tuning loop on an example", runTour, func() string { return tourHelp }},
		verb{"doctor", "check this machine: what hone needs, and what makes measurements unreliable", runDoctor,
			func() string { return doctorHelp }},
		verb{"completion", "print a completion script for bash, zsh or fish", runCompletion, func() string { return completionHelp }})
	for _, r := range reportVerbs {
		vs = append(vs, verb{r.name, r.summary, runReport(r.name), func() string { return shell.Usage(r.name) }})
	}
	return append(vs, verb{"version", "print hone's version", runVersion, func() string { return versionHelp }})
}

// execute runs hone and returns its exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: os.Getenv}
	if isTerminal(stdout) {
		a.stdout = shell.NewScreen(stdout)
	}
	if isTerminal(stderr) {
		a.stderr = shell.NewScreen(stderr)
	}
	return exitCode(ctx, a, args)
}

// exitCode runs a command line, prints its error, and returns the exit code.
func exitCode(ctx context.Context, a *app, args []string) int {
	stderr := a.stderr
	err := dispatch(ctx, a, args)
	var usage *shell.UsageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitOK // the reader of the output has closed it
	case errors.Is(err, errMissed):
		return exitMissed
	case errors.Is(err, errNoVerb):
		return exitUsage
	case errors.As(err, &usage):
		printError(stderr, err)
		if usage.Verb != "" {
			fmt.Fprintf(stderr, "For help: hone help %s\n", usage.Verb)
		} else {
			fmt.Fprintln(stderr, "For help: hone help")
		}
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "hone: interrupted")
		return exitFailure
	}
	printError(stderr, err)
	return exitFailure
}

// printError prints an error on one line, or several problems on one line each.
func printError(stderr io.Writer, err error) {
	all := []error{err}
	if p, ok := err.(daemon.Problems); ok {
		all = p
	}
	for _, err := range all {
		fmt.Fprintf(stderr, "hone: %s\n", report.NoCommands(compare.OneLine(err)))
	}
}

func dispatch(ctx context.Context, a *app, args []string) error {
	if len(args) == 0 {
		if _, err := io.WriteString(a.stderr, firstDay); err != nil {
			return err
		}
		return errNoVerb
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		return runHelp(a, args[1:])
	case completeVerb:
		return runComplete(ctx, a, allVerbs(), args[1:])
	case "-version", "--version":
		name = "version"
	case layoutVerb:
		return graphviz.Layout(a.stdin, a.stdout)
	}
	vs := allVerbs()
	i := slices.IndexFunc(vs, func(v verb) bool { return v.name == name })
	if i < 0 {
		return &shell.UsageError{Err: fmt.Errorf("unknown command %q%s", name, suggestion(name, vs))}
	}
	err := vs[i].run(ctx, a, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(a.stdout, vs[i].help())
	}
	if usage := (*shell.UsageError)(nil); errors.As(err, &usage) && usage.Unknown != "" {
		if meant := flagLike(usage.Unknown, usage.Flags); meant != "" {
			usage.Err = fmt.Errorf("%w; did you mean -%s?", usage.Err, meant)
		}
	}
	return err
}

// flagLike returns the flag that a mistyped one probably stands for, or "".
func flagLike(name string, flags *flag.FlagSet) string {
	hyphens := func(s string) string { return strings.ReplaceAll(s, "_", "-") } // which are the same
	var known []string
	names := map[string]string{}
	flags.VisitAll(func(f *flag.Flag) {
		known = append(known, hyphens(f.Name))
		names[hyphens(f.Name)] = f.Name
	})
	return names[spelling.Closest(hyphens(name), known)]
}

// suggestion says which verb a mistyped one probably stands for, or what to do with a file.
func suggestion(name string, vs []verb) string {
	if _, err := os.Stat(name); err == nil {
		return fmt.Sprintf("; to look at the profile: hone pprof %s", name)
	}
	var known []string
	for _, v := range vs {
		known = append(known, v.name)
	}
	if best := spelling.Closest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

func runHelp(a *app, args []string) error {
	if len(args) == 0 {
		_, err := io.WriteString(a.stdout, firstDay)
		return err
	}
	if args[0] == "all" {
		_, err := io.WriteString(a.stdout, helpAll())
		return err
	}
	vs := allVerbs()
	for _, v := range vs {
		if v.name == args[0] {
			_, err := io.WriteString(a.stdout, v.help())
			return err
		}
	}
	return &shell.UsageError{Err: fmt.Errorf("unknown verb %q: hone help all lists the verbs%s", args[0], suggestion(args[0], vs))}
}

// helpAll lists every verb.
func helpAll() string {
	var b strings.Builder
	b.WriteString(allIntro)
	for _, v := range allVerbs() {
		fmt.Fprintf(&b, "  %-10s %s\n", v.name, v.summary)
	}
	b.WriteString(allEnd)
	return b.String()
}
