package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/internal/infile"
)

// slowModule compiles a pattern for each call: a difference of dozens of allocations,
// which any machine counts the same.
var slowModule = map[string]string{
	"go.mod":  "module example.com/slow\n\ngo 1.24\n",
	"slow.go": "package slow\n\nimport \"regexp\"\n\n// Valid checks a name.\nfunc Valid(name string) bool {\n\treturn regexp.MustCompile(`^[a-z]+$`).MatchString(name)\n}\n",
	"slow_test.go": `package slow

import "testing"

func TestValid(t *testing.T) {
	if !Valid("abc") || Valid("ABC") {
		t.Error("wrong")
	}
}

func BenchmarkValid(b *testing.B) {
	for b.Loop() {
		Valid("abc")
	}
}
`,
}

// moduleOfFiles makes a module of files, and goes there.
func moduleOfFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := gittest.Folder(t, files)
	t.Chdir(dir)
	return dir
}

// TestAdvise: packages are measured, findings told in each format, and one is fixed.
func TestAdvise(t *testing.T) {
	dir := moduleOfFiles(t, slowModule)
	hone(t, "advise").failsWith(t, exitFailure, "run hone advise ./... to measure first")
	hone(t, "fix", "x").failsWith(t, exitFailure, "run hone advise first")
	out := hone(t, "advise", "-profiletime", "300ms", ".")
	for _, want := range []string{"regexp-per-call-", " (class B)\n", "slow.go:7 in Valid", "% of the CPU time", "of the time", "+var validRE = regexp.MustCompile(`^[a-z]+$`)", "hone fix regexp-per-call-", "1 with a rewrite, in 1 package"} {
		if out.code != exitOK || !strings.Contains(out.stdout, want) {
			t.Fatalf("exit code %d, no %q in\n%s%s", out.code, want, out.stdout, out.stderr)
		}
	}
	// The run that was kept is the newest now; its profiles, and a profile by itself. In
	// so few samples matching may seem to take enough to be advised on, too.
	var report struct {
		Findings []struct {
			ID, Rule, Class, State, File, Function string
			Line                                   int
			Bound                                  struct{ Time, Error float64 }
			Evidence                               struct{ Subject string }
			Fix                                    struct{ Diff string }
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "advise", "-json")), &report); err != nil || len(report.Findings) == 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	f := report.Findings[0]
	if f.Rule != "regexp-per-call" || f.Class != "B" || f.State != "bounded" || f.File != filepath.Join(dir, "slow.go") || f.Line != 7 || f.Function != "Valid" ||
		!(f.Bound.Time > 0.1 && f.Bound.Time <= 1 && f.Bound.Error >= 0) || !strings.HasPrefix(f.Evidence.Subject, "Valid") || !strings.Contains(f.Fix.Diff, "+++ b/slow.go") {
		t.Errorf("finding %+v", f)
	}
	if got := succeed(t, "advise", "-format", "github", "latest"); !strings.HasPrefix(got, "::warning file=slow.go,line=7,title=a regular expression") || strings.Count(got, "\n") != len(report.Findings) {
		t.Errorf("github:\n%s", got)
	}
	var sarif struct {
		Version string
		Runs    []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(succeed(t, "advise", "-format", "sarif")), &sarif); err != nil || sarif.Version != "2.1.0" || len(sarif.Runs[0].Results) != len(report.Findings) {
		t.Errorf("sarif: %v, %+v", err, sarif)
	}
	files, err := filepath.Glob(".hone/runs/*/profiles/*/cpu.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no profiles in the run: %v", err)
	}
	if got := succeed(t, "advise", files[0]); !strings.Contains(got, "regexp-per-call-") {
		t.Errorf("of %s:\n%s", files[0], got)
	}
	if got := succeed(t, "advise", "-explain", f.ID); !strings.Contains(got, "regexp-per-call: ") || !strings.Contains(got, "sync.Map") || !strings.Contains(got, "The rewrite is offered if the pattern is constant") {
		t.Errorf("explained:\n%s", got)
	}

	if got := succeed(t, "fix", "-n", "regexp-per"); !strings.HasPrefix(got, "--- a/slow.go\n") {
		t.Errorf("fix -n:\n%s", got)
	}
	var fixed outcome
	// A busy machine is judged by CPU time, which takes more iterations to tell from that of starting the process.
	for _, n := range [][]string{{"6", "20000x"}, {"6", "200000x"}, {"18", "200000x"}} {
		fixed = hone(t, "fix", "-count", n[0], "-benchtime", n[1], "regexp-per")
		if !strings.Contains(fixed.stdout, "inconclusive  ") {
			break
		}
	}
	if fixed.code != exitOK || !strings.Contains(fixed.stdout, "confirmed  "+f.ID) {
		t.Fatalf("exit code %d\n%s%s", fixed.code, fixed.stdout, fixed.stderr)
	}
	text, err := os.ReadFile("slow.go")
	if err != nil || !strings.Contains(string(text), "return validRE.MatchString(name)") {
		t.Errorf("%v; the file is\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(".hone", "advice", f.ID+".patch")); err != nil {
		t.Error(err)
	}
	hone(t, "fix", "regexp-per").failsWith(t, exitFailure, "has changed since")
	if got := hone(t, "advise", "latest"); got.code != exitOK || !strings.Contains(got.stderr, ": it has no profiles of time, memory or waiting") {
		t.Errorf("the measurement of hone fix has no profiles: %+v", got)
	}
	// The profiles are of a source that is no more: its functions have moved.
	first := strings.Split(filepath.ToSlash(files[0]), "/")[2] // hone fix has made others since
	if got := hone(t, "advise", first); got.code != exitOK {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
}

// ^C while benchmarks are profiled: there is advice on what has been, which is the first of
// them before the second is measured.
func TestAdviseInterrupted(t *testing.T) {
	dir := moduleOfFiles(t, slowModule)
	later := "package slow\n\nimport \"testing\"\n\nfunc BenchmarkZLater(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "z_test.go"), []byte(later), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if files, _ := filepath.Glob(filepath.Join(dir, ".hone/runs/*/profiles/*/cpu.pb.gz")); len(files) > 0 {
				cancel() // while memory is profiled
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var stdout bytes.Buffer
	var stderr sharedBuffer
	code := execute(ctx, []string{"advise", "-profiletime", "1s", "."}, strings.NewReader(""), &stdout, &stderr)
	if code != exitFailure || !strings.Contains(stdout.String(), "regexp-per-call-") {
		t.Errorf("exit code %d\n%s", code, stdout.String())
	}
	for _, want := range []string{"kept as a partial run: ", "this advice covers the 1 benchmark profiled so far\n", "hone: interrupted\n"} {
		if !strings.Contains(stderr.b.String(), want) {
			t.Errorf("no %q in %s", want, stderr.b.String())
		}
	}
	measured, err := filepath.Glob(filepath.Join(dir, ".hone/runs/*/bench.txt"))
	if err != nil || len(measured) != 1 {
		t.Fatal(measured, err)
	}
	if text, err := os.ReadFile(measured[0]); err != nil || strings.Contains(string(text), "ZLater") {
		t.Errorf("%v; measured were\n%s", err, text)
	}
}

func TestAdviseUsage(t *testing.T) {
	moduleOfFiles(t, slowModule)
	for want, args := range map[string][]string{
		"invalid -min 2: use a share":         {"advise", "-min", "2"},
		"invalid -hot 0: use a share":         {"advise", "-hot", "0"},
		`invalid -format "x": use text, json`: {"advise", "-format", "x"},
		"-service can't be combined with y":   {"advise", "-service", "x", "y"},
		"missing finding: give its id":        {"fix"},
		"invalid -class \"C\": use A or AB":   {"tune", "-class", "C"},
		"invalid -most 0: use at least 1":     {"tune", "-most", "0"},
	} {
		hone(t, args...).failsWith(t, exitUsage, want)
	}
	hone(t, "advise", "-explain", "x").failsWith(t, exitFailure, "unknown rule \"x\"")
	hone(t, "advise", "nothing.pb.gz").failsWith(t, exitFailure, "nothing.pb.gz")
	if got := succeed(t, "advise", "-explain"); !strings.Contains(got, "regexp-per-call") {
		t.Errorf("rules:\n%s", got)
	}
}

// TestAdviseStranger: profiles of another program are no ground for advice.
func TestAdviseStranger(t *testing.T) {
	stranger, err := filepath.Abs("../../examples/visitors/testdata")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(stranger, "*.cpu.pb.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no profiles: %v", err)
	}
	moduleOfFiles(t, slowModule)
	if got := succeed(t, "advise", files[0]); !strings.Contains(got, "No findings") || !strings.Contains(got, "are they from another program?") {
		t.Errorf("said:\n%s", got)
	}
}

