package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

// An inspector is the official client for the Model Context Protocol, with what names a server.
type inspector struct {
	t      *testing.T
	script string
	server []string
}

// newInspector installs the inspector; see test/inspector. Where it can't be had the test is skipped, except in CI.
func newInspector(t *testing.T) string {
	t.Helper()
	if testing.Short() && os.Getenv("HONE_REAL") == "" {
		t.Skip("installs a client from npm")
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "test", "inspector", "inspector.sh"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", script, "install").CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("CI") == "" {
		t.Skipf("== NOT TESTED: the inspector can't be had: %s", out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return script
}

// ask runs a method, and decodes its result.
func (i *inspector) ask(result any, args ...string) {
	i.t.Helper()
	cmd := exec.Command("sh", slices.Concat([]string{i.script, "run"}, i.server, args)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if jsonErr := json.Unmarshal(out, result); jsonErr != nil {
		i.t.Fatalf("%q: %v, %v\n%s%s", args, err, jsonErr, out, stderr.String())
	}
}

// tools are the names of those that there are.
func (i *inspector) tools() (names []string) {
	i.t.Helper()
	var listed struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Type string }
		}
	}
	i.ask(&listed, "--method", "tools/list")
	for _, tool := range listed.Tools {
		if tool.InputSchema.Type != "object" {
			i.t.Errorf("%s takes %q", tool.Name, tool.InputSchema.Type)
		}
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool.
func (i *inspector) call(tool string, args ...string) (text string, failed bool) {
	i.t.Helper()
	all := []string{"--method", "tools/call", "--tool-name", tool}
	for _, arg := range args {
		all = append(all, "--tool-arg", arg)
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	i.ask(&result, all...)
	if len(result.Content) != 1 {
		i.t.Fatalf("%s: %d contents", tool, len(result.Content))
	}
	return result.Content[0].Text, result.IsError
}

// TestInspector lists and calls every tool of hone mcp with the official inspector.
func TestInspector(t *testing.T) {
	script := newInspector(t)
	profile, err := filepath.Abs(testdata("cpu.json-decode.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	commitSum(t)
	gittest.Write(t, ".", map[string]string{"m.go": fasterSum})
	patch := gittest.Run(t, ".", "diff") + "\n"
	gittest.Run(t, ".", "checkout", "-q", ".")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"hone": map[string]any{
		"command": program, "args": []string{"mcp", "-allow", "run", profile}, "cwd": dir, "env": map[string]string{"HONE_TEST_HONE": "1", "PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME")},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	gittest.Write(t, filepath.Dir(file), map[string]string{"mcp.json": string(configuration)})
	i := &inspector{t, script, []string{"--config", file, "--server", "hone", "--cwd", dir}}
	if got, want := i.tools(), []string{"advise", "bench", "compare", "history", "hot", "load", "profiles", "prove", "why"}; !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("tools %q, want %q", got, want)
	}
	text, _ := i.call("profiles")
	id, _, _ := strings.Cut(strings.Split(text, "\n")[2], " ")
	patches, err := json.Marshal([]string{patch})
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer service.Close()
	for _, c := range []struct {
		tool   string
		args   []string
		want   string
		failed bool
	}{
		{"hot", []string{"profile=" + id, "by=line"}, "json.go", false},
		{"why", []string{"profile=" + id, `function=json\.Unmarshal$`}, "Callers are above", false},
		{"compare", []string{"profile=" + id, "base=" + id}, "By function", false},
		{"advise", []string{"profile=" + id}, "", false},
		{"history", []string{"service=api"}, "only hone serve keeps profiles of services", true},
		{"prove", []string{"patches=" + string(patches), "count=2"}, "right, ", false},
		{"bench", []string{`packages=["./..."]`, "count=1"}, "Sum-", false},
		{"load", []string{"url=" + service.URL, "rate=1200/m", "duration=1s"}, "answered ", false},
	} {
		text, failed := i.call(c.tool, c.args...)
		busy := c.tool == "load" && strings.Contains(text, "the run is void") // which depends on the machine
		if failed != c.failed && !busy || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v\n%s", c.tool, failed, text)
		}
	}
}

// TestInspectorServer lists and calls every tool of hone serve over HTTP.
func TestInspectorServer(t *testing.T) {
	script := newInspector(t)
	d := startServe(t, t.TempDir())
	i := &inspector{t, script, []string{d.url + "/mcp", "--transport", "http"}}
	names := i.tools()
	if want := []string{"advise", "compare", "history", "hot", "profiles", "why"}; !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("tools %q, want %q", names, want)
	}
	for tool, args := range map[string][]string{
		"profiles": nil,
		"hot":      {`profile=cpu{service="api"}`},
		"why":      {`profile=cpu{service="api"}`, "function=main"},
		"compare":  {`profile=cpu{service="api"}`, `base=cpu{service="web"}`},
		"advise":   {`profile=cpu{service="api"}`},
		"history":  {"service=api"},
	} {
		text, failed := i.call(tool, args...)
		if empty := tool == "profiles" || tool == "history"; failed == empty {
			t.Errorf("%s of an empty store: %v\n%s", tool, failed, text)
		}
	}
}
