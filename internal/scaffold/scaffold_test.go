package scaffold

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/git/gittest"
)

// seriesOf makes samples of a benchmark.
func seriesOf(pkg, benchmark, unit string, values ...float64) experiment.Series {
	s := experiment.Series{Key: experiment.Key{Package: pkg, Benchmark: benchmark, Unit: unit}}
	for _, v := range values {
		s.Samples = append(s.Samples, experiment.Sample{Slot: experiment.Slot{Side: experiment.Head}, Value: v})
	}
	return s
}

var quiet = []experiment.Series{
	seriesOf("p", "Parse-2", "ns/op", 1000, 1010, 990, 1000, 1005, 1000), seriesOf("p", "Parse-2", "allocs/op", 3, 3, 3, 3, 3, 3), seriesOf("p", "Parse-2", "B/op", 9, 9, 9, 9, 9, 9),
}

// TestObjectives: what hone init writes can be read, the measured code meets it, and its limits follow
// from the noise.
func TestObjectives(t *testing.T) {
	noisy := []experiment.Series{
		seriesOf("p", "Map-2", "ns/op", 1000, 1900, 700, 1500, 1300, 1000), seriesOf("p", "Map-2", "allocs/op", 100, 104, 98, 100, 101, 99),
		seriesOf("q", `Odd/it's_"x"\d+#01-2`, "ns/op", 5e9, 5e9, 5e9, 5e9, 5e9, 5e9), seriesOf("q", "Zero-2", "allocs/op", 0, 0, 0, 0, 0, 0), seriesOf("q", "Zero-2", "ns/op", 0.3, 0.3, 0.3, 0.3, 0.3, 0.3),
		seriesOf("q", "Single-2", "ns/op", 7), seriesOf("q", "A\u0085\x7f-2", "allocs/op", 2, 2, 2, 2, 2, 2),
	}
	for name, c := range map[string]struct {
		series []experiment.Series
		want   []string
		n      int // objectives
	}{
		"quiet": {quiet, []string{`budget = "2%"`, "# 3 allocations per call: the same in all samples", "benchmark = '^Parse$'\nmetric = \"allocs/op\"\nmax = 3\n", `max = "2µs"`}, 3},
		"noisy": {noisy, []string{`budget = "2%"`, "# 100 allocations per call ± 4%", "max = 110\n", `max = "4.2µs"`, "package = '^q$'", `max = "10s"`, `max = "0.6ns"`}, 7},
	} {
		text := Objectives(c.series)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", name, want, text)
			}
		}
		objectives, err := objective.Parse("hone.toml", []byte(text))
		if err != nil || len(objectives) != c.n {
			t.Fatalf("%s: %d objectives, %v\n%s", name, len(objectives), err, text)
		}
		for _, o := range objective.Evaluate(objectives, c.series, nil, nil) {
			if o.Status != objective.Met {
				t.Errorf("%s: %s", name, o.Text)
			}
		}
		// Nothing is missing of what was written.
		if missing := Missing(c.series, objectives); missing != "" {
			t.Errorf("%s: missing\n%s", name, missing)
		}
	}
	var many []experiment.Series
	for i := range 100 {
		many = append(many, seriesOf("p", fmt.Sprintf("B%d-2", i), "ns/op", 1, 1, 1, 1, 1, 1))
	}
	if text := Objectives(many); strings.Count(text, "[[objective]]") != 1+mostObjectives || !strings.Contains(text, "# 80 more benchmarks") {
		t.Error(text)
	}
}

// moduleIn makes a module with files in a git repository.
func moduleIn(t *testing.T, files map[string]string) *Module {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n"
	}
	gittest.Write(t, dir, files)
	return &Module{Dir: dir, File: "go.mod", Packages: []string{"./..."}, Repository: "."}
}

