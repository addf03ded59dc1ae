package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/bench/history"
)

// readModules shows the rewrites for modules, which are named with commas between, or
// one a line in a file after @.
func readModules(o *options, names string) error {
	list := strings.Split(names, ",")
	if file, ok := strings.CutPrefix(names, "@"); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		list = strings.Fields(string(text))
	}
	// A version of a module lacks the others of its repository, which its go.work names.
	if err := os.Setenv("GOWORK", "off"); err != nil {
		return err
	}
	for _, name := range list {
		if err := rewrites(o, name); err != nil {
			fmt.Printf("%s: not measured: %v\n", name, err)
		}
	}
	return nil
}

// rewrites shows what hone would rewrite in a module as it is, for judging by reading,
// and whether that builds and passes the tests. Each is followed by what precision.jsonl
// wants to know, but for the verdict.
func rewrites(o *options, name string) error {
	ctx, end := context.WithTimeout(context.Background(), o.timeout+20*time.Minute)
	defer end()
	dir, done, err := o.folder(&testCase{ID: strings.ReplaceAll(name, "/", "+")})
	if err != nil {
		return err
	}
	defer done()
	if err := os.RemoveAll(dir); err != nil { // what another run has kept there
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	revision, err := o.layOutModule(ctx, name, dir)
	if err != nil {
		return err
	}
	inTime, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	cmd := exec.CommandContext(inTime, o.hone, "advise", "-json", "-vet=off", "-profiletime", o.time, "./...")
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var report struct {
		Findings []struct {
			finding
			Title, Why string
			Fix        *struct{ Diff string }
		}
	}
	if err := decode(cmd, &report); err != nil {
		return err
	}
	fmt.Printf("%s %s: %d findings", name, revision, len(report.Findings))
	if inTime.Err() != nil {
		fmt.Printf(", of what was profiled in %v", o.timeout)
	}
	fmt.Println()
	repo := strings.TrimPrefix(name, "github.com/")
	for _, f := range report.Findings {
		if f.Fix == nil || o.judged.know(repo, f.ID) {
			continue
		}
		checking, cancel := context.WithTimeout(ctx, 10*time.Minute)
		out, _ := history.Run(checking, dir, o.hone, "fix", "-check", "-vet=off", "-dirty", "-short", f.ID)
		cancel()
		fact, err := json.Marshal(map[string]any{
			"repo": repo, "commit": revision, "id": f.ID, "rule": f.Rule, "class": f.Class,
			"file": filepath.ToSlash(relative(dir, f.File)), "line": f.Line, "function": f.Function,
		})
		if err != nil {
			return err
		}
		fmt.Printf("%s %s %s\n%s\n%s\n", f.Class, f.ID, f.Title, f.Why, f.Fix.Diff)
		fmt.Printf("=> %s\n%s\n\n", strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "\n   "), fact)
	}
	return nil
}

// layOutModule writes the newest revision of a repository of -repos, or the newest
// version of a module, and says which that is.
func (o *options) layOutModule(ctx context.Context, name, dir string) (string, error) {
	if repo, err := history.Find(o.repos, name); err == nil {
		revision, err := history.Run(ctx, dir, "git", "--git-dir="+repo, "rev-parse", "HEAD")
		if err != nil {
			return "", fmt.Errorf("git rev-parse: %s", history.FirstLine(revision))
		}
		return strings.TrimSpace(string(revision)), history.Checkout(ctx, repo, "HEAD", dir)
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", name+"@latest")
	cmd.Dir = dir
	out, err := cmd.Output()
	var module struct{ Version, Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil || module.Dir == "" {
		return "", fmt.Errorf("go mod download: %s", cmp.Or(module.Error, fmt.Sprint(errors.Join(err, jsonErr))))
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		return "", err
	}
	if err := history.MakeModule(ctx, name, dir); err != nil {
		return "", err
	}
	return module.Version, errors.Join(history.Git(ctx, dir, "init", "-q"), history.Git(ctx, dir, "add", "-A"), history.Git(ctx, dir, "commit", "-q", "-m", module.Version))
}
