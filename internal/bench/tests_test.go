package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

// metric is a test file with a benchmark that reports a number: an expression of Go.
// imports are beside testing.
func metric(name, value string, imports ...string) string {
	text := "package m\n\nimport (\n"
	for _, i := range append(imports, "testing") {
		text += "\t\"" + i + "\"\n"
	}
	return text + ")\n\nfunc Benchmark" + name + "(b *testing.B) {\n\tb.ReportMetric(float64(" + value + "), \"x/op\")\n}\n"
}

const codeOf = "package m\n\nfunc F(n int) int { return n + %d }\n"

// centers are the medians of x/op by benchmark, of the base and of the head.
func centers(r *Report) map[string][2]float64 {
	got := make(map[string][2]float64)
	if r.Family == nil {
		return got
	}
	for _, c := range r.Family.Comparisons {
		if c.Unit == "x/op" {
			name, _, _ := strings.Cut(c.Benchmark, "-")
			got[name] = [2]float64{c.Base.Center, c.Head.Center}
		}
	}
	return got
}

// snapshot is what a folder has, git's own files and runs apart.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[path] += fmt.Sprintf(" %v %x", info.ModTime(), sha256.Sum256(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a user's overlay has counts beside the tests that a side borrows, wherever it is
// named; of a relative name, on both sides.
func TestAgainstOverlayAndTests(t *testing.T) {
	long(t)
	for _, where := range []string{"flag", "environment"} {
		t.Run(where, func(t *testing.T) {
			dir, scratch := t.TempDir(), t.TempDir()
			commit(t, dir, map[string]string{
				"go.mod": goMod, "k.go": "package m\n\nfunc k() int { return 0 }\n", "m_test.go": metric("A", "F(10)"),
				"m.go": "package m\n\nfunc F(n int) int { return n + k() }\n",
			})
			write(t, dir, map[string]string{"m.go": "package m\n\nfunc F(n int) int { return n + k() + 1 }\n", "m_test.go": metric("A", "F(100)")})
			write(t, scratch, map[string]string{"k.txt": "package m\n\nfunc k() int { return 5 }\n"})
			text, err := json.Marshal(map[string]any{"Replace": map[string]string{"k.go": filepath.Join(scratch, "k.txt")}})
			if err != nil {
				t.Fatal(err)
			}
			write(t, scratch, map[string]string{"my overlay.json": string(text)})
			flag := "-overlay=" + filepath.Join(scratch, "my overlay.json")
			b := quickBench(t, dir)
			b.CPU, b.Count, b.Benchtime.Iterations, b.Layouts = []int{2}, 1, 1, NoLayouts
			if where == "flag" {
				b.BuildFlags = []string{flag}
			} else {
				t.Setenv("GOFLAGS", "-mod=mod '"+flag+"'")
			}
			report, run := against(t, b, "HEAD")
			if got := centers(report)["A"]; got != [2]float64{105, 106} || len(run.Tests) != 1 || run.Tests[0].From != experiment.OfHead {
				t.Errorf("measured %v with the tests of %+v, want the head's with k of the overlay", got, run.Tests)
			}
		})
	}
}

