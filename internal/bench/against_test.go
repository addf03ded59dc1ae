package bench

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// allocating is a package whose benchmark makes n allocations: a change that
// any machine measures the same.
func allocating(n string) map[string]string {
	return map[string]string{
		"alloc/alloc.go": "package alloc\n\nvar sink []*int\n\nfunc Make() {\n\tsink = sink[:0]\n\tfor range " + n + " {\n\t\tsink = append(sink, new(int))\n\t}\n}\n",
		"alloc/alloc_test.go": `package alloc

import "testing"

func BenchmarkMake(b *testing.B) {
	for range b.N {
		Make()
	}
}
`,
	}
}

const emptyBenchmark = "package %s\n\nimport \"testing\"\n\nfunc Benchmark%s(b *testing.B) {}\n"

func empty(pkg, name string) string {
	return strings.NewReplacer("%s\n\n", pkg+"\n\n", "k%s", "k"+name).Replace(emptyBenchmark)
}

func against(t *testing.T, b *Bench, ref string) (*Report, *experiment.Run) {
	t.Helper()
	report, err := b.Against(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if report.Dir == "" {
		return report, nil
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return report, run
}

func TestAgainst(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{
		"go.mod": goMod, "same/same_test.go": empty("same", "Same"), "old/old_test.go": empty("old", "Old"),
		"both/gone_test.go": empty("both", "Gone"), "both/both_test.go": empty("both", "Both"),
		"data/data_test.go": empty("data", "Data"), "data/testdata/input": "1",
	})
	commit(t, dir, allocating("3"))
	runGit(t, dir, "branch", "start")
	os.RemoveAll(filepath.Join(dir, "old"))
	os.Remove(filepath.Join(dir, "both", "gone_test.go"))
	commit(t, dir, allocating("5"))
	// Not committed, and in part not even known to git.
	write(t, dir, allocating("7"))
	write(t, dir, map[string]string{"both/new_test.go": empty("both", "New"), "fresh/fresh_test.go": empty("fresh", "Fresh"), "data/testdata/input": "2"})

	b := quickBench(t, dir)
	b.PreCheck, b.Benchtime.Iterations = 2, 10_000 // what the runtime allocates now and then has to vanish in rounding
	b.Profiles, b.TestFiles = []string{"mem"}, EachTests
	before := runGit(t, dir, "status", "--porcelain")
	report, run := against(t, b, "start")
	if got := runGit(t, dir, "status", "--porcelain"); got != before {
		t.Errorf("status was\n%sis\n%s", before, got)
	}
	if got := runGit(t, dir, "worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
	if !slices.Equal(report.Unchanged, []string{"example.com/m/same"}) {
		t.Errorf("unchanged: %q", report.Unchanged)
	}
	if want := []string{"example.com/m/both.New-2", "example.com/m/fresh.Fresh-2"}; !slices.Equal(withProcs(report.New), want) {
		t.Errorf("new: %q", report.New)
	}
	if want := []string{"example.com/m/both.Gone-2", "example.com/m/old"}; !slices.Equal(withProcs(report.Gone), want) {
		t.Errorf("gone: %q", report.Gone)
	}
	if len(report.Failures) > 0 {
		t.Errorf("failures: %+v", report.Failures)
	}

	verdicts := make(map[string]*experiment.Comparison)
	for i := range report.Family.Comparisons {
		c := &report.Family.Comparisons[i]
		verdicts[c.Package+"."+c.Benchmark[:strings.IndexByte(c.Benchmark+"-", '-')]+" "+c.Unit] = c
	}
	c := verdicts["example.com/m/alloc.Make allocs/op"]
	if c == nil || c.Verdict != experiment.Worse || c.Confirmation != experiment.Agreed || c.Base.Center != 3 || c.Head.Center != 7 {
		t.Fatalf("verdict on allocations: %v %v→%v %s %s", c.Key, c.Base.Center, c.Head.Center, c.Words(), c.Confirmation)
	}
	if verdicts["example.com/m/data.Data ns/op"] == nil {
		t.Error("a package with other test data was not measured")
	}
	if c := verdicts["example.com/m/both.New ns/op"]; c == nil || c.Verdict != experiment.OneSided {
		t.Errorf("the new benchmark: %+v", c)
	}
	if len(report.Family.Regressions()) == 0 || len(report.Changed) == 0 || report.Changed[0].Package != "example.com/m/alloc" {
		t.Errorf("regressions %+v, changed %+v", report.Family.Regressions(), report.Changed)
	}

	// What the run says is what was said.
	again, err := run.Compare(b.CompareOptions())
	if err != nil || len(again.Comparisons) != len(report.Family.Comparisons) {
		t.Fatal(err)
	}
	for i, c := range again.Comparisons {
		if c.Verdict != report.Family.Comparisons[i].Verdict {
			t.Errorf("%s: %s, was %s", c.Key, c.Verdict, report.Family.Comparisons[i].Verdict)
		}
	}
	if run.Base == nil || run.Base.Name != "start" || len(run.Base.Commit) != 40 || !run.Head.Dirty {
		t.Errorf("base %+v, head %+v", run.Base, run.Head)
	}
	if !slices.ContainsFunc(run.Notes, func(n string) bool { return strings.HasPrefix(n, "example.com/m/same: no change") }) {
		t.Errorf("notes %q", run.Notes)
	}
	// The sides ran the same number of iterations, and as scheduled.
	pairs := 0
	for _, r := range run.Results(experiment.Measure, experiment.Head) {
		for _, base := range run.Results(experiment.Measure, experiment.Base) {
			if base.GetConfig("pkg") == r.GetConfig("pkg") && base.Name.String() == r.Name.String() && base.Block == r.Block {
				pairs++
				if base.Iters != r.Iters {
					t.Errorf("%s: %d and %d iterations", r.Name, base.Iters, r.Iters)
				}
			}
		}
	}
	if pairs == 0 {
		t.Error("no block has both sides")
	}
	for _, side := range []string{"", "base/"} {
		if _, err := run.Profile(side + "Make/mem"); err != nil {
			t.Error(err)
		}
	}
	if n := len(run.Results(experiment.PreCheck, experiment.Base)); n != 2*2 { // not of both.Both, which runs nothing that changed
		t.Errorf("%d samples of the pre-check", n)
	}

	// A budget lets it pass.
	b = quickBench(t, dir)
	b.Packages, b.Benchtime.Iterations = []string{"./alloc"}, 10_000
	b.Budget = func(experiment.Key) float64 { return 5 }
	if report, _ := against(t, b, "start"); len(report.Family.Regressions()) > 0 {
		t.Errorf("regressions within the budget: %+v", report.Family.Regressions())
	}
}

// withProcs puts a CPU count of 2 behind names, on whatever machine this is.
func withProcs(names []string) []string {
	var out []string
	for _, n := range names {
		if i := strings.LastIndexByte(n, '-'); i > 0 {
			n = n[:i] + "-2"
		}
		out = append(out, n)
	}
	return out
}

func TestAgainstUnchanged(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{"go.mod": goMod, "same/same_test.go": empty("same", "Same")})
	write(t, dir, map[string]string{"README.md": "text"})
	report, run := against(t, quickBench(t, dir), "HEAD")
	if run == nil || run.State != experiment.Complete || len(run.Notes) != 1 || !slices.Equal(report.Unchanged, []string{"example.com/m/same"}) {
		t.Errorf("%+v", report)
	}
	b := quickBench(t, dir)
	b.MeasureUnchanged, b.ProfileAll, b.Profiles = true, true, []string{"mem"}
	if _, run := against(t, b, "HEAD"); len(run.Results(experiment.Measure, experiment.Head)) != 2 || len(run.Profiles()) != 1 {
		t.Error("not measured")
	}
}

// A revision's files come with all that git does to them, and with what lies
// outside of the repository.
func TestAgainstLayouts(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	user := func(body string) string {
		return "package m\n\nimport (\n\t\"testing\"\n\n\t\"example.com/lib\"\n)\n\nfunc BenchmarkX(b *testing.B) {\n\tfor range b.N {\n\t\tlib.F()\n\t}\n" + body + "}\n"
	}
	other := strings.Replace(empty("m", "X"), "{}", "{ b.Log() }", 1)
	const lib = "package lib\n\nfunc F() {}\n"
	const needsLib = goMod + "\nrequire example.com/lib v0.0.0\n"
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string) (measure string) // makes dir/repo; the folder to measure in
	}{
		{"module in a folder", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{"sub/go.mod": goMod, "sub/m_test.go": empty("m", "X")})
			write(t, dir+"/repo", map[string]string{"sub/m_test.go": other})
			return "repo/sub"
		}},
		{"replace outside", func(t *testing.T, dir string) string {
			write(t, dir, map[string]string{"lib/go.mod": "module example.com/lib\n", "lib/lib.go": lib})
			commit(t, dir+"/repo", map[string]string{"go.mod": needsLib + "replace example.com/lib => ../lib\n", "m_test.go": user("")})
			write(t, dir+"/repo", map[string]string{"m_test.go": user("\tb.Log()\n")})
			return "repo"
		}},
		{"replace inside", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{"lib/go.mod": "module example.com/lib\n", "lib/lib.go": lib,
				"go.mod": needsLib + "replace example.com/lib => ./lib\n", "m_test.go": user("")})
			write(t, dir+"/repo", map[string]string{"m_test.go": user("\tb.Log()\n")})
			return "repo"
		}},
		{"go.work outside of git", func(t *testing.T, dir string) string {
			write(t, dir, map[string]string{"lib/go.mod": "module example.com/lib\n", "lib/lib.go": lib, "go.work": "go 1.24\n\nuse (\n\t./lib\n\t./repo\n)\n"})
			commit(t, dir+"/repo", map[string]string{"go.mod": goMod, "m_test.go": user("")})
			write(t, dir+"/repo", map[string]string{"m_test.go": user("\tb.Log()\n")})
			return "repo"
		}},
		{"go.work ignored, a module is newer", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{".gitignore": "go.work\n", "m/go.mod": goMod, "m/m_test.go": user(""),
				"lib/go.mod": "module example.com/lib\n", "lib/lib.go": lib})
			write(t, dir+"/repo", map[string]string{"go.work": "go 1.24\n\nuse (\n\t./lib\n\t./m\n\t./newer\n)\n",
				"newer/go.mod": "module example.com/newer\n", "m/m_test.go": user("\tb.Log()\n")})
			return "repo/m"
		}},
		{"vendor", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{"go.mod": needsLib, "m_test.go": user(""),
				"vendor/modules.txt": "# example.com/lib v0.0.0\n## explicit\nexample.com/lib\n", "vendor/example.com/lib/lib.go": lib})
			write(t, dir+"/repo", map[string]string{"m_test.go": user("\tb.Log()\n")})
			return "repo"
		}},
		{"attributes", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{"go.mod": goMod, "m_test.go": empty("m", "X"), ".gitattributes": "m_test.go export-ignore\n"})
			write(t, dir+"/repo", map[string]string{"m_test.go": other})
			return "repo"
		}},
		{"submodule", func(t *testing.T, dir string) string {
			commit(t, dir+"/lib", map[string]string{"lib.go": lib, "go.mod": "module example.com/lib\n"})
			write(t, dir+"/repo", map[string]string{"go.mod": needsLib + "replace example.com/lib => ./deps/lib\n", "m_test.go": user("")})
			runGit(t, dir+"/repo", "init", "-q")
			runGit(t, dir+"/repo", "submodule", "add", "-q", "../lib", "deps/lib")
			commit(t, dir+"/repo", nil)
			write(t, dir+"/repo", map[string]string{"m_test.go": user("\tb.Log()\n")})
			return "repo"
		}},
		{"through a symbolic link", func(t *testing.T, dir string) string {
			commit(t, dir+"/repo", map[string]string{"go.mod": goMod, "m_test.go": empty("m", "X")})
			write(t, dir+"/repo", map[string]string{"m_test.go": other})
			if err := os.Symlink(dir+"/repo", dir+"/link"); err != nil {
				t.Skip(err)
			}
			return "link"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "module in a folder" {
				long(t)
			}
			dir := filepath.Join(root, strings.ReplaceAll(c.name, " ", "_"))
			if err := os.MkdirAll(dir+"/repo", 0o777); err != nil {
				t.Fatal(err)
			}
			b := quickBench(t, filepath.Join(dir, c.make(t, dir)))
			b.Pattern, b.Count, b.Packages, b.TestFiles = "X", 1, nil, EachTests
			report, run := against(t, b, "HEAD")
			if len(report.Failures)+len(report.New)+len(report.Gone) > 0 {
				t.Fatalf("%+v", report)
			}
			if run == nil || len(run.Results(experiment.Measure, experiment.Base)) != 1 {
				t.Errorf("the base was not measured: %+v", report)
			}
		})
	}
}