// TestAdviseHotLines: hot lines without a pattern are told apart from advice, and hone fix says what to do
// about one.
func TestAdviseHotLines(t *testing.T) {
	recorded, err := filepath.Abs("../../internal/advice/rules/testdata/hot-line-recorded")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(recorded, "hotlines.go"))
	if err != nil {
		t.Fatal(err)
	}
	moduleOfFiles(t, map[string]string{"go.mod": "module example.com/hotlines\n\ngo 1.24\n", "hotlines.go": string(source)})
	cpu := filepath.Join(recorded, "cpu.pb.gz")
	if got := succeed(t, "advise", "-format", "github", cpu); !strings.Contains(got, "::notice file=hotlines.go,line=78,title=a hot line%3A looking up a map::cost: 17.9 %25 of the CPU time") {
		t.Errorf("github:\n%s", got)
	}
	var report struct {
		Findings []struct{ ID, Class, Rule string }
		HotLines int
	}
	count := func(args ...string) int {
		report.HotLines = 0
		if err := json.Unmarshal([]byte(succeed(t, append(append([]string{"advise", "-json"}, args...), cpu)...)), &report); err != nil {
			t.Fatal(err)
		}
		return len(report.Findings)
	}
	usual, all, hottest := count(), count("-all"), count("-hot", "0.2")
	if !(all > usual && usual > hottest && hottest == 2) || report.Findings[1].Class != "look" || report.Findings[1].Rule != "hot-line" {
		t.Errorf("%d findings, %d with -all and %d with -hot 0.2: %+v", usual, all, hottest, report)
	}
	hone(t, "fix", "hot-line").failsWith(t, exitFailure, "only facts about a hot line: make the line run less often or do less")
	if got := succeed(t, "advise", "-explain", report.Findings[1].ID); !strings.Contains(got, "no rule knows a pattern there (class look)") {
		t.Errorf("explained:\n%s", got)
	}
}

