package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// report is what tests post.
func report(body string) *Report {
	return &Report{Name: "benchmarks", Body: body, State: Success, Title: "no regressions", URL: "https://ci.example/1"}
}

// told posts a report without waiting for anything, and returns how long it would have waited.
func told(t *testing.T, target *Target, r *Report) (*Result, time.Duration, error) {
	t.Helper()
	if err := target.Check(r); err != nil {
		t.Fatal(err)
	}
	c := newClient(target)
	var waited time.Duration
	c.sleep = func(_ context.Context, d time.Duration) error { waited += d; return nil }
	c.now = func() time.Time { return time.Unix(1_800_000_000, 0) }
	result, err := post(t.Context(), c, target, r)
	if err != nil && strings.Contains(err.Error(), token) {
		t.Errorf("the error has the token in it: %v", err)
	}
	return result, waited, err
}

func each(t *testing.T, test func(t *testing.T, s *standIn)) {
	for _, kind := range []Kind{GitHub, GitLab} {
		t.Run(string(kind), func(t *testing.T) { test(t, newStandIn(t, kind)) })
	}
}

// mine returns the bodies of the comments with the marker of report, by author.
func (s *standIn) mine(author string) (bodies []string) {
	for _, c := range s.comments {
		if c.author == author && strings.HasPrefix(c.body, report("").marker()) {
			bodies = append(bodies, strings.TrimPrefix(c.body, report("").marker()+"\n"))
		}
	}
	return bodies
}

// TestOneComment: the first report creates a comment, later ones replace it, and it is found among
// hundreds of others. Other reports have comments of their own.
func TestOneComment(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		for i := range 230 {
			s.add("someone", fmt.Sprint("comment ", i))
		}
		for i, want := range []string{"created", "updated", "updated"} {
			got, _, err := told(t, s.target(), report(fmt.Sprint("report ", i)))
			if err != nil || got.Comment != want || !got.Status || len(got.Denied) > 0 {
				t.Fatalf("report %d: %+v, %v, want %s", i, got, err, want)
			}
			if s.kind == GitHub && !strings.HasSuffix(got.URL, "#issuecomment-231") {
				t.Errorf("the address is %s", got.URL)
			}
		}
		if got := s.mine(s.user); !slices.Equal(got, []string{"report 2"}) {
			t.Errorf("comments %q", got)
		}
		other := report("another")
		other.Name = "load"
		if got, _, err := told(t, s.target(), other); err != nil || got.Comment != "created" || len(s.comments) != 232 {
			t.Errorf("%+v, %v, %d comments", got, err, len(s.comments))
		}
		status := s.statuses[0]
		if name := status["context"] + status["name"]; name != "hone/benchmarks" || status["state"] != "success" || status["target_url"] != "https://ci.example/1" || status["description"] != "no regressions" {
			t.Errorf("status %v", status)
		}
	})
}

// TestForeignComments: a comment of another author, or one that quotes the marker, stays as it is.
func TestForeignComments(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		marker := report("").marker()
		s.add("mallory", marker+"\nlook here")
		s.add("", marker+"\nof an account that is gone")
		s.add(s.user, "> "+marker+"\nI quote")
		s.add(s.user, strings.Replace(marker, "benchmarks", "load", 1)+"\nanother report")
		before := slices.Clone(s.comments)
		for range 2 {
			if _, _, err := told(t, s.target(), report("r")); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.comments) != 5 || !slices.Equal(s.comments[:4], before) || len(s.mine(s.user)) != 1 {
			t.Errorf("comments %+v", s.comments)
		}
	})
}

// TestJobsAtOnce: however many jobs report at the same time, one comment is left.
func TestJobsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				if got, err := Post(t.Context(), s.target(), report(fmt.Sprint("job ", i))); err != nil || !got.Commented() {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if got := s.mine(s.user); len(got) != 1 || !strings.HasPrefix(got[0], "job ") {
			t.Errorf("comments %q", got)
		}
	})
}

