package bench

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/profile"
)

// quickBench measures as briefly as it can: what is tested is what happens, not how
// long it takes.
func quickBench(t *testing.T, dir string) *Bench {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // where scratch directories would be left
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return &Bench{
		Dir: dir, Packages: []string{"./..."}, Count: 2, PreCheck: -1, Wait: -1, Layouts: NoLayouts, Benchtime: Length{Iterations: 5},
		Store: filepath.Join(t.TempDir(), ".hone", "runs"), Command: []string{"hone", "bench", "-count=2"},
	}
}

// long leaves out with -short what needs many builds.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds many programs")
	}
}

var (
	write, commit = gittest.Write, gittest.Commit
	runGit        = gittest.Run
)

const goMod = "module example.com/m\n\ngo 1.24\n"

// benchmarks has one of everything.
const benchmarks = `package m

import (
	"fmt"
	"strings"
	"testing"
)

var sink string

func BenchmarkRepeat(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("n=%d/of [x]", n), func(b *testing.B) {
			for b.Loop() {
				sink = strings.Repeat("x", n)
			}
		})
	}
}

func BenchmarkClassic(b *testing.B) {
	for range b.N {
		sink = strings.Repeat("x", 100)
	}
}

func BenchmarkPrints(b *testing.B) {
	fmt.Print("hello")
	for range b.N {
		fmt.Println(b.N)
	}
}

func BenchmarkFails(b *testing.B) { b.Fatal("wrong result") }

func BenchmarkPanics(b *testing.B) { panic("no luck") }

func BenchmarkSkips(b *testing.B) { b.Skip("not here") }

func BenchmarkLate(b *testing.B) {
	if b.N > 1 {
		b.Fatal("only once")
	}
}
`

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": benchmarks, "none/none.go": "package none\n"})
	b := quickBench(t, dir)
	b.CPU = []int{1, 2}
	b.Profiles = []string{"mem", "trace"}
	var events []Event
	b.Events = func(e Event) {
		if e.Warning == "" {
			events = append(events, e)
		}
	}
	report, err := b.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.State != experiment.Complete || run.ID != report.ID {
		t.Errorf("run %s is %s", run.ID, run.State)
	}
	samples := make(map[string]int)
	for _, r := range run.Results(experiment.Measure, experiment.Head) {
		samples[r.GetConfig("pkg")+" "+r.Name.String()]++
		if r.Iters != 5 {
			t.Errorf("%s: %d iterations", r.Name, r.Iters)
		}
		if _, ok := valueOf(r.Result, "allocs/op"); !ok {
			t.Errorf("%s: no allocs/op", r.Name)
		}
	}
	want := make(map[string]int)
	for _, name := range []string{"Classic", "Prints", "Repeat/n=10/of_[x]", "Repeat/n=1000/of_[x]"} {
		want["example.com/m "+name], want["example.com/m "+name+"-2"] = 2, 2
	}
	if !maps.Equal(samples, want) {
		t.Errorf("samples %v, want %v", samples, want)
	}

	failed := make(map[string]string)
	for _, f := range report.Failures {
		failed[f.Benchmark] = f.What
	}
	for name, what := range map[string]string{"Fails": "wrong result", "Panics": "panic: no luck", "Late": "only once", "Late-2": "only once"} {
		if !strings.Contains(failed[name], what) {
			t.Errorf("%s: %q, want %q", name, failed[name], what)
		}
		if !slices.ContainsFunc(run.Warnings, func(w string) bool { return strings.Contains(w, what) }) {
			t.Errorf("%q is not among the run's warnings", what)
		}
	}
	if !slices.ContainsFunc(run.Warnings, func(w string) bool { return strings.Contains(w, "BenchmarkPrints prints to standard output") }) {
		t.Errorf("no word of what prints: %q", run.Warnings)
	}

	for name, iterations := range map[string]int{"Repeat/n=1000/of_[x]": 5, "Classic": 6} { // the classic loop is tried with N=1
		f, err := run.Profile(name + "-2/mem")
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		// One more where no sample has the frame that tells the two kinds of loop apart.
		if n := capture.ProfileIterations(p); n != iterations && n != iterations+1 {
			t.Errorf("the profile of %s is of %d iterations, want %d", name, n, iterations)
		}
	}
	traces := 0
	for _, f := range run.Profiles() {
		if f.Kind != "trace" {
			continue
		}
		traces++
		l := capture.Loader{Fetcher: new(capture.Fetcher)}
		if p, err := l.Load(t.Context(), []string{f.Path, f.Path}); err != nil || p.SampleTypes[1].Type != "wall" {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	if traces != len(want) {
		t.Errorf("%d traces, want %d", traces, len(want))
	}
	last := events[len(events)-1]
	if last.Done+1 != last.Total || last.Total != len(want)*(2+2) { // nothing of those that failed
		t.Errorf("the last event is %+v", last)
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(b.Store), ".gitignore")); string(text) != "*\n" {
		t.Errorf(".hone/.gitignore: %q, %v", text, err)
	}
}