// TestAdviseCounts: with -counts, advice says exactly how often a hot line runs.
func TestAdviseCounts(t *testing.T) {
	moduleOfFiles(t, map[string]string{
		"go.mod": "module example.com/pairs\n\ngo 1.24\n",
		"pairs.go": `package pairs

// Pairs counts pairs.
func Pairs(xs []int) (n int) {
	for i := range xs {
		for j := range i {
			if xs[i]^xs[j] == 0x55 {
				n++
			}
		}
	}
	return n
}
`,
		"pairs_test.go": `package pairs

import "testing"

func BenchmarkPairs(b *testing.B) {
	b.Run("n=400", func(b *testing.B) {
		xs := make([]int, 400)
		for b.Loop() {
			Pairs(xs)
		}
	})
}
`,
	})
	const counted = "It runs 79800 times per operation of Pairs/n=400" // 400 · 399 / 2
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"advise", "-json", "-counts", "-profiletime", "300ms", "."}, true},
		{[]string{"advise", "-json", "latest"}, false},
	} {
		var report struct {
			Findings []struct {
				Rule, Why string
				Line      int
			}
		}
		if err := json.Unmarshal([]byte(succeed(t, c.args...)), &report); err != nil {
			t.Fatal(err)
		}
		said := false
		for _, f := range report.Findings {
			said = said || f.Rule == "hot-line" && strings.Contains(f.Why, counted) && strings.Contains(f.Why, ", 79800 times per call of Pairs (counted).")
		}
		if said != c.want {
			t.Errorf("%q: %+v", c.args, report.Findings)
		}
	}
}