// TestBotComment: the token of a GitHub job may not ask who it is. Its own comments are known by the
// author that GitHub names when it creates one.
func TestBotComment(t *testing.T) {
	for _, author := range []string{"github-actions[bot]", "other-app[bot]"} {
		s := newStandIn(t, GitHub)
		s.user = ""
		target := s.target()
		target.Author = author
		for i := range 3 {
			if _, _, err := told(t, target, report(fmt.Sprint("report ", i))); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.mine("github-actions[bot]"); !slices.Equal(got, []string{"report 2"}) {
			t.Errorf("%s: comments %q", author, got)
		}
	}
}

// TestDenied: without a token, or with one that only reads, nothing is posted, and that isn't an error.
func TestDenied(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		s.readOnly = true
		target := s.target()
		got, _, err := told(t, target, report("r"))
		if err != nil || got.Commented() || got.Status || len(got.Denied) != 2 || !errors.Is(got.Denied[0], ErrDenied) {
			t.Errorf("read-only: %+v, %v", got, err)
		}
		n := len(s.exchanges)
		target.Token = ""
		if got, _, err := told(t, target, report("r")); err != nil || got.Commented() || len(got.Denied) != 1 || len(s.exchanges) != n {
			t.Errorf("no token: %+v, %v", got, err)
		}
		target.Token, target.JobToken = "x", true
		if got, _, err := told(t, target, report("r")); err != nil || len(got.Denied) != 1 || !strings.Contains(got.Denied[0].Error(), "GITLAB_TOKEN") || len(s.exchanges) != n {
			t.Errorf("token of a job: %+v, %v", got, err)
		}
	})
}

// TestRetries: what goes away is tried again, as late as the forge says.
func TestRetries(t *testing.T) {
	limited := func(header, value string, status int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set(header, value)
			reply(w, status, map[string]string{"message": "slow down"})
		}
	}
	for name, c := range map[string]struct {
		answer   func(http.ResponseWriter)
		times    int // of each of the requests
		min, max time.Duration
		fails    string
	}{
		"500":                      {limited("X-Any", "x", 500), 2, 2 * time.Second, 5 * time.Second, ""},
		"503 and Retry-After":      {limited("Retry-After", "7", 503), 1, 7 * time.Second, 7 * time.Second, ""},
		"429 and a date":           {limited("Retry-After", time.Unix(1_800_000_009, 0).UTC().Format(http.TimeFormat), 429), 1, 9 * time.Second, 9 * time.Second, ""},
		"403 and Retry-After":      {limited("Retry-After", "3", 403), 1, 3 * time.Second, 3 * time.Second, ""},
		"429 and a reset":          {limited("X-RateLimit-Reset", "1800000005", 429), 1, 5 * time.Second, 5 * time.Second, ""},
		"too late":                 {limited("Retry-After", "3600", 429), 1, 0, 0, "the limit ends in 1h0m0s"},
		"always":                   {limited("X-Any", "x", 502), 100, 10 * time.Second, 25 * time.Second, "502 Bad Gateway: slow down"},
		"not the API":              {func(w http.ResponseWriter) { w.Write([]byte("<html>")) }, 1, 0, 0, "the answer isn't the API's"},
		"a wrong token":            {limited("X-Any", "x", 401), 1, 0, 0, "401 Unauthorized"},
		"another host":             {func(w http.ResponseWriter) { w.Header().Set("Location", "https://evil.example/"); w.WriteHeader(307) }, 1, 0, 0, "redirects"},
		"a message with the token": {func(w http.ResponseWriter) { reply(w, 422, map[string]string{"message": "you sent " + token}) }, 1, 0, 0, "you sent …"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t, GitHub)
			left := c.times
			s.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method != http.MethodPost || strings.Contains(r.URL.Path, "/statuses/") || left == 0 {
					return false
				}
				left--
				c.answer(w)
				return true
			}
			_, waited, err := told(t, s.target(), report("r"))
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v, want %q", err, c.fails)
			}
			if waited < c.min || waited > c.max {
				t.Errorf("waited %v, want %v to %v", waited, c.min, c.max)
			}
			if got := s.mine(s.user); err == nil && len(got) != 1 {
				t.Errorf("comments %q", got)
			}
		})
	}
}

// TestCreatedTwice: the answer to a request that created a comment is lost, so it is sent again. One
// comment is left.
func TestCreatedTwice(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		lost := false
		s.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.Method != http.MethodPost || lost {
				return false
			}
			lost = true
			s.add(s.user, report("first").text())
			w.WriteHeader(502)
			return true
		}
		got, _, err := told(t, s.target(), report("second"))
		if err != nil || !got.Commented() || !slices.Equal(s.mine(s.user), []string{"second"}) {
			t.Errorf("%+v, %v, comments %q", got, err, s.mine(s.user))
		}
	})
}

