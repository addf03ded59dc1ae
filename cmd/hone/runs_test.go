package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The runs of testdata/runs are of one program, with word counting made faster
// from base to head: see testdata/runs.md.
const (
	baseRun    = "20261120-093000-00aa"
	headRun    = "20261121-093000-00bb"
	againstRun = "20261121-174823-9f3c" // both, interleaved
)

// inModule makes a module with the runs of testdata the current folder.
func inModule(t *testing.T) (runs string) {
	t.Helper()
	dir := t.TempDir()
	runs = filepath.Join(dir, ".hone", "runs")
	if err := os.CopyFS(runs, os.DirFS("testdata/runs")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/words\n")
	t.Chdir(dir)
	zone := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = zone })
	return runs
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// golden compares with a file of testdata, or writes it. Its path is made
// before a test changes the folder.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -update writes it. Got\n%s\nwant\n%s", file, got, want)
	}
}

func goldenFile(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRuns(t *testing.T) {
	file := goldenFile(t, "runs.golden")
	runs := inModule(t)
	// A run without its description, one with hostile words, and an unfinished
	// one that is hidden.
	for _, dir := range []string{"20250101-000000-dead", "20250102-000000-beef", ".hone-tmp-123"} {
		if err := os.Mkdir(filepath.Join(runs, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(runs, "20250102-000000-beef", "run.json"), `{"schema": 1, "id": "20250102-000000-beef", "created": "2025-01-02T00:00:00Z",
		"state": "partial", "command": ["hone", "bench", "-bench", "a b\u001b[31m'\n$(x)"], "environment": {}, "head": {"name": "\u009bevil"}}`)
	golden(t, file, succeed(t, "runs"))

	var listed []api.ListedRun
	if err := json.Unmarshal([]byte(succeed(t, "runs", "-json")), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) != 5 || listed[0].ID != againstRun || listed[0].Benchmarks != 2 || listed[0].Base == nil || listed[4].Error == "" {
		t.Errorf("listed %+v", listed)
	}

	t.Run("below", func(t *testing.T) {
		if err := os.MkdirAll("a/b", 0o777); err != nil {
			t.Fatal(err)
		}
		t.Chdir("a/b")
		if out := succeed(t, "runs"); !strings.Contains(out, againstRun) {
			t.Errorf("in a folder of the module: %s", out)
		}
	})
	t.Run("rm", func(t *testing.T) {
		hone(t, "runs", "rm", "2026112", "nope").failsWith(t, exitFailure, `3 runs begin with "2026112"`)
		hone(t, "runs", "rm", "latest", "20990101").failsWith(t, exitFailure, `no run "20990101"`)
		if out := succeed(t, "runs"); !strings.Contains(out, againstRun) {
			t.Error("a run is gone though another could not be found")
		}
		if out := succeed(t, "runs", "rm", "latest", "20250101", againstRun); strings.Count(out, "removed ") != 2 {
			t.Errorf("rm prints %q", out)
		}
		if out := succeed(t, "runs"); strings.Contains(out, againstRun) || strings.Contains(out, "dead") || !strings.Contains(out, headRun) {
			t.Errorf("after rm:\n%s", out)
		}
		if left, _ := filepath.Glob(filepath.Join(runs, ".removed*")); left != nil {
			t.Errorf("left %v", left)
		}
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"runs", "list"}, `unknown command "list"`},
		{[]string{"runs", "rm"}, "missing run"},
		{[]string{"runs", "rm", "-json", "latest"}, "-json can't be used with rm"},
		{[]string{"runs", "-verbose"}, "flag provided but not defined: -verbose"},
	} {
		hone(t, c.args...).failsWith(t, exitUsage, c.want)
	}
	if out := succeed(t, "runs", "-dir", t.TempDir()); !strings.HasPrefix(out, "No runs in ") {
		t.Errorf("no runs: %q", out)
	}
}

// TestRunSources checks what a source means where it could mean several things.
func TestRunSources(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("makes files with colons in their names")
	}
	runs := inModule(t)
	if err := os.CopyFS("c:x/run", os.DirFS(filepath.Join(runs, headRun))); err != nil {
		t.Fatal(err)
	}
	rename(t, "c:x/run", headRun, "run")
	for _, dir := range []string{"folder", headRun + ":Hash"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, headRun+":Hash/cpu", "a file of this name")
	inRun := func(run string, path ...string) string {
		return filepath.Join(append([]string{".hone", "runs", run, "profiles"}, path...)...)
	}
	const count, sum = "example.com%2Fwords@Count%2Fn=20-2", "example.com%2Fwords@Hash-2"
	for _, c := range []struct{ source, name, file, err string }{
		{source: "-"},
		{source: "latest:Count/n=20/cpu", name: againstRun + ":Count/n=20-2/cpu", file: inRun(againstRun, count, "head.cpu.pb.gz")},
		{source: "latest:base/Count/n=20-2/mem", name: againstRun + ":base/Count/n=20-2/mem", file: inRun(againstRun, count, "base.mem.pb.gz")},
		{source: "latest~1:BenchmarkHash/cpu", name: headRun + ":Hash-2/cpu", file: inRun(headRun, sum, "cpu.pb.gz")},
		{source: "20261120:example.com/words.Hash/cpu", name: baseRun + ":Hash-2/cpu", file: inRun(baseRun, sum, "cpu.pb.gz")},
		{source: inRun(baseRun)[:len(".hone/runs/")+len(baseRun)] + ":Hash/cpu", name: baseRun + ":Hash-2/cpu", file: inRun(baseRun, sum, "cpu.pb.gz")},
		// A path with a colon of its own, as on Windows.
		{source: "c:x/run:Hash/cpu", name: "c:x/run:Hash-2/cpu", file: filepath.Join("c:x/run/profiles", sum, "cpu.pb.gz")},
		{source: `C:\runs\x:Hash/cpu`},
		// Hosts and files.
		{source: "localhost:6060"},
		{source: "localhost:6060/debug/pprof/heap"},
		{source: "latest:6060/debug/pprof/heap"},
		{source: "[::1]:6060"},
		{source: "http://latest:6060/debug/pprof/heap"},
		{source: headRun + ":Hash/cpu"}, // there is a file of this name
		{source: "nothere.pb.gz"},
		{source: "foo:Hash/cpu"},
		// Runs, but no profile of one.
		{source: "latest:Nope/cpu", err: "run " + againstRun + " has no cpu profile of Nope; it has, for example, Count/n=20-2/cpu"},
		{source: "latest:cpu", err: `profile "cpu": want BENCHMARK/KIND`},
		{source: "latest:Hash/base/cpu", err: "has no cpu profile of Hash/base"},
		{source: "latest~7:Hash/cpu", err: "only 3 runs in .hone/runs have profile Hash/cpu"},
		{source: "2026112:Hash/cpu", err: `3 runs begin with "2026112"`},
		{source: "20990101:Hash/cpu", err: `no run "20990101"`},
		{source: "folder:Hash/cpu", err: "no run"},
		{source: "latest", err: "latest is a run: name one of its profiles, such as latest:base/Count/n=20-2/cpu, latest:"},
		{source: "latest:", err: "latest is a run: name one of its profiles"},
		{source: ".hone/runs/" + baseRun, err: "is a run: name one of its profiles, such as .hone/runs/" + baseRun + ":Count/n=20-2/cpu"},
	} {
		found, err := findRunSource(t.Context(), c.source)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.source, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.source, err)
		case c.file == "":
			if found != nil {
				t.Errorf("%s is taken for %+v", c.source, found)
			}
		case found == nil:
			t.Errorf("%s is no run", c.source)
		default:
			if strings.HasPrefix(found.name, ".hone") {
				found.name = strings.TrimPrefix(found.name, ".hone/runs/")
			}
			if found.name != c.name || found.file != c.file {
				t.Errorf("%s is %q in %s, want %q in %s", c.source, found.name, found.file, c.name, c.file)
			}
		}
	}
}