// TestAdviseGen: -gen writes benchmarks from tests, where there are none, as a patch or as files.
func TestAdviseGen(t *testing.T) {
	moduleOfFiles(t, map[string]string{
		"go.mod":  slowModule["go.mod"],
		"slow.go": slowModule["slow.go"] + "\n// Same returns its argument.\nfunc Same(s string) string { return s }\n",
		"slow_test.go": `package slow

import "testing"

func TestValid(t *testing.T) {
	if !Valid("abc") {
		t.Error("wrong")
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	Same("a")
}
`,
	})
	hone(t, "advise", ".").failsWith(t, exitFailure, "hone advise -gen writes some from tests")
	hone(t, "tune", ".").failsWith(t, exitFailure, "hone advise -gen writes some from tests")
	hone(t, "advise", "-write", ".").failsWith(t, exitUsage, "-write needs -gen")
	o := hone(t, "advise", "-gen", ".")
	if o.code != exitOK || !strings.Contains(o.stdout, "+++ b/generated_bench_test.go") || !strings.Contains(o.stdout, `+		Valid("abc")`) || infile.Exists("generated_bench_test.go") {
		t.Errorf("exit %d\n%s", o.code, o.stdout)
	}
	if !strings.Contains(o.stderr, "no benchmark for Same: TestSame uses t.Parallel") {
		t.Errorf("what it refused:\n%s", o.stderr)
	}
	if again := hone(t, "tune", "-gen"); again.stdout != o.stdout {
		t.Errorf("hone tune -gen:\n%s", again.stdout)
	}
	if got := succeed(t, "advise", "-gen", "-write", "."); !strings.HasPrefix(got, "Wrote generated_bench_test.go: 1 benchmark\n") || !strings.HasSuffix(got, "\n  hone advise .\n") {
		t.Errorf("-write:\n%s", got)
	}
	hone(t, "advise", "-gen", ".").failsWith(t, exitFailure, "no benchmarks to write: tests can't be repeated for Same (TestSame uses t.Parallel)")
	if got := succeed(t, "advise", "-profiletime", "300ms", "."); !strings.Contains(got, "regexp-per-call-") {
		t.Errorf("advice:\n%s", got)
	}
}

// TestAdviseTests: -tests gives advice on what tests do, where there are no benchmarks.
func TestAdviseTests(t *testing.T) {
	moduleOfFiles(t, map[string]string{
		"go.mod":  slowModule["go.mod"],
		"slow.go": slowModule["slow.go"],
		"slow_test.go": `package slow

import "testing"

func TestValid(t *testing.T) {
	for range 1000 {
		if !Valid("abc") || Valid("ABC") {
			t.Error("wrong")
		}
	}
}
`,
	})
	hone(t, "advise", ".").failsWith(t, exitFailure, "hone advise -tests profiles the tests")
	hone(t, "advise", "-tests").failsWith(t, exitUsage, "-tests needs packages, such as ./...")
	if got := succeed(t, "advise", "-tests", "-profiletime", "1s", "."); !strings.Contains(got, "regexp-per-call-") || !strings.Contains(got, "the tests of example.com/slow") {
		t.Errorf("advice:\n%s", got)
	}
}