// A revision from before there was any Go code has no benchmarks.
func TestAgainstBeforeTheModule(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{"README": "text"})
	commit(t, dir, map[string]string{"m/go.mod": goMod, "m/m_test.go": empty("m", "X")})
	report, run := against(t, quickBench(t, filepath.Join(dir, "m")), "HEAD~")
	if len(report.New) != 1 || run == nil || len(run.Results(experiment.Measure, experiment.Head)) != 2 {
		t.Errorf("%+v", report)
	}
}

func TestAgainstRefuses(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{"README": "text"})
	commit(t, dir, map[string]string{"go.mod": goMod, "m.go": "package m\n\nfunc f() { undefined() }\n", "m_test.go": empty("m", "X")})
	runGit(t, dir, "tag", "broken")
	commit(t, dir, map[string]string{"m.go": "package m\n"})
	runGit(t, dir, "branch", "feature/fast")
	shallow := filepath.Join(t.TempDir(), "shallow")
	runGit(t, dir, "clone", "-q", "--depth=1", "file://"+dir, shallow)
	fresh := t.TempDir()
	runGit(t, fresh, "init", "-q")
	plain := t.TempDir()
	write(t, plain, map[string]string{"go.mod": goMod, "m_test.go": empty("m", "X")})
	for _, c := range []struct{ name, dir, ref, want string }{
		{"not a repository", plain, "HEAD", "not in a git repository"},
		{"no commits", fresh, "HEAD", "no commits yet"},
		{"no such branch", dir, "nothing", `no branch, tag or commit "nothing"`},
		{"mistyped", dir, "feature/fats", "did you mean feature/fast?"},
		{"like an option", dir, "--all", `no branch, tag or commit "--all"`},
		{"too far", dir, "HEAD~50", "does not go back that far"},
		{"shallow", shallow, "HEAD~", "git fetch --unshallow"},
		{"base does not build", dir, "broken", "example.com/m (base): does not build"},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := quickBench(t, c.dir).Against(t.Context(), c.ref)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if c.name == "base does not build" && !strings.Contains(report.Failures[0].Output, "undefined") {
				t.Errorf("failures %+v", report.Failures)
			}
			if c.name == "not a repository" && !errors.Is(err, workspace.ErrNoRepository) {
				t.Error("not ErrNoRepository")
			}
		})
	}
}

