package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// TestEditors has real editors open a file of an example that was measured, and apply a rewrite. They are real Neovim and Emacs with
// eglot; where they are missing, the test is skipped, except in CI.
func TestEditors(t *testing.T) {
	if testing.Short() {
		t.Skip("measures an example, and starts editors")
	}
	if runtime.GOOS == "windows" {
		t.Skip("scripts for Debian")
	}
	_, here, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(here), "../../test/editors/editors.sh")
	out, err := exec.Command("sh", script, "install").CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("CI") != "true" {
		fmt.Fprintf(os.Stderr, "== SKIPPED: tests in editors: %s\n", out)
		t.Skipf("no editors: %s", out)
	}
	if err != nil {
		t.Fatalf("installing editors: %v\n%s", err, out)
	}
	dir := measuredExample(t)
	store := tune.Store{Dir: filepath.Join(dir, ".hone", "advice")}
	last, err := store.Last()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(last.Findings, func(f advice.Finding) bool { return f.Rule == "regexp-per-call" && f.Fix != nil })
	if i < 0 {
		t.Fatalf("no finding has the rewrite: %+v", last.Findings)
	}
	found := last.Findings[i]
	last.Findings = last.Findings[i : i+1] // editors choose the first action
	if err := store.Keep(&advice.Report{Findings: last.Findings}, last.Benchmarks); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), "hone")
	if err := os.WriteFile(server, []byte("#!/bin/sh\nHONE_TEST_HONE=1 exec '"+self+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, editor := range []string{"nvim", "emacs"} {
		t.Run(editor, func(t *testing.T) {
			change := found.Fix.Files[0]
			if err := os.WriteFile(change.File, change.Before, 0o666); err != nil {
				t.Fatal(err)
			}
			result := filepath.Join(t.TempDir(), "result.json")
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, "sh", script, "run", editor, change.File, server, result)
			command.Env = append(os.Environ(), "HOME="+t.TempDir())
			command.WaitDelay = time.Second
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var saw struct{ Error, Diagnostic, Lens, Hover string }
			text, err := os.ReadFile(result)
			if err == nil {
				err = json.Unmarshal(text, &saw)
			}
			if err != nil || saw.Error != "" || !strings.Contains(saw.Diagnostic, found.Title) || !strings.Contains(saw.Lens, "CPU ") || !strings.Contains(saw.Lens, " · run ") ||
				!strings.HasPrefix(saw.Hover, "CPU: ") || !strings.Contains(saw.Hover, "\nCalled by ") {
				t.Errorf("%v: it saw %s\n%s", err, text, out)
			}
			if now, err := os.ReadFile(change.File); err != nil || string(now) != string(change.After) {
				t.Errorf("%v: the file became\n%s\nwant\n%s", err, now, change.After)
			}
		})
	}
}

// measuredExample is a copy of examples/visitors with a run and advice.
func measuredExample(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"greet.go", "main.go", "tuned.go", "visitors_test.go"} {
		text, err := os.ReadFile(filepath.Join("../../examples/visitors", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/visitors\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	succeed(t, "bench", "-count=1", "-benchtime=10ms", "-profiletime=1s", "-profile=cpu", "-bench=Greet/compile$", ".")
	succeed(t, "advise", "-compiler=false", "latest")
	return dir
}
