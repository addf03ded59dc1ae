package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

var initModule = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"m.go":   "package m\n\nfunc Make(n int) []byte { return make([]byte, n) }\n",
	"m_test.go": "package m\n\nimport \"testing\"\n\nvar sink []byte\n\n" +
		"func BenchmarkMake(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink = Make(1000)\n\t}\n}\n\nfunc BenchmarkOther(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n",
}

// TestInit: what hone init writes for a module passes hone check there. Without -yes, and the second
// time, nothing is written.
func TestInit(t *testing.T) {
	t.Chdir(t.TempDir())
	gittest.Write(t, ".", initModule)
	o := hone(t, "init", "-bench", "None")
	if o.code != 0 || !strings.Contains(o.stdout, "+++ b/AGENTS.md\n") || !strings.Contains(o.stderr, "nothing is written") || !strings.Contains(o.stderr, "no workflow for CI: the module isn't in a git repository") {
		t.Errorf("%+v", o)
	}
	if left, _ := os.ReadDir("."); len(left) != len(initModule) {
		t.Errorf("hone init wrote something: %v", left)
	}
	if _, err := exec.LookPath("git"); err == nil {
		exec.Command("git", "init", "-q", ".").Run()
		exec.Command("git", "remote", "add", "origin", "git@github.com:octo/m.git").Run()
	}
	o = hone(t, "init", "-bench", "Make", "-yes", "-json")
	var out struct {
		Files   []struct{ Name, Action, Patch string }
		Written []string
	}
	if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || o.code != 0 || strings.Join(out.Written, " ") != "hone.toml .github/workflows/benchmarks.yml AGENTS.md .agents/skills/hone/SKILL.md" || len(out.Files) != 4 || !strings.Contains(out.Files[0].Patch, "+benchmark = '^Make$'\n") {
		t.Fatalf("%+v %v", o, err)
	}
	succeed(t, "bench", "-bench", "Make", "-count", "2", "-benchtime", "100x", "-profile", "none", "./...")
	if checked := succeed(t, "check", "-v"); !strings.Contains(checked, " Make") || !strings.HasSuffix(checked, ": 2 met\n") {
		t.Errorf("hone check:\n%s", checked)
	}
	if o := hone(t, "init", "-bench", "None", "-yes"); o.code != 0 || o.stdout != "" || strings.Contains(o.stderr, "wrote") {
		t.Errorf("the second time: %+v", o)
	}
}

// TestInitWithout: without benchmarks, hone init says how to get some, and sets the rest up.
func TestInitWithout(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := hone(t, "init"); o.code != exitFailure || !strings.Contains(o.stderr, "run go mod init first") {
		t.Errorf("no module: %+v", o)
	}
	gittest.Write(t, ".", map[string]string{"go.mod": initModule["go.mod"], "m.go": initModule["m.go"]})
	o := hone(t, "init", "-n")
	if o.code != 0 || strings.Contains(o.stdout, "hone.toml\n") || !strings.Contains(o.stdout, "+++ b/AGENTS.md\n") || !strings.Contains(o.stderr, "hone advise -gen ./...") {
		t.Errorf("no benchmarks: %+v", o)
	}
	for args, want := range map[string]string{
		"init x": `unexpected argument "x"`, "init -yes -n": "-yes and -n can't be combined", "init -ci jenkins": `invalid -ci "jenkins"`, "init -for 0s": "invalid -for 0s",
	} {
		if o := hone(t, strings.Fields(args)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}
