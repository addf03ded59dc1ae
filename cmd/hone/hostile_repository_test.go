package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestHostileRepository: verbs that ask git, or have the go command ask it, run nothing that
// the repository's own configuration names.
func TestHostileRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	benchModule(t)
	if err := os.MkdirAll("cmd/m", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "cmd/m/main.go", "package main\n\nimport \"example.com/m\"\n\nfunc main() { m.Make() }\n") // which builds stamp
	write(t, ".gitattributes", "*.go filter=evil diff=evil\n")
	marks := t.TempDir()
	evil := func(name string) string {
		script := filepath.Join(marks, name+".sh")
		if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch '"+filepath.Join(marks, name+".ran")+"'\ncat\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return script
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("add", "-A")
	git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "fast")
	edit(t, "range 1", "range 2")
	for _, h := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman"} {
		if err := os.Symlink(evil("hook-"+h), filepath.Join(".git", "hooks", h)); err != nil {
			t.Fatal(err)
		}
	}
	for key, name := range map[string]string{
		"core.fsmonitor": "fsmonitor", "diff.external": "diff", "diff.evil.textconv": "textconv", "core.pager": "pager",
		"filter.evil.clean": "clean", "filter.evil.smudge": "smudge",
	} {
		git("config", key, evil(name))
	}
	for _, args := range [][]string{
		{"bench", "-count", "1", "-benchtime", "1x", "-profile", "cpu", "-against", "HEAD", "."},
		{"prove", "-count", "1", "-benchtime", "1x"}, {"advise", "./..."}, {"tune", "-count", "1", "-benchtime", "1x", "./..."},
	} {
		o := hone(t, args...)
		if args[0] == "bench" && o.code != exitOK {
			t.Errorf("%v: %+v", args, o)
		}
		if args[0] == "bench" && !strings.Contains(o.stderr, `without filter "evil"`) {
			t.Errorf("that the filter didn't run is not said: %s", o.stderr)
		}
		ran, err := filepath.Glob(filepath.Join(marks, "*.ran"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range ran {
			t.Errorf("hone %v ran %s", args, filepath.Base(name))
			os.Remove(name)
		}
	}
	git("-c", "core.pager=cat", "diff") // The test can fail: git as it is runs them.
	if ran, _ := filepath.Glob(filepath.Join(marks, "*.ran")); len(ran) == 0 {
		t.Error("git itself ran nothing")
	}
}
