package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// hostile makes a repository in which whatever git can be made to run by the repository
// writes a file to the folder marks, under the name of what ran.
func hostile(t *testing.T) (dir, marks string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "gitconfig"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, marks = t.TempDir(), t.TempDir()
	plain := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	mark := func(name string) string {
		put(".git/"+name+".sh", "#!/bin/sh\ntouch '"+marks+"/"+name+"'\ncat\n", 0o700)
		return filepath.Join(dir, ".git", name+".sh")
	}
	plain("init", "-q")
	put(".gitattributes", "*.txt filter=evil diff=evil\n*.bin filter=a=b\n*.lfs filter=lfs\n", 0o600)
	put("a.txt", "first\n", 0o600)
	put("b.bin", "first\n", 0o600)
	put("c.lfs", "first\n", 0o600)
	plain("add", ".")
	plain("commit", "-q", "-m", "first")
	put("a.txt", "secnd\n", 0o600) // as long as before: git has to look inside
	put("b.bin", "secnd\n", 0o600)
	put("c.lfs", "secnd\n", 0o600)
	for _, f := range []string{"evil", "a=b"} {
		for _, v := range []string{"clean", "smudge"} {
			plain("config", "--add", "filter."+f+"."+v, mark("filter-"+f+"-"+v)) // git cuts none of these at "="
		}
		plain("config", "filter."+f+".required", "true")
	}
	plain("config", "filter.evil.process", mark("filter-evil-process"))
	plain("config", "core.fsmonitor", mark("fsmonitor"))
	plain("config", "diff.external", mark("diff-external"))
	plain("config", "diff.evil.command", mark("diff-command"))
	plain("config", "diff.evil.textconv", mark("diff-textconv"))
	plain("config", "core.pager", mark("pager"))
	plain("config", "core.sshCommand", mark("ssh"))
	plain("config", "core.alternateRefsCommand", mark("alternate-refs"))
	plain("config", "lfs.customtransfer.evil.path", mark("lfs-transfer"))
	for _, h := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction", "pre-commit"} {
		put(".git/hooks/"+h, "#!/bin/sh\ntouch '"+marks+"/hook-"+h+"'\n", 0o700)
	}
	return dir, marks
}

func ran(t *testing.T, marks string) []string {
	t.Helper()
	entries, err := os.ReadDir(marks)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// questions are all that hone asks git.
var questions = [][]string{
	{"rev-parse", "--show-toplevel"},
	{"rev-parse", "--verify", "HEAD"},
	{"config", "--get", "user.name"},
	{"for-each-ref", "--format=%(refname:short)"},
	{"ls-files", "--others", "--exclude-standard", "-z"},
	{"ls-tree", "-r", "-z", "--full-tree", "HEAD"},
	{"cat-file", "-e", "HEAD"},
	{"status", "--porcelain", "--untracked-files=all", "--ignored"},
	{"diff", "--name-only", "-z", "HEAD", "--", "."},
	{"diff", "HEAD", "--", "."},
	{"read-tree", "HEAD"},
	{"checkout-index", "--all", "--force"},
}

func TestNothingOfTheRepositoryRuns(t *testing.T) {
	dir, marks := hostile(t)
	// The user's own filter for LFS would ask what the repository names.
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte("[filter \"lfs\"]\n\tclean = touch '"+marks+"/lfs'; cat\n\tsmudge = touch '"+marks+"/lfs'; cat\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		env := []string{"GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "index")}
		if q[0] == "status" || q[0] == "diff" || q[0] == "ls-files" {
			env = nil
		} else if _, err := Run(t.Context(), dir, env, nil, "read-tree", "HEAD"); err != nil {
			t.Fatal(err)
		}
		if q[0] == "checkout-index" {
			q = append(slices.Clone(q), "--prefix="+t.TempDir()+"/")
		}
		if _, err := Run(t.Context(), dir, env, nil, q...); err != nil && q[0] != "config" {
			t.Errorf("git %v: %v", q, err)
		}
		if names := ran(t, marks); len(names) > 0 {
			t.Errorf("git %v ran %q", q, names)
		}
	}
	if t.Failed() {
		return
	}
	// The test can fail: git as it is runs them.
	for _, args := range [][]string{
		{"status", "--porcelain"}, {"config", "--unset", "filter.evil.process"}, {"status", "--porcelain"}, {"diff", "HEAD"}, {"checkout-index", "--all", "--force"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Run()
	}
	names := ran(t, marks)
	for _, want := range []string{"fsmonitor", "diff-external", "filter-evil-process", "filter-evil-clean", "filter-evil-smudge", "filter-a=b-clean", "filter-a=b-smudge"} {
		if !slices.Contains(names, want) {
			t.Errorf("plain git ran %q, not %s: this test shows nothing of it", names, want)
		}
	}
}

func TestFiltersOfTheUserRun(t *testing.T) {
	dir, _ := hostile(t)
	plain := exec.Command("git", "config", "--unset-all", "lfs.customtransfer.evil.path")
	plain.Dir = dir
	if out, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte("[filter \"lfs\"]\n\tsmudge = tr a-z A-Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	index, to := []string{"GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "index")}, t.TempDir()
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"checkout-index", "--all", "--prefix=" + to + "/"}} {
		if _, err := Run(t.Context(), dir, index, nil, args...); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a.txt": "first\n", "b.bin": "first\n", "c.lfs": "FIRST\n"} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
	}
	if names, err := Filters(t.Context(), dir); err != nil || !slices.Equal(slices.Sorted(slices.Values(names)), []string{"a=b", "evil"}) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	for _, command := range []string{"status", "rev-parse"} {
		if _, err := Run(t.Context(), dir, nil, nil, command, "HEAD"); !errors.Is(err, ErrNoRepository) {
			t.Errorf("%s: %v", command, err)
		}
	}
	if _, err := Run(t.Context(), dir, nil, nil, "no-such-command"); err == nil || !strings.HasPrefix(err.Error(), "git no-such-command: ") || errors.Is(err, ErrNoRepository) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, dir, nil, nil, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", "")
	if _, err := Run(t.Context(), dir, nil, nil, "status"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
