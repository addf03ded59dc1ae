package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/forge"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/shell"
)

const reportHelp = `usage: hone report github|gitlab [flags] [RUN|FILE|-]

Comment on a pull or merge request what a comparison found, and set the commit's status.

Examples:

  hone report github                            the newest run, in a job of GitHub Actions
  hone report gitlab comparison.json            the output of hone compare -json
  hone report github -name load -dry-run load.json
  hone report github -repo octo/shop -pr 12 -sha $(git rev-parse HEAD) latest

Flags:

  -name NAME      tells several reports apart: each has a comment, and the status
                  hone/NAME (benchmarks)
  -dry-run        print what would be posted; needs no token
  -repo REPO      OWNER/NAME, or on GitLab the project's path or ID (that of the job)
  -pr N           number of the pull or merge request (that of the job); without one, only
                  the status is set
  -sha COMMIT     commit of the status (the head of the request)
  -api URL        the API's address, https://HOST/api/v3 for GitHub Enterprise and
                  https://HOST/api/v4 for GitLab (that of the job)
  -author LOGIN   on GitHub: whose comments the token writes, if it may not ask
                  (github-actions[bot])
  -url URL        page that the comment and the status link to (the job)
  -dir DIR        where runs are kept (.hone/runs of this module)
  -json           print what was done as JSON

Environment: GITHUB_TOKEN or GH_TOKEN, which may write pull requests and statuses;
GITLAB_TOKEN, a project access token with the scope api. GitLab's CI_JOB_TOKEN can do
neither.

Exit codes: 0 reported, also if something got slower; or the token doesn't allow it, which
prints a warning; 1 failure, 2 wrong usage.

There is one comment per name: the next report replaces it. Comments of other authors stay
as they are. Tokens for pull requests from forks can only read. Then the comment goes to the
job's summary ($GITHUB_STEP_SUMMARY), or to standard output. Requests that fail with a
server error or a rate limit are repeated. The token goes to the API's host only.
`

// maxDocument is how long a comparison as JSON may be, in bytes.
const maxDocument = 256 << 20

// A told is what hone report -json prints.
type told struct {
	Comment string   `json:"comment,omitempty"` // created or updated
	URL     string   `json:"url,omitempty"`     // of the comment
	Status  string   `json:"status,omitempty"`  // success, failure or error
	Title   string   `json:"title"`
	Denied  []string `json:"denied,omitempty"` // what the token doesn't allow
}

func runForgeReport(ctx context.Context, a *app, args []string) error {
	usage := func(format string, values ...any) error {
		return &shell.UsageError{Verb: "report", Err: fmt.Errorf(format, values...)}
	}
	fs := newFlags("report")
	name, root, page := fs.String("name", "benchmarks", ""), fs.String("dir", "", ""), fs.String("url", "", "")
	dry, asJSON := fs.Bool("dry-run", false, ""), fs.Bool("json", false, "")
	var given forge.Target
	fs.StringVar(&given.Project, "repo", "", "")
	fs.IntVar(&given.Change, "pr", 0, "")
	fs.StringVar(&given.Commit, "sha", "", "")
	fs.StringVar(&given.API, "api", "", "")
	fs.StringVar(&given.Author, "author", "", "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 0:
		return usage("missing forge: use hone report github or hone report gitlab")
	case rest[0] != string(forge.GitHub) && rest[0] != string(forge.GitLab):
		return usage("unknown forge %q: use github or gitlab", rest[0])
	case len(rest) > 2:
		return usage("unexpected argument %q: only one run or file can be reported", rest[2])
	case given.Change < 0:
		return usage("invalid -pr %d: use the number of the request", given.Change)
	}
	target, job, err := forge.FromEnvironment(forge.Kind(rest[0]), a.getenv, func(file string) ([]byte, error) {
		return infile.ReadFile(ctx, file, 32<<20)
	})
	if err != nil {
		return err
	}
	override(&target, given)
	if *page == "" {
		*page = job
	}
	report := &forge.Report{Name: *name, URL: *page}
	if err := target.Check(report); err != nil {
		return usage("%w", err)
	}
	source := "latest"
	if len(rest) == 2 {
		source = rest[1]
	}
	if *root == "" {
		*root = runsRoot()
	}
	c, err := reported(ctx, a, *root, source)
	if err != nil {
		return err
	}
	if report.URL != "" {
		c.Links = append(c.Links, compare.Link{Text: "log and files of the job", URL: report.URL})
	}
	review, err := c.Review()
	if err != nil {
		return err
	}
	report.Body, report.Title = review.Body, review.Title
	report.State = map[compare.Outcome]forge.State{compare.Passed: forge.Success, compare.Regressed: forge.Failure, compare.Incomplete: forge.Error}[review.Outcome]
	if *dry {
		return forge.DryRun(a.stdout, &target, report)
	}
	result, err := forge.Post(ctx, &target, report)
	if err != nil {
		return err
	}
	return tellReported(a, &target, report, result, *asJSON)
}

