package forge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// FromEnvironment returns the target that the environment variables of a CI job name, as far as
// they do, and the page of the job. readFile reads the file that describes GitHub's event.
func FromEnvironment(kind Kind, getenv func(string) string, readFile func(string) ([]byte, error)) (t Target, page string, err error) {
	if kind == GitLab {
		t, page = gitlabEnvironment(getenv)
		return t, page, nil
	}
	return githubEnvironment(getenv, readFile)
}

// DetectKind returns the forge whose CI runs this, or "".
func DetectKind(getenv func(string) string) Kind {
	switch {
	case getenv("GITLAB_CI") == "true":
		return GitLab
	case getenv("GITHUB_ACTIONS") == "true":
		return GitHub
	}
	return ""
}

func githubEnvironment(getenv func(string) string, readFile func(string) ([]byte, error)) (t Target, page string, err error) {
	t = Target{Kind: GitHub, API: defaultAPI(GitHub), Project: getenv("GITHUB_REPOSITORY"), Commit: getenv("GITHUB_SHA"), Token: getenv("GITHUB_TOKEN"), Author: "github-actions[bot]"}
	if t.Token == "" {
		t.Token = getenv("GH_TOKEN")
	}
	if api := getenv("GITHUB_API_URL"); api != "" { // of GitHub Enterprise: https://HOST/api/v3
		t.API = api
	}
	if server, run := getenv("GITHUB_SERVER_URL"), getenv("GITHUB_RUN_ID"); server != "" && run != "" && t.Project != "" {
		page = server + "/" + t.Project + "/actions/runs/" + run
	}
	if m := regexp.MustCompile(`^refs/pull/(\d+)/`).FindStringSubmatch(getenv("GITHUB_REF")); m != nil {
		t.Change, _ = strconv.Atoi(m[1])
	}
	file := getenv("GITHUB_EVENT_PATH")
	if file == "" {
		return t, page, nil
	}
	text, err := readFile(file)
	if err != nil {
		return t, page, fmt.Errorf("reading GITHUB_EVENT_PATH: %w", err)
	}
	var event struct {
		PullRequest struct {
			Number int `json:"number"`
			Head   struct {
				SHA string `json:"sha"`
			} `json:"head"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(text, &event); err != nil {
		return t, page, fmt.Errorf("reading GITHUB_EVENT_PATH: %s: %w", file, err)
	}
	// GITHUB_SHA is that of a merge which reviewers don't see.
	if event.PullRequest.Number > 0 {
		t.Change, t.Commit = event.PullRequest.Number, event.PullRequest.Head.SHA
	}
	return t, page, nil
}

func gitlabEnvironment(getenv func(string) string) (t Target, page string) {
	first := func(names ...string) string {
		for _, n := range names {
			if v := getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	t = Target{
		Kind: GitLab, API: first("CI_API_V4_URL"), Project: first("CI_PROJECT_ID", "CI_PROJECT_PATH"), Review: first("CI_MERGE_REQUEST_PROJECT_ID"),
		Commit: first("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"), Token: first("GITLAB_TOKEN"),
	}
	if t.API == "" {
		t.API = defaultAPI(GitLab)
	}
	t.Change, _ = strconv.Atoi(strings.TrimSpace(first("CI_MERGE_REQUEST_IID")))
	if t.Token == "" {
		t.Token = first("CI_JOB_TOKEN")
		t.JobToken = t.Token != ""
	}
	return t, first("CI_JOB_URL")
}
