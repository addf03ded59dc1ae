package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExamples tunes worked examples step by step, as a user would: each step is
// a commit, and hone bench -against tells what it gave and which function moved
// it. Allocations are held to what the examples promise; times are logged.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for minutes")
	}
	for _, example := range []struct {
		name, file string
		call       string // what is replaced by the next version, with %s for its name
		versions   []string
		allocs     float64 // of the last; below 0: fewer than before
	}{
		{"jsonreq", "process.go", "return %s(requests)", []string{"processReflection", "processGenerated", "processBuilder", "processPooled"}, -1},
		{"visitors", "greet.go", "{ %s(w, r) }", []string{"greetCompile", "greetCompiled", "greetNoHeader", "greetPooled", "greetScanned"}, 0},
		{"kafkagen", "first.go", "{ return %s(ctx, t, to) }", []string{"sendMarshal", "sendOnce", "sendSplit", "sendTuned"}, 0},
	} {
		t.Run(example.name, func(t *testing.T) {
			source, err := filepath.Abs(filepath.Join("../../examples", example.name))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			files, err := filepath.Glob(filepath.Join(source, "*.go"))
			if err != nil || len(files) == 0 {
				t.Fatal("no example:", err)
			}
			for _, f := range files {
				if text, err := os.ReadFile(f); err != nil {
					t.Fatal(err)
				} else if !strings.Contains(string(text), `"`+ours) { // It needs nothing of ours.
					write(t, filepath.Base(f), string(text))
				}
			}
			writeModule(t, source)
			use := func(version string) {
				t.Helper()
				text, err := os.ReadFile(example.file)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range example.versions {
					old := strings.ReplaceAll(example.call, "%s", v)
					if strings.Contains(string(text), old) {
						write(t, example.file, strings.Replace(string(text), old, strings.ReplaceAll(example.call, "%s", version), 1))
						return
					}
				}
				t.Fatalf("%s calls no version", example.file)
			}
			git := func(args ...string) {
				t.Helper()
				args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)
				if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
					t.Fatalf("git %s: %v\n%s", args, err, out)
				}
			}
			use(example.versions[0])
			write(t, ".gitignore", ".hone\n")
			git("init", "-q")
			git("add", "-A")
			git("commit", "-q", "-m", example.versions[0])
			git("tag", "first")
			for i, version := range example.versions[1:] {
				use(version)
				step := against(t, "HEAD")
				t.Logf("%s: %s", version, step)
				if before, after := step.allocs[0], step.allocs[1]; after > before || after == before && before > 0 {
					t.Errorf("%s: %v allocations, %v before", version, after, before)
				}
				// What was called before is gone, what is called now is new.
				if gone := example.versions[i]; len(step.functions) > 0 && !slices.ContainsFunc(step.functions, func(f string) bool { return strings.HasSuffix(f, "."+gone) }) {
					t.Errorf("%s: what moved is %q, without %s", version, step.functions, gone)
				}
				git("commit", "-q", "-a", "-m", version)
			}
			all := against(t, "first")
			t.Logf("all: %s", all)
			if example.allocs >= 0 && all.allocs[1] != example.allocs || all.allocs[1] >= all.allocs[0] {
				t.Errorf("%v allocations, %v at first", all.allocs[1], all.allocs[0])
			}
			if len(all.functions) == 0 {
				t.Error("nothing says which functions moved it")
			}
		})
	}
}

// writeModule makes a module of an example, with what the example requires but for
// hone, which only those of its tests need that are left out.
func writeModule(t *testing.T, source string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		write(t, "go.mod", "module example\n\ngo 1.26\n")
		return
	}
	sum, err2 := os.ReadFile(filepath.Join(source, "go.sum"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	text := "module example\n"
	for line := range strings.Lines(string(mod)) {
		if !strings.Contains(line, ours) {
			text += line
		}
	}
	write(t, "go.mod", text)
	write(t, "go.sum", string(sum))
}

// ours begins the paths of this repository's packages.
const ours = "github.com/hone-go/hone"

// A benchStep is what hone bench -against says of BenchmarkInUse.
type benchStep struct {
	text      string
	allocs    [2]float64 // of base and head
	functions []string   // that moved time or allocations
}

func (s *benchStep) String() string { return s.text }

func against(t *testing.T, ref string) *benchStep {
	t.Helper()
	o := hone(t, "bench", "-json", "-against", ref, "-bench", "InUse", "-count", "6", "-benchtime", "20ms", "-profiletime", "300ms", "-precheck", "0", "-layouts", "none", "-profile", "cpu,mem")
	var report struct {
		Comparison comparisonRead
		Failures   []any
	}
	if o.code != 0 && o.code != exitMissed || json.Unmarshal([]byte(o.stdout), &report) != nil || len(report.Failures) > 0 || len(report.Comparison.Comparisons) != 1 {
		t.Fatalf("hone bench -against %s: %+v", ref, o)
	}
	s := new(benchStep)
	var words []string
	for _, table := range report.Comparison.Tables {
		cells := table.Rows[0].Cells
		if len(cells) < 2 {
			continue // CPU time of so short samples, which may not even be that of doing nothing
		}
		if table.Unit == "allocs/op" {
			s.allocs = [2]float64{cells[0].Median, cells[1].Median}
		}
		words = append(words, table.Unit+" "+cells[1].Delta)
	}
	for _, e := range report.Comparison.Comparisons[0].Explanations {
		for _, f := range append(e.Functions, e.Callers...) {
			s.functions = append(s.functions, f.Name)
		}
	}
	s.text = strings.Join(words, ", ")
	return s
}