func planned(t *testing.T, m *Module, ci CI) []File {
	t.Helper()
	all, err := Plan(t.Context(), m, ci, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func actions(all []File) string {
	var parts []string
	for _, f := range all {
		parts = append(parts, string(f.Action)+" "+f.Name)
	}
	return strings.Join(parts, ", ")
}

// TestTwice: the second time there is nothing to do, whatever was there before.
func TestTwice(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		ci    CI
		want  string
	}{
		"new":     {map[string]string{}, GitHub, "create hone.toml, create .github/workflows/benchmarks.yml, create AGENTS.md, create .agents/skills/hone/SKILL.md"},
		"no CI":   {map[string]string{}, NoCI, "create hone.toml, create AGENTS.md, create .agents/skills/hone/SKILL.md"},
		"Claude":  {map[string]string{"CLAUDE.md": "x"}, GitLab, "create hone.toml, create .gitlab-ci.yml, create AGENTS.md, create .agents/skills/hone/SKILL.md, create .claude/skills/hone/SKILL.md"},
		"all own": {map[string]string{"AGENTS.md": "Be nice.", "hone.toml": "# mine\n", ".gitlab-ci.yml": "x: y\n", ".agents/skills/hone/SKILL.md": "mine"}, GitLab, "keep hone.toml, keep .gitlab-ci.yml, append AGENTS.md, keep .agents/skills/hone/SKILL.md"},
		"empty":   {map[string]string{"AGENTS.md": "", "hone.toml": "[["}, NoCI, "keep hone.toml, append AGENTS.md, create .agents/skills/hone/SKILL.md"},
	} {
		m := moduleIn(t, c.files)
		first := planned(t, m, c.ci)
		if got := actions(first); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		written, err := Write(m, first)
		if err != nil || len(written) != strings.Count(c.want, "create")+strings.Count(c.want, "append") {
			t.Errorf("%s: wrote %v, %v", name, written, err)
		}
		for file, before := range c.files {
			if after, _ := os.ReadFile(filepath.Join(m.Dir, file)); !strings.HasPrefix(string(after), before) || file != "AGENTS.md" && string(after) != before {
				t.Errorf("%s: %s had %q, has %q", name, file, before, after)
			}
		}
		second := planned(t, m, c.ci)
		if slices.ContainsFunc(second, func(f File) bool { return f.Action != Keep }) {
			t.Errorf("%s: the second time: %s", name, actions(second))
		}
		if written, err := Write(m, second); err != nil || len(written) > 0 {
			t.Errorf("%s: the second time: wrote %v, %v", name, written, err)
		}
	}
}

// TestPatch: what is shown is a patch that has the same effect.
func TestPatch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	files := map[string]string{"AGENTS.md": "# Ours\n\nBe nice.\n"}
	m, patched := moduleIn(t, files), moduleIn(t, files)
	all := planned(t, m, GitHub)
	var patch strings.Builder
	for i := range all {
		patch.WriteString(all[i].Diff())
	}
	apply := exec.Command("git", "apply", "-")
	apply.Dir, apply.Stdin = patched.Dir, strings.NewReader(patch.String())
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, patch.String())
	}
	if _, err := Write(m, all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		want, _ := os.ReadFile(filepath.Join(m.Dir, f.Name))
		if got, _ := os.ReadFile(filepath.Join(patched.Dir, f.Name)); string(got) != string(want) || len(want) == 0 {
			t.Errorf("%s: the patch makes\n%s\nand Write\n%s", f.Name, got, want)
		}
	}
}

// TestMissingObjectives: of a hone.toml that is there, only what it lacks is shown.
func TestMissingObjectives(t *testing.T) {
	for have, want := range map[string]int{
		"": 3,
		"[[objective]]\nbenchmark = \"Parse\"\nmetric = \"ns/op\"\nmax = \"1s\"\n":                                                                                         2,
		"[[objective]]\nbenchmark = \"Parse\"\nmetric = \"ns/op\"\nmax = \"1s\"\nbudget = \"5%\"\n[[objective]]\nbenchmark = \"Parse\"\nmetric = \"allocs/op\"\nmax = 9\n": 0,
		"[[objective": 0,
	} {
		m := moduleIn(t, map[string]string{"hone.toml": have})
		f := planned(t, m, NoCI)[0]
		if n := strings.Count(f.Diff(), "+[[objective]]"); f.Action != Keep || n != want {
			t.Errorf("%q: %s, %d objectives, want %d\n%s", have, f.Action, n, want, f.Diff())
		}
	}
}