// TestAgainstFlags compares one tree with itself, without git: here with an overlay
// that has another text for a file.
func TestAgainstFlags(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "same/same_test.go": empty("same", "Same")})
	write(t, dir, allocating("5"))
	scratch := t.TempDir()
	write(t, scratch, map[string]string{"alloc.go": allocating("3")["alloc/alloc.go"]})
	overlay := filepath.Join(scratch, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(dir, "alloc", "alloc.go"): filepath.Join(scratch, "alloc.go")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, replaced, 0o600); err != nil {
		t.Fatal(err)
	}
	b := quickBench(t, dir)
	b.PreCheck, b.Benchtime.Iterations = -1, 10_000
	report, err := b.AgainstFlags(t.Context(), "before", nil, []string{"-overlay=" + overlay})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unchanged) != 1 || !strings.HasSuffix(report.Unchanged[0], "/same") {
		t.Errorf("unchanged: %v", report.Unchanged)
	}
	i := slices.IndexFunc(report.Family.Comparisons, func(c experiment.Comparison) bool { return c.Unit == "allocs/op" })
	if i < 0 || report.Family.Comparisons[i].Verdict != experiment.Better || report.Family.Comparisons[i].Confirmation != experiment.Agreed {
		t.Errorf("comparisons: %+v", report.Family.Comparisons)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Base == nil || run.Base.Name != "before" || run.Base.Commit != "" {
		t.Errorf("base %+v", run.Base)
	}
}