// override replaces what the environment says by what flags say.
func override(t *forge.Target, by forge.Target) {
	for _, f := range []struct {
		to   *string
		from string
	}{{&t.Project, by.Project}, {&t.Review, by.Project}, {&t.Commit, by.Commit}, {&t.API, by.API}, {&t.Author, by.Author}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if by.Change > 0 {
		t.Change = by.Change
	}
}

// reported reads a comparison as JSON, or compares a run or file.
func reported(ctx context.Context, a *app, root, source string) (*compare.Comparison, error) {
	var text []byte
	var err error
	switch {
	case source == "-":
		if text, err = io.ReadAll(io.LimitReader(infile.Reader(ctx, a.stdin), maxDocument+1)); err == nil && len(text) > maxDocument {
			err = fmt.Errorf("standard input has more than %d MB", maxDocument>>20)
		}
		a.stdin = bytes.NewReader(text)
	case infile.Exists(source) && !infile.IsDir(source):
		text, err = infile.ReadFile(ctx, source, maxDocument)
	}
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{")) {
		return compareRuns(ctx, a, root, []string{source}, false)
	}
	c, err := compare.ReadDocument(text)
	if err != nil {
		return nil, fmt.Errorf("%s isn't a comparison as JSON: %w", source, err)
	}
	return c, nil
}

// tellReported prints what was done, and puts a report that could not be posted where a reviewer may
// still find it.
func tellReported(a *app, t *forge.Target, r *forge.Report, result *forge.Result, asJSON bool) error {
	out := told{Comment: result.Comment, URL: result.URL, Title: r.Title}
	if result.Status {
		out.Status = string(r.State)
	}
	for _, d := range result.Denied {
		out.Denied = append(out.Denied, d.Error())
		a.warn("hone: " + compare.OneLine(d))
	}
	var err error
	if !result.Commented() && t.Change > 0 {
		err = summarize(a, r, asJSON)
	}
	switch {
	case err != nil:
	case asJSON:
		err = writeJSON(a.stdout, out)
	case result.Commented():
		_, err = fmt.Fprintf(a.stdout, "comment %s: %s\n", result.Comment, compare.Printable(result.URL))
	case t.Change == 0:
		_, err = fmt.Fprintln(a.stdout, "no comment: this job is not for a pull or merge request (-pr N)")
	}
	if err == nil && result.Status && !asJSON {
		_, err = fmt.Fprintf(a.stdout, "status %s: %s\n", out.Status, compare.Printable(r.Title))
	}
	return err
}

// summarize adds the report to the summary of the job, or prints it.
func summarize(a *app, r *forge.Report, quiet bool) error {
	file := a.getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		if quiet {
			return nil
		}
		_, err := io.WriteString(a.stdout, r.Body)
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(r.Body)
	a.warn("hone: the report is in the job's summary")
	return errors.Join(err, f.Close())
}