// Both sides run the same benchmark, with the same inputs, where that can be.
func TestAgainstWithTheSameTests(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, head map[string]string // files; "" in head: removed
		tests      TestFiles
		want       map[string][2]float64 // NaN is no number: left out
		origin     experiment.BenchmarkOf
		note       string // begins so, "" for none; behind "example.com/m: "
		newOnes    []string
		gone       []string
	}{
		{name: "another input",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "m_test.go": metric("A", "F(100)")},
			want: map[string][2]float64{"A": {100, 101}}, origin: experiment.OfHead, note: "both sides ran the working tree's benchmark, because m_test.go differs from HEAD"},
		{name: "another input, of the base", tests: BaseTests,
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "m_test.go": metric("A", "F(100)")},
			want: map[string][2]float64{"A": {10, 11}}, origin: experiment.OfBase, note: "both sides ran the benchmark of HEAD, because m_test.go differs from HEAD"},
		{name: "another input, each its own", tests: EachTests,
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "m_test.go": metric("A", "F(100)")},
			want: map[string][2]float64{"A": {10, 101}}, origin: experiment.OfEach, note: "each side ran its own benchmark, as asked for by -tests each: m_test.go differs from HEAD"},
		{name: "files come and go",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(1)"), "old_test.go": metric("Old", "F(2)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "new_test.go": metric("New", "F(3)"), "old_test.go": ""},
			want: map[string][2]float64{"A": {1, 2}, "New": {3, 4}}, origin: experiment.OfHead,
			note: "both sides ran the working tree's benchmark, because new_test.go, old_test.go differ from HEAD", gone: []string{"example.com/m.Old"}},
		{name: "head's don't build on the base",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1) + "\nfunc G() int { return 7 }\n", "m_test.go": metric("A", "F(100)"), "g_test.go": metric("G", "G()")},
			want: map[string][2]float64{"A": {10, 11}, "G": {0, 7}}, origin: experiment.OfBase,
			note: "both sides ran the benchmark of HEAD, because g_test.go, m_test.go differ from HEAD; the working tree's does not build on HEAD: g_test.go: undefined: G", newOnes: []string{"example.com/m.G-2"}},
		{name: "head's fail on the base",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "m_test.go": strings.Replace(metric("A", "F(100)"), "\tb.", "\tif F(1) == 1 {\n\t\tb.Fatal(\"of old code\")\n\t}\n\tb.", 1)},
			want: map[string][2]float64{"A": {10, 11}}, origin: experiment.OfBase,
			note: "both sides ran the benchmark of HEAD, because m_test.go differs from HEAD; the working tree's fails on HEAD: BenchmarkA: "},
		{name: "neither builds on the other",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head: map[string]string{"m.go": "package m\n\nfunc G(n int) int { return n + 1 }\n", "m_test.go": metric("A", "G(100)")},
			want: map[string][2]float64{"A": {10, 101}}, origin: experiment.OfEach,
			note: "the benchmark itself changed, and each side ran its own, so its verdicts are inconclusive: m_test.go differs from HEAD; the working tree's does not build on HEAD: m_test.go: undefined: G; HEAD's does not build on the working tree: m_test.go: undefined: F"},
		{name: "testdata",
			base: map[string]string{"m.go": "package m\n\nimport \"os\"\n\nfunc F() int { text, _ := os.ReadFile(\"testdata/x\"); return len(text) }\n", "m_test.go": metric("A", "F()"),
				"testdata/x": "1", "testdata/y": "same", "testdata/old": ""},
			head: map[string]string{"m.go": "package m\n\nimport \"os\"\n\nfunc F() int { text, _ := os.ReadFile(\"testdata/x\"); return 10 * len(text) }\n", "testdata/x": "123", "testdata/old": "\x00"},
			want: map[string][2]float64{"A": {3, 30}}, origin: experiment.OfHead, note: "both sides ran the working tree's benchmark, because testdata/ differs from HEAD"},
		{name: "testdata of the base", tests: BaseTests,
			base: map[string]string{"m.go": "package m\n\nimport \"os\"\n\nfunc F() int { text, _ := os.ReadFile(\"testdata/x\"); return len(text) }\n", "m_test.go": metric("A", "F()"),
				"testdata/x": "1", "testdata/y": "same"},
			head: map[string]string{"m.go": "package m\n\nimport \"os\"\n\nfunc F() int { text, _ := os.ReadFile(\"testdata/x\"); return 10 * len(text) }\n", "testdata/x": "123"},
			want: map[string][2]float64{"A": {1, 10}}, origin: experiment.OfBase, note: "both sides ran the benchmark of HEAD, because testdata/ differs from HEAD"},
		{name: "embedded, in an external test",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "in.txt": "1", "m_test.go": embedding},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "in.txt": "12345"},
			want: map[string][2]float64{"A": {5, 6}}, origin: experiment.OfHead, note: "both sides ran the working tree's benchmark, because in.txt differs from HEAD"},
		{name: "nothing but the tests",
			base:   map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)")},
			head:   map[string]string{"m_test.go": metric("A", "F(100)")},
			want:   map[string][2]float64{},
			origin: experiment.OfHead, note: "both sides ran the working tree's benchmark, because m_test.go differs from HEAD"},
		{name: "what is the same is of nobody",
			base: map[string]string{"m.go": fmt.Sprintf(codeOf, 0), "m_test.go": metric("A", "F(10)"), "testdata/x": "1"},
			head: map[string]string{"m.go": fmt.Sprintf(codeOf, 1)},
			want: map[string][2]float64{"A": {10, 11}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "another input" {
				long(t)
			}
			dir := t.TempDir()
			commit(t, dir, map[string]string{"go.mod": goMod})
			commit(t, dir, c.base)
			for name, text := range c.head {
				switch text {
				case "":
					os.Remove(filepath.Join(dir, name))
				default:
					write(t, dir, map[string]string{name: text})
				}
			}
			before := snapshot(t, dir)
			b := quickBench(t, dir)
			b.CPU, b.Count, b.Benchtime.Iterations, b.TestFiles, b.Layouts = []int{2}, 1, 1, c.tests, NoLayouts
			report, run := against(t, b, "HEAD")
			after := snapshot(t, dir)
			for path, was := range before {
				if after[path] != was {
					t.Errorf("%s was %s, is %s", path, was, after[path])
				}
			}
			if len(after) != len(before) {
				t.Errorf("%d files, there were %d", len(after), len(before))
			}
			if len(report.Failures) > 0 {
				t.Errorf("failures %+v", report.Failures)
			}
			got := centers(report)
			for name, want := range c.want {
				if name == "G" {
					if got[name][1] != want[1] {
						t.Errorf("%s: %v of head, want %v", name, got[name][1], want[1])
					}
				} else if got[name] != want {
					t.Errorf("%s: %v, want %v", name, got[name], want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("measured %v, want %v", got, c.want)
			}
			if !slices.Equal(report.New, c.newOnes) || !slices.Equal(report.Gone, c.gone) {
				t.Errorf("new %q, gone %q", report.New, report.Gone)
			}
			if c.note == "" {
				if len(run.Tests) > 0 {
					t.Errorf("of the run: %+v", run.Tests)
				}
				return
			}
			if len(run.Tests) != 1 || run.Tests[0].From != c.origin {
				t.Fatalf("of the run: %+v", run.Tests)
			}
			for _, notes := range [][]string{run.CodeNotes(false), report.CodeNotes(false)} {
				if len(notes) == 0 || !strings.HasPrefix(notes[0], "example.com/m: "+c.note) {
					t.Errorf("notes %q", notes)
				}
			}
			if unchanged := len(report.Unchanged) == 1; unchanged != (c.name == "nothing but the tests") {
				t.Errorf("unchanged: %q", report.Unchanged)
			}
			for i := range run.Info.Tests {
				if unlike := run.Info.Tests[i].From == experiment.OfEach && c.tests != EachTests; unlike {
					for _, v := range report.Family.Comparisons {
						if v.Verdict != experiment.Inconclusive || v.Gated {
							t.Errorf("%s: %s", v.Key, v.Words())
						}
					}
				}
			}
		})
	}
}