// TestAgainstSetting compares one binary with itself in another environment: what the
// collector is told shows in what the process has at most.
func TestAgainstSetting(t *testing.T) {
	long(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "kept/kept_test.go": `package kept

import (
	"os"
	"testing"
)

var kept [][]byte

// Benchmark keeps 16 MB, and allocates as much again and again.
func Benchmark(b *testing.B) {
	for range b.N {
		kept = nil
		for range 16 {
			kept = append(kept, make([]byte, 1<<20))
		}
	}
	b.ReportMetric(float64(len(os.Getenv("GOGC"))), "letters/op")
}
`})
	b := quickBench(t, dir)
	b.PreCheck, b.Benchtime.Iterations, b.Count, b.PeakRSS = -1, 50, 6, true
	report, err := b.AgainstSetting(t.Context(), "GOGC=50", []string{"GOGC=50"}, []string{"GOGC=1600"})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unchanged) > 0 || report.Family == nil {
		t.Fatalf("%+v", report)
	}
	got := make(map[string]experiment.Comparison)
	for _, c := range report.Family.Comparisons {
		got[c.Unit] = c
	}
	if c := got["letters/op"]; c.Base.Center != 2 || c.Head.Center != 4 {
		t.Errorf("the environment: %+v", c)
	}
	c, ok := got[experiment.PeakRSS]
	if runtime.GOOS == "windows" {
		return // it doesn't tell
	}
	const mb = 1 << 20
	if !ok || c.Gated || c.Direction != experiment.LowerIsBetter || c.Base.Center < 16*mb || c.Base.Center > 100*mb || c.Head.Center < 2*c.Base.Center {
		t.Errorf("peak memory: %+v", c)
	}
}