// TestOutside: links don't lead out of the module, and what can't be written is an error that leaves
// other files alone.
func TestOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	outside := t.TempDir()
	gittest.Write(t, outside, map[string]string{"AGENTS.md": "theirs\n", "skills/x": "x"})
	for name, prepare := range map[string]func(dir string) error{
		"a file": func(dir string) error {
			return os.Symlink(filepath.Join(outside, "AGENTS.md"), filepath.Join(dir, "AGENTS.md"))
		},
		"a folder":  func(dir string) error { return os.Symlink(outside, filepath.Join(dir, ".agents")) },
		"nothing":   func(dir string) error { return os.Symlink("none", filepath.Join(dir, "AGENTS.md")) },
		"no folder": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".agents"), nil, 0o666) },
		"read-only": func(dir string) error {
			if os.Geteuid() == 0 {
				return errors.ErrUnsupported // root may write anyway
			}
			return os.Chmod(dir, 0o555)
		},
	} {
		m := moduleIn(t, map[string]string{})
		if err := prepare(m.Dir); errors.Is(err, errors.ErrUnsupported) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		all, err := Plan(t.Context(), m, GitHub, quiet)
		if err == nil {
			_, err = Write(m, all)
		}
		if err == nil {
			t.Errorf("a link to %s: written", name)
		}
		os.Chmod(m.Dir, 0o755)
	}
	if text, _ := os.ReadFile(filepath.Join(outside, "AGENTS.md")); string(text) != "theirs\n" {
		t.Errorf("written outside: %s", text)
	}
	if names, _ := os.ReadDir(filepath.Join(outside, "skills")); len(names) != 1 {
		t.Errorf("written outside: %v", names)
	}
	// A link within the module is fine.
	m := moduleIn(t, map[string]string{"doc/AGENTS.md": "ours\n"})
	if err := os.Symlink("doc/AGENTS.md", filepath.Join(m.Dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(m, planned(t, m, NoCI)); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(filepath.Join(m.Dir, "doc/AGENTS.md")); !strings.HasPrefix(string(text), "ours\n\n"+sectionStart) {
		t.Errorf("%s", text)
	}
}

// TestMeanwhile: what appears or changes between showing and writing stays as it is.
func TestMeanwhile(t *testing.T) {
	m := moduleIn(t, map[string]string{"AGENTS.md": "a\n"})
	all := planned(t, m, NoCI)
	gittest.Write(t, m.Dir, map[string]string{"AGENTS.md": "b\n"})
	if _, err := Write(m, all[1:]); err == nil || !strings.Contains(err.Error(), "has changed meanwhile") {
		t.Errorf("%v", err)
	}
	gittest.Write(t, m.Dir, map[string]string{"hone.toml": "mine\n"})
	if _, err := Write(m, all); err == nil || !strings.Contains(err.Error(), "has appeared meanwhile") {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{"AGENTS.md": "b\n", "hone.toml": "mine\n"} {
		if got, _ := os.ReadFile(filepath.Join(m.Dir, name)); string(got) != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestFindModule(t *testing.T) {
	dir := t.TempDir()
	gittest.Write(t, dir, map[string]string{
		"work/go.work": "go 1.26\nuse ./a\nuse (\n\t./b/c\n\t../out\n)\n", "work/a/go.mod": "module a\n", "work/a/sub/x": "", "work/b/c/go.mod": "module c\n",
		"empty/go.work": "go 1.26\nuse ../out\n", "none/x": "",
	})
	for at, want := range map[string]string{
		"work": "work go.work ./a/... ./b/c/...", "work/a": "work/a go.mod ./...", "work/a/sub": "work/a go.mod ./...",
	} {
		m, err := FindModule(t.Context(), filepath.Join(dir, at))
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		rel, _ := filepath.Rel(dir, m.Dir)
		if got := filepath.ToSlash(rel) + " " + m.File + " " + strings.Join(m.Packages, " "); got != want || m.Repository != "" {
			t.Errorf("%s: %s, want %s (repository %q)", at, got, want, m.Repository)
		}
	}
	if m, err := FindModule(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, ErrNoModule) {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := FindModule(t.Context(), filepath.Join(dir, "empty")); err == nil {
		t.Errorf("%+v", m)
	}
	m := &Module{File: "go.work", Packages: []string{"./a/...", "./b/c/..."}}
	if w := m.workflow(GitHub); !strings.Contains(w, `hone bench -against "$BASE" ./a/... ./b/c/... ||`) || strings.Contains(w, " ./... ") || !strings.Contains(w, "go-version-file: go.work") {
		t.Error(w)
	}
}

func TestCI(t *testing.T) {
	for remote, want := range map[string]CI{
		"git@github.com:o/r.git": GitHub, "https://github.com/o/r": GitHub, "ssh://git@github.corp.example:22/o/r": GitHub, "https://gitlab.com/g/r.git": GitLab,
		"git@gitlab.corp.example:g/r": GitLab, "": NoCI, "../r": NoCI, "https://example.com/github.com/r": NoCI, "/srv/github.com:x": NoCI, "https://token@bitbucket.org/o/r": NoCI,
	} {
		if got := (&Module{Remote: remote}).CI(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

// TestSkill: what agents read is short.
func TestSkill(t *testing.T) {
	for _, name := range []string{"skill.md", "agents.md"} {
		if n := strings.Count(text(name), "\n"); n > 60 {
			t.Errorf("%s has %d lines, want at most 60", name, n)
		}
	}
}