// embedding is a benchmark of a package of its own, whose input is a file beside it.
const embedding = `package m_test

import (
	_ "embed"
	"testing"

	"example.com/m"
)

//go:embed in.txt
var in []byte

func BenchmarkA(b *testing.B) {
	b.ReportMetric(float64(m.F(len(in))), "x/op")
}
`

// A folder of benchmarks alone that came with the change measures the base, too.
func TestAgainstNewFolderOfTests(t *testing.T) {
	long(t)
	dir := t.TempDir()
	commit(t, dir, map[string]string{"go.mod": goMod, "m.go": fmt.Sprintf(codeOf, 0)})
	write(t, dir, map[string]string{"m.go": fmt.Sprintf(codeOf, 1), "bench/testdata/x": "123",
		"bench/bench_test.go": strings.NewReplacer("package m\n", "package bench\n", "m_F", "m.F").Replace(
			metric("A", "m_F(func() int { text, _ := os.ReadFile(\"testdata/x\"); return len(text) }())", "example.com/m", "os"))})
	b := quickBench(t, dir)
	b.Count, b.Benchtime.Iterations, b.Layouts = 1, 1, NoLayouts
	report, _ := against(t, b, "HEAD")
	if got := centers(report)["A"]; got != [2]float64{3, 4} || len(report.New) > 0 || len(report.Failures) > 0 {
		t.Errorf("%v, %+v", got, report)
	}
}

