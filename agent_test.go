package hone_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	xmodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	agentModule = "github.com/hone-go/hone/agent"
	oldestGo    = "1.22" // that the agent supports
)

// TestAgentChangesNothing has a program of the oldest Go import the agent, from a
// proxy of files that has nothing else: its go.mod gets a line, and that is all.
func TestAgentChangesNothing(t *testing.T) {
	goMod, err := os.ReadFile("agent/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "module " + agentModule + "\n\ngo " + oldestGo + "\n"; string(goMod) != want {
		t.Errorf("agent/go.mod is\n%s\nwant\n%s", goMod, want)
	}
	if makefile, err := os.ReadFile("Makefile"); err != nil || !regexp.MustCompile(`(?m)^OLDEST = go`+regexp.QuoteMeta(oldestGo)+`\.\d+$`).Match(makefile) {
		t.Errorf("the Makefile doesn't test with Go %s: %v", oldestGo, err)
	}

	const version = "v0.1.0"
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy", filepath.FromSlash(agentModule), "@v")
	user := filepath.Join(dir, "user")
	for _, d := range []string{proxy, user} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	ofUser := "module example.com/user\n\ngo " + oldestGo + "\n"
	for name, data := range map[string]string{
		filepath.Join(proxy, "list"):          version + "\n",
		filepath.Join(proxy, version+".info"): `{"Version":"` + version + `","Time":"2026-01-02T03:04:05Z"}`,
		filepath.Join(proxy, version+".mod"):  string(goMod),
		filepath.Join(user, "go.mod"):         ofUser,
		filepath.Join(user, "main.go"):        "package main\n\nimport \"" + agentModule + "\"\n\nfunc main() { defer agent.Parse()() }\n",
	} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(proxy, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, xmodule.Version{Path: agentModule, Version: version}, "agent"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	url := "file://" + filepath.ToSlash(filepath.Join(dir, "proxy"))
	if runtime.GOOS == "windows" {
		url = "file:///" + filepath.ToSlash(filepath.Join(dir, "proxy"))
	}
	for _, args := range [][]string{{"get", agentModule + "@latest"}, {"mod", "tidy"}, {"vet", "./..."}, {"mod", "verify"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = user
		cmd.Env = append(os.Environ(), "GOPROXY="+url, "GOSUMDB=off", "GOMODCACHE="+filepath.Join(dir, "cache"),
			"GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	got, err := os.ReadFile(filepath.Join(user, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := ofUser + "\nrequire " + agentModule + " " + version + "\n"; string(got) != want {
		t.Errorf("go.mod became\n%s\nwant\n%s", got, want)
	}
	sums, err := os.ReadFile(filepath.Join(user, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		if !strings.HasPrefix(line, agentModule+" ") {
			t.Errorf("go.sum has %s", line)
		}
	}
}