// TestMeasureWall profiles a benchmark that sleeps, which a CPU profile has nothing of.
func TestMeasureWall(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": `package m

import (
	"testing"
	"time"
)

func BenchmarkWaits(b *testing.B) {
	for range b.N {
		nap()
	}
}

func nap() { time.Sleep(2 * time.Millisecond) }
`})
	b := quickBench(t, dir)
	b.Profiles = []string{"wall"}
	report, err := b.Measure(t.Context())
	if err != nil || len(report.Failures) > 0 {
		t.Fatal(err, report.Failures)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := run.Profile("Waits/wall")
	if err != nil {
		t.Fatal(err)
	}
	l := capture.Loader{Fetcher: new(capture.Fetcher)}
	p, err := l.Load(t.Context(), []string{f.Path})
	if err != nil {
		t.Fatal(err)
	}
	var slept, harness time.Duration
	for s := range p.NumSamples() {
		nap := false
		for _, at := range p.Stack(s) {
			name := p.FunctionName(p.LocationLines(at)[0].Function)
			nap = nap || name == "example.com/m.nap"
			if name == "testing.(*M).Run" {
				harness += time.Duration(p.Values[1][s])
			}
		}
		if nap && p.HasLabel(s, "state", "sleep") {
			slept += time.Duration(p.Values[1][s])
		}
	}
	n := capture.ProfileIterations(p)
	if n < 5 || slept < time.Duration(n)*2*time.Millisecond*9/10 || harness != 0 {
		t.Errorf("slept %v in %d iterations of 2 ms; %v of the test's own", slept, n, harness)
	}
}

func TestMeasureRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": goMod, "m_test.go": benchmarks,
		"broken/x_test.go":      "package broken\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { undefined() }\n",
		"none/none.go":          "package none\n",
		"tests/x_test.go":       "package tests\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Error(\"no\") }\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"tagged/x.go":           "package tagged\n",
		"tagged/x_test.go":      "//go:build disk && linux\n\npackage tagged\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"tagged/y_test.go":      "//go:build disk\n\npackage tagged\n\nimport \"testing\"\n\nfunc BenchmarkY(b *testing.B) {}\n",
		"only/x_test.go":        "//go:build disk\n\npackage only\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"other/x_test.go":       "package other\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		"other/x_plan9_test.go": "package other\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"some/x_test.go":        "package some\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n",
		"some/y_test.go":        "//go:build disk\n\npackage some\n\nimport \"testing\"\n\nfunc BenchmarkY(b *testing.B) {}\n",
		"main/x_test.go":        "package main\n\nimport (\"os\"; \"testing\")\n\nfunc TestMain(m *testing.M) { os.Exit(7) }\n\nfunc BenchmarkX(b *testing.B) {}\n",
	})
	for _, c := range []struct {
		name   string
		change func(b *Bench)
		want   string // in the error
		output string // of a failure
	}{
		{"does not build", func(b *Bench) { b.Packages = []string{"./broken"} }, "example.com/m/broken: does not build", "undefined: undefined"},
		{"no such package", func(b *Bench) { b.Packages = []string{"./nowhere"} }, "directory not found", ""},
		{"no benchmarks", func(b *Bench) { b.Packages = []string{"./none"} }, "./none has no benchmarks in its tests", ""},
		{"a build tag", func(b *Bench) { b.Packages = []string{"./tagged"} }, "./tagged has no benchmarks in its tests; x_test.go has benchmarks, but //go:build disk && linux excludes it: use -tags", ""},
		{"a build tag, of what matches", func(b *Bench) { b.Packages = []string{"./tagged"}; b.Pattern = "Y" }, "y_test.go has benchmarks, but //go:build disk excludes it: use -tags", ""},
		{"a build tag of all files", func(b *Bench) { b.Packages = []string{"./only"} }, "; x_test.go has benchmarks, but //go:build disk excludes it: use -tags", ""},
		{"another system", func(b *Bench) { b.Packages = []string{"./other"} }, "x_plan9_test.go has benchmarks, but its name excludes it", ""},
		{"a build tag where others are built", func(b *Bench) { b.Packages = []string{"./some"}; b.Pattern = "Y" }, "available: BenchmarkX; y_test.go has benchmarks, but //go:build disk excludes it: use -tags", ""},
		{"none match", func(b *Bench) { b.Packages = []string{"."}; b.Pattern = "Nothing" }, "available: BenchmarkClassic, BenchmarkFails", ""},
		{"none of the sub-benchmarks", func(b *Bench) { b.Packages = []string{"."}; b.Pattern = "Repeat/n=7" }, "matches no benchmark", ""},
		{"all fail", func(b *Bench) { b.Packages = []string{"."}; b.Pattern = "Fails|Panics" }, "wrong result", "--- FAIL: BenchmarkFails"},
		{"all fail late", func(b *Bench) { b.Packages = []string{"."}; b.Pattern = "Late" }, "only once", "--- FAIL: BenchmarkLate"},
		{"failing tests", func(b *Bench) { b.Packages = []string{"./tests"}; b.Tests = "." }, "tests fail: --- FAIL: TestX", "--- FAIL: TestX"},
		{"TestMain exits", func(b *Bench) { b.Packages = []string{"./main"} }, "exit status 7", ""},
		{"bad pattern", func(b *Bench) { b.Pattern = "a(" }, "missing closing )", ""},
		{"bad profile", func(b *Bench) { b.Profiles = []string{"heap"} }, `profile kind "heap"`, ""},
		{"no such CPU", func(b *Bench) { b.Pin = []int{4000} }, "CPU", ""},
		{"bad flag", func(b *Bench) { b.BuildFlags = []string{"-gcflags=-nonsense"}; b.Packages = []string{"."} }, "does not build", "nonsense"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := quickBench(t, dir)
			c.change(b)
			report, err := b.Measure(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if c.output != "" && !slices.ContainsFunc(report.Failures, func(f Failure) bool { return strings.Contains(f.Output, c.output) }) {
				t.Errorf("failures %+v, want %q", report.Failures, c.output)
			}
			entries, err := experiment.List(t.Context(), b.Store)
			if err != nil || slices.ContainsFunc(entries, func(e experiment.Entry) bool { return e.State != experiment.Partial }) {
				t.Errorf("runs %v, %v", entries, err)
			}
		})
	}
}

// One package that does not build keeps nobody from measuring the others.
func TestMeasureOthers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":      goMod,
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {}\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc BenchmarkB(b *testing.B) {\n",
	})
	report, err := quickBench(t, dir).Measure(t.Context())
	if err != nil || len(report.Failures) != 1 || report.Failures[0].Package != "example.com/m/b" {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestMeasureWithoutGo(t *testing.T) {
	b := quickBench(t, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if _, err := b.Measure(t.Context()); err == nil || !strings.Contains(err.Error(), "the go command is needed") {
		t.Error(err)
	}
}

func TestMeasureWithFlagsOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":    goMod,
		"m_test.go": "//go:build extra\n\npackage m\n\nimport \"testing\"\n\nfunc BenchmarkTagged(b *testing.B) {}\n",
	})
	b := quickBench(t, dir)
	t.Setenv("GOFLAGS", "-tags=extra -buildvcs=true -mod=mod")
	report, err := b.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if run, err := experiment.Open(t.Context(), report.Dir); err != nil || run.Environment.GOFLAGS != os.Getenv("GOFLAGS") {
		t.Errorf("GOFLAGS is not recorded; %v", err)
	}
}

const hanging = `package m

import (
	"testing"
	"time"
)

func BenchmarkHangs(b *testing.B) {
	if b.N > 1 {
		time.Sleep(time.Hour)
	}
}

func BenchmarkFine(b *testing.B) {}
`

func TestMeasureHanging(t *testing.T) {
	long(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": hanging})
	b := quickBench(t, dir)
	b.Timeout = 5 * time.Second
	report, err := b.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Failures) != 1 || !strings.Contains(report.Failures[0].What, "took longer than 5s") || !strings.Contains(report.Failures[0].Output, "time.Sleep") {
		t.Errorf("failures %+v", report.Failures)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil || len(run.Results(experiment.Measure, experiment.Head)) != 2 {
		t.Errorf("the other benchmark was not measured: %v", err)
	}
}

func TestMeasureInterrupted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": hanging})
	b := quickBench(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	b.Events = func(e Event) {
		if e.Stage == "measure" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}
	report, err := b.Measure(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.State != experiment.Partial || !slices.Contains(run.Warnings, "interrupted while measuring") {
		t.Errorf("run is %s, warnings %q", run.State, run.Warnings)
	}
}