// Neither side's links lead a write to the other's files.
func TestCompareTrees(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/same": "1", "b/same": "1", "a/other": "1", "b/other": "2", "a/sub/one": "1", "b/sub/two": "2",
		"out/a/x": "1", "out/b/x": "2"})
	for _, side := range []string{"a", "b"} {
		for name, to := range map[string]string{"in": "same", "dangling": "nothing"} {
			if err := os.Symlink(to, filepath.Join(dir, side, name)); err != nil {
				t.Skip(err)
			}
		}
		write(t, dir, map[string]string{"tree" + side + "/out/x": side, "tree" + side + "/testdata/y": "y"})
		if err := os.Symlink("../out", filepath.Join(dir, "tree"+side, "testdata", "link")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{"a", "b", []string{"other", "sub/one", "sub/two"}},
		{"a", "nothing", []string{""}},
		{"nothing", "nothing", nil},
		{"treea/testdata", "treeb/testdata", []string{"link"}}, // the same text leads to other files
	} {
		unlike := make(map[string]bool)
		if err := compareTrees(filepath.Join(dir, c.a), filepath.Join(dir, c.b), "", unlike, true); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range unlike {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// The folder that a side runs in has the other's testdata, and its own files else.
func TestRunFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"base/go.mod": "base", "base/sub/p/p.go": "base", "base/sub/p/testdata/same": "same", "base/sub/p/testdata/x": "base", "base/sub/data": "base",
		"head/go.mod": "head", "head/sub/p/p.go": "head", "head/sub/p/testdata/same": "same", "head/sub/p/testdata/x": "head", "head/sub/p/testdata/new/y": "head",
	})
	if err := os.Symlink("x", filepath.Join(dir, "head/sub/p/testdata/link")); err != nil {
		t.Skip(err)
	}
	d := &testDiff{rel: filepath.Join("sub", "p"), unlike: map[string]bool{"x": true, "new": true, "link": true}}
	for s, name := range []string{experiment.Base: "base", experiment.Head: "head"} {
		d.roots[s] = filepath.Join(dir, name)
		d.dirs[s] = filepath.Join(dir, name, "sub", "p")
	}
	for _, c := range []struct {
		borrower experiment.Side
		want     map[string]string
	}{
		{experiment.Base, map[string]string{"p.go": "base", "../../go.mod": "base", "../data": "base", "testdata/same": "same", "testdata/x": "head", "testdata/new/y": "head", "testdata/link": "head"}},
		{experiment.Head, map[string]string{"p.go": "head", "../../go.mod": "head", "testdata/same": "same", "testdata/x": "base", "testdata/new/y": "", "testdata/link": ""}},
	} {
		to, err := d.runFolder(c.borrower, filepath.Join(dir, "run", c.borrower.String()))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.want {
			text, err := os.ReadFile(to + "/" + name)
			if string(text) != want || (err != nil) != (want == "") {
				t.Errorf("%s, %s: %q %v, want %q", c.borrower, name, text, err, want)
			}
		}
		// Nothing written there reaches the head's files.
		if err := os.WriteFile(to+"/testdata/x", []byte("written"), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "head/sub/p/testdata/x")); string(text) != "head" {
			t.Errorf("head's is %q, %v", text, err)
		}
	}
}