// rename changes the id in a copied run.
func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	file := filepath.Join(dir, "run.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.ReplaceAll(string(text), from, to))
}

// TestVerbsTakeRuns: the profile of a run prints the same as its file.
func TestVerbsTakeRuns(t *testing.T) {
	inModule(t)
	const source = "latest:Count/n=20/cpu"
	file := filepath.Join(".hone/runs", againstRun, "profiles/example.com%2Fwords@Count%2Fn=20-2/head.cpu.pb.gz")
	base := strings.Replace(file, "head.", "base.", 1)
	for _, c := range [][2][]string{
		{{"top", source}, {"top", file}},
		{{"pprof", "-top", source}, {"pprof", "-top", file}},
		{{"top", "-json", source, source}, {"top", "-json", file, file}},
		{{"flame", "-folded", source}, {"flame", "-folded", file}},
		{{"diff", "latest:base/Count/n=20/cpu", source}, {"diff", base, file}},
		{{"top", "-base", "latest:base/Count/n=20/cpu", source}, {"top", "-base", base, file}},
	} {
		if got, want := succeed(t, c[0]...), succeed(t, c[1]...); got != want {
			t.Errorf("hone %s prints\n%s\nthe file\n%s", strings.Join(c[0], " "), got, want)
		}
	}
	hone(t, "top", "latest").failsWith(t, exitFailure, "latest is a run: name one of its profiles")
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	// Only latest goes on to an older run, and says so.
	hone(t, "top", againstRun+":Count/n=20/cpu").failsWith(t, exitFailure, "head.cpu.pb.gz", "offset 1: ends here, of")
}