// TestRemovedMeanwhile: the comment that was found is gone when it is updated.
func TestRemovedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, s *standIn) {
		s.add(s.user, report("old").text())
		s.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.Method == http.MethodPatch || r.Method == http.MethodPut {
				s.comments = nil
			}
			return false
		}
		got, _, err := told(t, s.target(), report("new"))
		if err != nil || got.Comment != "created" || !slices.Equal(s.mine(s.user), []string{"new"}) {
			t.Errorf("%+v, %v, comments %q", got, err, s.mine(s.user))
		}
	})
}

func TestCheck(t *testing.T) {
	good := Target{Kind: GitHub, API: "https://api.github.com", Project: "a/b", Commit: sha}
	if err := good.Check(report("")); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]func(t *Target, r *Report){
		"http":       func(t *Target, _ *Report) { t.API = "http://github.example/api/v3" },
		"user":       func(t *Target, _ *Report) { t.API = "https://me@github.example" },
		"no URL":     func(t *Target, _ *Report) { t.API = "github.example" },
		"path":       func(t *Target, _ *Report) { t.Project = "../x" },
		"owner":      func(t *Target, _ *Report) { t.Project = "a/b/c" },
		"short sha":  func(t *Target, _ *Report) { t.Commit = sha[:8] },
		"token":      func(t *Target, _ *Report) { t.Token = "a\nb" },
		"name":       func(_ *Target, r *Report) { r.Name = "a --> b" },
		"name's end": func(_ *Target, r *Report) { r.Name = "a-" },
		"GitLab":     func(t *Target, _ *Report) { t.Kind, t.Project = GitLab, "a/../b" },
	} {
		target, r := good, report("")
		bad(&target, r)
		if target.Check(r) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	event := `{"pull_request":{"number":12,"head":{"sha":"` + sha + `"}}}`
	for _, c := range []struct {
		kind Kind
		env  string
		want Target
		page string
	}{
		{GitHub, "GITHUB_REPOSITORY=o/r GITHUB_SHA=merge GITHUB_EVENT_PATH=event GITHUB_TOKEN=t GITHUB_SERVER_URL=https://github.com GITHUB_RUN_ID=5",
			Target{Kind: GitHub, API: "https://api.github.com", Project: "o/r", Change: 12, Commit: sha, Author: "github-actions[bot]", Token: "t"}, "https://github.com/o/r/actions/runs/5"},
		{GitHub, "GITHUB_REPOSITORY=o/r GITHUB_SHA=" + sha + " GITHUB_REF=refs/pull/3/merge GITHUB_API_URL=https://ghe.example/api/v3 GH_TOKEN=g",
			Target{Kind: GitHub, API: "https://ghe.example/api/v3", Project: "o/r", Change: 3, Commit: sha, Author: "github-actions[bot]", Token: "g"}, ""},
		{GitLab, "CI_API_V4_URL=https://gl.example/api/v4 CI_PROJECT_ID=5 CI_MERGE_REQUEST_PROJECT_ID=6 CI_MERGE_REQUEST_IID=9 CI_COMMIT_SHA=merge CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=" + sha + " GITLAB_TOKEN=t CI_JOB_TOKEN=j CI_JOB_URL=https://gl.example/j",
			Target{Kind: GitLab, API: "https://gl.example/api/v4", Project: "5", Review: "6", Change: 9, Commit: sha, Token: "t"}, "https://gl.example/j"},
		{GitLab, "CI_PROJECT_ID=5 CI_COMMIT_SHA=" + sha + " CI_JOB_TOKEN=j", Target{Kind: GitLab, API: "https://gitlab.com/api/v4", Project: "5", Commit: sha, Token: "j", JobToken: true}, ""},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(pair, "=")
			env[k] = v
		}
		got, page, err := FromEnvironment(c.kind, func(k string) string { return env[k] }, func(string) ([]byte, error) { return []byte(event), nil })
		if err != nil || got != c.want || page != c.page {
			t.Errorf("%s:\n%+v %s %v\nwant %+v %s", c.env, got, page, err, c.want, c.page)
		}
	}
}
