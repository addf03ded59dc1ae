package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const reportSHA = "0123456789abcdef0123456789abcdef01234567"

// inJob sets the environment of a job of GitHub Actions for a pull request, and returns the file of its
// summary.
func inJob(t *testing.T, api string) (summary string) {
	t.Helper()
	dir := t.TempDir()
	event, summary := filepath.Join(dir, "event.json"), filepath.Join(dir, "summary.md")
	write(t, event, `{"pull_request":{"number":7,"head":{"sha":"`+reportSHA+`"}}}`)
	for name, value := range map[string]string{
		"GITHUB_REPOSITORY": "octo/shop", "GITHUB_SHA": strings.Repeat("f", 40), "GITHUB_EVENT_PATH": event, "GITHUB_API_URL": api, "GITHUB_TOKEN": "secret-token",
		"GH_TOKEN": "", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "5", "GITHUB_STEP_SUMMARY": summary, "GITHUB_REF": "",
	} {
		t.Setenv(name, value)
	}
	return summary
}

// TestReport posts a kept run and a comparison as JSON to what behaves like GitHub for a token of a
// job. The calls themselves are tested in package forge.
func TestReport(t *testing.T) {
	inModule(t)
	var comment string
	var status map[string]string
	readOnly := false
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var fields map[string]string
		json.Unmarshal(body, &fields)
		described := func() string {
			text, _ := json.Marshal(comment)
			return fmt.Sprintf(`{"id":1,"body":%s,"html_url":"https://github.com/octo/shop/pull/7#issuecomment-1","user":{"login":"github-actions[bot]"}}`, text)
		}
		switch call := r.Method + " " + r.URL.Path; {
		case call == "GET /user", readOnly && r.Method != "GET":
			w.WriteHeader(403)
			io.WriteString(w, `{"message":"Resource not accessible by integration"}`)
		case call == "GET /repos/octo/shop/issues/7/comments" && comment == "":
			io.WriteString(w, "[]")
		case call == "GET /repos/octo/shop/issues/7/comments":
			io.WriteString(w, "["+described()+"]")
		case call == "POST /repos/octo/shop/issues/7/comments", call == "PATCH /repos/octo/shop/issues/comments/1":
			comment = fields["body"]
			io.WriteString(w, described())
		case call == "POST /repos/octo/shop/statuses/"+reportSHA:
			status = fields
			io.WriteString(w, "{}")
		default:
			t.Errorf("unexpected call %s", call)
		}
	}))
	defer github.Close()
	summary := inJob(t, github.URL)

	out := succeed(t, "report", "github")
	if want := "comment created: https://github.com/octo/shop/pull/7#issuecomment-1\nstatus success: no regressions, 3 improvements\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	first, body, _ := strings.Cut(comment, "\n")
	markdown := succeed(t, "compare", "-markdown", "latest")
	if first != "<!-- hone report: benchmarks -->" || body != strings.TrimSuffix(markdown, "\n")+" · [log and files of the job](<https://github.com/octo/shop/actions/runs/5>)\n" {
		t.Errorf("the comment is\n%s", comment)
	}
	if status["state"] != "success" || status["context"] != "hone/benchmarks" || status["target_url"] != "https://github.com/octo/shop/actions/runs/5" {
		t.Errorf("status %v", status)
	}

	// The same from JSON, in a file and on standard input.
	before := comment
	write(t, "comparison.json", succeed(t, "compare", "-json", "latest"))
	if out := succeed(t, "report", "github", "comparison.json"); !strings.HasPrefix(out, "comment updated: ") || comment != before {
		t.Errorf("%q\n%s", out, comment)
	}
	text, _ := os.ReadFile("comparison.json")
	if o := honeWith(t, nil, string(text), "report", "github", "-json", "-"); o.code != 0 || !strings.Contains(o.stdout, `"comment": "updated"`) || comment != before {
		t.Errorf("%+v\n%s", o, comment)
	}

	// A slower change is a failure of the status, and not of the command.
	write(t, "old.txt", benchLines("A", 8, 500, ""))
	write(t, "new.txt", benchLines("A", 8, 900, ""))
	if o := honeWith(t, nil, succeed(t, "compare", "-json", "old.txt", "new.txt"), "report", "github", "-"); o.code != 0 || status["state"] != "failure" || !strings.Contains(comment, "❌ Benchmarks: 1 regression") {
		t.Errorf("%+v, status %v\n%s", o, status, comment)
	}

	// A pull request from a fork: the report goes to the summary.
	readOnly, comment = true, ""
	for _, token := range []string{"secret-token", ""} {
		t.Setenv("GITHUB_TOKEN", token)
		o := hone(t, "report", "github")
		inSummary, _ := os.ReadFile(summary)
		if o.code != 0 || !strings.Contains(o.stderr, "the token doesn't allow it") || !strings.Contains(string(inSummary), "### ✅ Benchmarks: no regressions") || comment != "" {
			t.Errorf("token %q: %+v\n%s", token, o, inSummary)
		}
		if strings.Contains(o.stdout+o.stderr, "secret-token") {
			t.Errorf("the token is printed: %+v", o)
		}
		os.Remove(summary)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	if o := hone(t, "report", "github"); o.code != 0 || !strings.HasPrefix(o.stdout, "### ✅ Benchmarks") {
		t.Errorf("%+v", o)
	}
}

// TestReportUsage: what is wrong is said before anything is sent.
func TestReportUsage(t *testing.T) {
	inModule(t)
	inJob(t, "https://127.0.0.1:1")
	for args, want := range map[string]string{
		"":                                       "missing forge",
		"bitbucket":                              `unknown forge "bitbucket"`,
		"github a b":                             `unexpected argument "b"`,
		"github -pr -1":                          "invalid -pr -1",
		"github -repo shop":                      `invalid repository "shop": use OWNER/NAME`,
		"github -sha HEAD":                       `invalid commit "HEAD"`,
		"github -api http://ghe.test":            "https://",
		"github -name a--b":                      `invalid name "a--b"`,
		"gitlab -repo a/b -sha " + reportSHA[:7]: "invalid commit",
	} {
		if o := hone(t, append([]string{"report"}, strings.Fields(args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %d %s, want %q", args, o.code, o.stderr, want)
		}
	}
	out := succeed(t, "report", "github", "-dry-run")
	for _, want := range []string{"https://127.0.0.1:1, with a token\n", "comment on octo/shop #7", "<!-- hone report: benchmarks -->\n### ✅", "status hone/benchmarks of " + reportSHA + ": success"} {
		if !strings.Contains(out, want) || strings.Contains(out, "secret-token") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	write(t, "other.json", "{}")
	if o := hone(t, "report", "github", "other.json"); o.code != exitFailure || !strings.Contains(o.stderr, "isn't a comparison as JSON") {
		t.Errorf("%+v", o)
	}
}