func TestUIListsRuns(t *testing.T) {
	inModule(t)
	for _, c := range []struct {
		args []string
		run  string
		want []string // behind the run
	}{
		{[]string{"latest"}, againstRun, []string{"Count/n=20-2/cpu", "Count/n=20-2/mem", "Hash-2/cpu", "base/Count/n=20-2/cpu", "base/Count/n=20-2/mem", "base/Hash-2/cpu"}},
		{[]string{filepath.Join(".hone", "runs", baseRun)}, baseRun, []string{"Count/n=20-2/cpu", "Count/n=20-2/mem", "Hash-2/cpu"}},
		{[]string{"latest:Hash/cpu"}, againstRun, []string{againstRun + ":Hash-2/cpu"}},
	} {
		site := newUISite(t, false, c.args...)
		var names []string
		for _, p := range site.list {
			names = append(names, p.Name)
		}
		for i, want := range c.want {
			if !strings.Contains(want, ":") {
				c.want[i] = c.run + ":" + want
			}
		}
		if strings.Join(names, "|") != strings.Join(c.want, "|") {
			t.Errorf("hone ui %s lists %q, want %q", c.args[0], names, c.want)
		}
	}
}

func TestParseArgs(t *testing.T) {
	for _, c := range []struct {
		args, rest string
		json       bool
	}{
		{"a b", "a b", false}, {"-json a", "a", true}, {"a -json b", "a b", true}, {"a --json", "a", true}, {"-- -json a", "-json a", false}, {"a -- -json", "a -json", false}, {"-", "-", false},
	} {
		fs := newFlags("runs")
		asJSON := fs.Bool("json", false, "")
		rest, err := parseArgs(fs, strings.Fields(c.args))
		if err != nil || strings.Join(rest, " ") != c.rest || *asJSON != c.json {
			t.Errorf("%s: %q, -json %v, %v", c.args, rest, *asJSON, err)
		}
	}
}

func TestWriteTrimmed(t *testing.T) {
	var b bytes.Buffer
	writeTrimmed(&b, "a  \n\n b \n")
	if b.String() != "a\n\n b\n" {
		t.Errorf("%q", b.String())
	}
}

// TestHelpFlagsOfRuns checks that the verbs of runs take the flags that their
// help tells of.
func TestHelpFlagsOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, verb := range []string{"runs", "compare", "check", "gc"} {
		for _, m := range regexp.MustCompile(`(?m)^  -(\w+)`).FindAllStringSubmatch(succeed(t, "help", verb), -1) {
			if o := hone(t, verb, "-"+m[1]+"=true"); strings.Contains(o.stderr, "not defined") || strings.Contains(o.stderr, "invalid") {
				t.Errorf("hone %s -%s: %s", verb, m[1], o.stderr)
			}
		}
	}
}

// TestLatestHasWhatIsAsked: the newest run has neither profiles nor results.
func TestLatestHasWhatIsAsked(t *testing.T) {
	runs := inModule(t)
	const empty = "20300101-000000-0000"
	if err := os.Mkdir(filepath.Join(runs, empty), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(runs, empty, "run.json"), `{"schema": 1, "id": "`+empty+`", "created": "2030-01-01T00:00:00Z", "state": "complete",
		"command": [], "environment": {}, "head": {}, "files": {}}`)
	const passed = "latest skips run " + empty + ": it has no "
	for _, c := range []struct {
		args []string
		want string // on stderr
	}{
		{[]string{"advise", "latest"}, passed + "profiles of time, memory or waiting\n"},
		{[]string{"advise"}, passed + "profiles of time, memory or waiting\n"},
		{[]string{"top", "latest:Count/n=20-2/cpu"}, passed + "profile Count/n=20-2/cpu\n"},
		{[]string{"pgo", "-o", "latest.pgo", "latest"}, passed + "CPU profiles\n"},
		{[]string{"compare", "latest"}, passed + "results\n"},
		{[]string{"compare", "latest:base", "latest:head"}, passed + "base (hone bench -against)\n"},
		{[]string{"compare", "latest~2", "latest~1"}, "latest~1 skips run " + empty + ": it has no results\n"},
	} {
		if o := hone(t, c.args...); o.code == exitUsage || !strings.Contains(o.stderr, c.want) || strings.Contains(o.stderr, "no such file") {
			t.Errorf("%v: %+v\nwant on stderr: %s", c.args, o, c.want)
		}
	}
	// A gate never falls back to an older run, and rm removes what is named.
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"Count\"\nmetric = \"ns/op\"\nmax = 1e9\n")
	if o := hone(t, "check", "latest"); o.code == 0 || !strings.Contains(o.stderr, empty) {
		t.Errorf("check: %+v", o)
	}
	if out := succeed(t, "runs", "rm", "latest"); !strings.Contains(out, empty) {
		t.Errorf("rm: %s", out)
	}
}
