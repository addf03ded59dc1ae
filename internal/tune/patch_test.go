package tune

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/experiment"
)

// TestPatch has git take patches, by git apply and by git am.
func TestPatch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, c := range []struct {
		what, name, address string // user.name and user.email
		want                string
		top                 string // of the repository, from the module
	}{
		{"an author", "Jürgen K. Öz, Jr", "j@example.com", "Jürgen K. Öz, Jr <j@example.com>", "."},
		{"plain", "A Person", "a@example.com", "A Person <a@example.com>", "."},
		{"no author", "", "", "hone <hone@localhost>", "."},
		{"a module in a subfolder", "A Person", "a@example.com", "A Person <a@example.com>", ".."},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow, "sub/more.go": "package sub\n"})
			git := func(args ...string) string {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			git("init", "-q", filepath.Join(dir, c.top))
			git("add", ".")
			git("commit", "-q", "-m", "first")
			if c.name != "" {
				git("config", "user.name", c.name)
				git("config", "user.email", c.address)
			}
			f := finding(dir, slow, fast)
			f.Fix.Files = append(f.Fix.Files,
				advice.FileChange{File: filepath.Join(dir, "sub", "more.go"), Before: []byte("package sub\n"), After: []byte("package sub // more\n")},
				advice.FileChange{File: filepath.Join(dir, "m_new_test.go"), New: true, After: []byte("package m\n")})
			f.Why = "There are “quotes”, and\nFrom the start of a line on, dots.\n"
			r := &Result{
				Finding: f.ID, State: advice.Confirmed, Kept: true, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
				Changes: []Change{{Benchmark: "Length-2", Unit: "ns/op", Before: 100, After: 5, Verdict: "faster", Confirmed: true}, {Benchmark: "Length-2", Unit: experiment.CPUTime, Verdict: "judged by ns/op", JudgedBy: "ns/op"}},
			}
			if err := (Store{Dir: filepath.Join(dir, ".hone", "advice")}).Record(r, f); err != nil {
				t.Fatal(err)
			}
			git("apply", r.Patch)
			if got := read(t, filepath.Join(dir, "m.go")); got != fast {
				t.Errorf("git apply leaves\n%s", got)
			}
			if got := read(t, filepath.Join(dir, "m_new_test.go")); got != "package m\n" {
				t.Errorf("git apply adds\n%s", got)
			}
			if got := read(t, filepath.Join(dir, "sub", "more.go")); got != "package sub // more\n" {
				t.Errorf("git apply leaves the other file as\n%s", got)
			}
			git("checkout", "-q", "sub/more.go")
			if err := errors.Join(os.WriteFile(filepath.Join(dir, "m.go"), []byte(slow), 0o640), os.Remove(filepath.Join(dir, "m_new_test.go"))); err != nil {
				t.Fatal(err)
			}
			git("am", r.Patch)
			if got := read(t, filepath.Join(dir, "m.go")); got != fast {
				t.Errorf("git am leaves\n%s", got)
			}
			if got, want := git("log", "-1", "--format=%an <%ae>|%aI|%s"), c.want+"|2026-03-04T05:06:07+00:00|m: speed up Length (test)"; strings.Replace(got, "07Z", "07+00:00", 1) != want {
				t.Errorf("git log has %s, want %s", got, want)
			}
			if got := git("log", "-1", "--format=%b"); !strings.Contains(got, "In Length, it is slow.\n\nThere are “quotes”") || !strings.Contains(got, "100 → 5 ") || strings.Contains(got, experiment.CPUTime) {
				t.Errorf("the message is\n%s", got)
			}
		})
	}
	if got := author(filepath.Join(t.TempDir(), "not", "there")); got != nobody {
		t.Errorf("of no folder: %v", got)
	}
}
