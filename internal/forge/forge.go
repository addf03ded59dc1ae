// Package forge tells reviewers on GitHub and GitLab about a change: one comment that later
// reports replace, and a status of the commit.
//
//	forge.go        reports, targets and results
//	environment.go  the target, by what a CI job's environment says
//	github.go       calls of GitHub's API; gitlab.go those of GitLab's
//	client.go       requests: tokens, retries, limits
//	post.go         exactly one comment, whoever else posts at the same time
//	dryrun.go       what would be posted
package forge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// A Kind is the software of a forge.
type Kind string

const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
)

// A State is that of a commit's status.
type State string

const (
	Success State = "success"
	Failure State = "failure"
	Error   State = "error" // something could not be measured
)

// A Report is what to tell.
type Report struct {
	Name  string // tells reports on one change apart: each has a comment and a status
	Body  string // Markdown
	State State
	Title string // of the status
	URL   string // of the status: a page with more; may be ""
}

// A Target is where to tell it, and how to get there.
type Target struct {
	Kind     Kind
	API      string // base URL: https://api.github.com
	Project  string // owner/name, or the ID of a project of GitLab
	Review   string // project of the merge request, if it is another one
	Change   int    // number of the pull or merge request; 0 if there is none
	Commit   string // SHA
	Author   string // whose comments may be replaced, if the token doesn't tell
	Token    string
	JobToken bool // the token is that of a job of GitLab
}

// A Result says what was done.
type Result struct {
	Comment string // "created", "updated"; "" if there is no pull request
	URL     string // of the comment
	Status  bool
	// Denied is why the token may not comment, or not set a status: reviews of forks have tokens
	// that only read.
	Denied []error
}

// ErrDenied is the error of a call that the token doesn't allow.
var ErrDenied = errors.New("the token doesn't allow it")

// Commented reports whether the report is where reviewers see it.
func (r *Result) Commented() bool { return r.Comment != "" }

// Check returns what is wrong with a target and a report, before anything is sent.
func (t *Target) Check(r *Report) error {
	u, err := url.Parse(t.API)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("invalid API address: use a URL such as %s", defaultAPI(t.Kind))
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return fmt.Errorf("the API's address has to begin with https://, so that nobody reads the token on its way")
	case !validProject(t.Kind, t.Project):
		return fmt.Errorf("invalid repository %q: use %s", t.Project, map[Kind]string{GitHub: "OWNER/NAME", GitLab: "GROUP/NAME or the project's ID"}[t.Kind])
	case !validCommit(t.Commit):
		return fmt.Errorf("invalid commit %q: use all 40 digits of its SHA", t.Commit)
	case !validName(r.Name):
		return fmt.Errorf("invalid name %q: use letters, digits, spaces and . _ / -, but no --, at most 60 characters", r.Name)
	case strings.ContainsAny(t.Token, "\r\n\x00") || strings.TrimSpace(t.Token) != t.Token:
		return errors.New("the token has a space or line break in it")
	}
	return nil
}

// defaultAPI is the API's address of the forge that everyone can use.
func defaultAPI(k Kind) string {
	if k == GitLab {
		return "https://gitlab.com/api/v4"
	}
	return "https://api.github.com"
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func validProject(kind Kind, project string) bool {
	pattern := `^[\w.-]+/[\w.-]+$`
	if kind == GitLab {
		pattern = `^([0-9]+|[\w.-]+(/[\w.-]+)+)$`
	}
	ok, _ := regexp.MatchString(pattern, project)
	return ok && !strings.Contains("/"+project+"/", "/./") && !strings.Contains("/"+project+"/", "/../")
}

func validCommit(sha string) bool {
	ok, _ := regexp.MatchString(`^([0-9a-f]{40}|[0-9a-f]{64})$`, sha)
	return ok
}

func validName(name string) bool {
	ok, _ := regexp.MatchString(`^[\w./][\w ./-]{0,59}$`, name)
	return ok && !strings.Contains(name, "--") && !strings.HasSuffix(name, "-")
}

// marker is the first line of a comment, which nobody sees: it tells the comment of a report.
func (r *Report) marker() string { return "<!-- hone report: " + r.Name + " -->" }

func (r *Report) text() string { return r.marker() + "\n" + r.Body }

// context names the status.
func (r *Report) context() string { return "hone/" + r.Name }

// shortTitle is the title as statuses have room for it: 140 characters on GitHub.
func (r *Report) shortTitle() string {
	const most = 140
	if runes := []rune(r.Title); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return r.Title
}

// Post tells the report. What the token doesn't allow is in the result; other errors end it.
func Post(ctx context.Context, t *Target, r *Report) (*Result, error) {
	return post(ctx, newClient(t), t, r)
}
