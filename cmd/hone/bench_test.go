package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/git/gittest"
)

// benchModule makes a module in a repository, with a commit of three
// allocations a call and a working tree of one, and makes it the current folder.
func benchModule(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m.go":   "package m\n\nvar sink []byte\n\nfunc Make() {\n\tfor range 3 {\n\t\tsink = make([]byte, 100)\n\t}\n}\n",
		"m_test.go": `package m

import "testing"

func BenchmarkMake(b *testing.B) {
	for range b.N {
		Make()
	}
}
`,
	}
	gittest.Write(t, ".", files)
	for _, args := range []string{"init -q", "add -A", "-c user.name=t -c user.email=t@example.com commit -q -m slow", "branch slow"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	edit(t, "range 3", "range 1")
}

func edit(t *testing.T, old, new string) {
	t.Helper()
	text, err := os.ReadFile("m.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("m.go", []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func wantLines(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(`(?m)` + p).MatchString(text) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

func TestBench(t *testing.T) {
	benchModule(t)
	o := hone(t, "bench", "-count", "2", "-benchtime", "1000x")
	if o.code != 0 {
		t.Fatal(o)
	}
	wantLines(t, o.stdout, `^pkg: example.com/m$`, `sec/op`, `^Make\S* +1\.000 ± `, `^run \d{8}-\d{6}-\w{4} in \.hone/runs$`, `^  hone ui \d{8}`)
	// What is printed to be typed next works.
	next := regexp.MustCompile(`(?m)^  hone (top .*)$`).FindStringSubmatch(o.stdout)
	if next == nil {
		t.Fatalf("no command in\n%s", o.stdout)
	}
	if top := hone(t, strings.Fields(next[1])...); top.code != 0 {
		t.Errorf("hone %s: %+v", next[1], top)
	}
	if list := hone(t, "top", "latest:Make/mem"); !strings.Contains(list.stdout, "example.com/m.Make") {
		t.Errorf("%+v", list)
	}
	out, err := exec.Command("git", "status", "--porcelain").Output()
	if err != nil || string(out) != " M m.go\n" {
		t.Errorf("status %q, %v", out, err)
	}
}

func TestBenchAgainst(t *testing.T) {
	benchModule(t)
	args := []string{"bench", "-against", "HEAD", "-count", "2", "-benchtime", "10000x", "-precheck", "0", "-profile", "mem"}
	o := hone(t, args...)
	if o.code != 0 {
		t.Fatalf("an improvement ends with %+v", o)
	}
	wantLines(t, o.stdout, `^Make\S* +allocs/op +3\.000 → 1\.000 +-66\.67% +exact +better, confirmed$`,
		`allocs/op, 3\.000 → 1\.000, -66\.67%: what moved it`, `example\.com/m\.Make$`, `^  hone diff \S+base/Make`, `^  hone compare -o report.html`)

	edit(t, "range 1", "range 4")
	o = hone(t, args...)
	if o.code != exitMissed {
		t.Fatalf("a regression ends with %+v", o)
	}
	wantLines(t, o.stdout, `^REGRESSION  example.com/m Make\S* allocs/op: worse$`)

	budget := "[[objective]]\nbenchmark = \"Make\"\nmetric = \"allocs/op\"\nbudget = \"50%\"\n\n[[objective]]\nbenchmark = \"Make\"\nmetric = \"B/op\"\nbudget = \"50%\"\n\n" +
		"[[objective]]\nbenchmark = \"Make\"\nmetric = \"ns/op\"\nbudget = \"95%\"\n"
	if err := os.WriteFile("hone.toml", []byte(budget), 0o666); err != nil {
		t.Fatal(err)
	}
	o = hone(t, append(args, "-json", "-o", "kept")...)
	if o.code != 0 {
		t.Fatalf("within the budget: %+v", o)
	}
	var got benchJSON
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Regression || filepath.Dir(got.Dir) != "kept" || !strings.Contains(string(got.Comparison), "within budget") || got.Failures == nil {
		t.Errorf("%s", o.stdout)
	}

	edit(t, "range 4", "range 3")
	if o = hone(t, args...); o.code != 0 || o.stdout != "example.com/m: no change: the test binary is the same as in HEAD\n" {
		t.Errorf("without a change: %+v", o)
	}
	edit(t, "range 3", "range x")
	if o = hone(t, args...); o.code != 1 || !strings.Contains(o.stderr, "example.com/m (head): does not build\n") || !strings.Contains(o.stderr, "    ./m.go:6:12: undefined: x") {
		t.Errorf("with an error: %+v", o)
	}
}

func TestBenchUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-count 0", "invalid -count 0: use at least 1"},
		{"-benchtime 0", "use a time above 0"},
		{"-benchtime 0x", "use a number of iterations above 0"},
		{"-cpu 0", `-cpu: invalid list "0"`},
		{"-pin 3-1", `-pin: invalid list "3-1"`},
		{"-profile heap", `invalid -profile "heap": use cpu`},
		{"-timeout -1s", "must be above 0"},
		{"-precheck 3", "-precheck needs -against REF"},
		{"-against HEAD -for 3m -count 5", "-for and -count can't be combined"},
		{"-against HEAD -for 0s", "invalid -for 0s: use a time above 0"},
		{"-for 3m", "-for needs -against REF"},
		{"-wait -1s", "invalid -wait -1s: use 0 or more"},
		{"-tests both", `invalid -tests "both": use head, base, each`},
		{"-tests base", "-tests needs -against REF"},
		{"-against=", "-against is empty"},
		{"-nonsense", "flag provided but not defined: -nonsense"},
	} {
		if o := hone(t, append([]string{"bench"}, strings.Fields(c.args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
}

func TestBenchFlags(t *testing.T) {
	f := newBenchFlags()
	args := "-tags a,b ./x -race -short -cpu 1,2-3 -bench=^A$ -benchmem -benchtime 2s ./y -args -v 3"
	if err := f.parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]string{
		"packages":    {strings.Join(f.Packages, " "), "./x ./y"},
		"build flags": {strings.Join(f.BuildFlags, " "), "-tags=a,b -race=true"},
		"arguments":   {strings.Join(f.Args, " "), "-test.short -v 3"},
		"command":     {strings.Join(f.Command, " "), "hone bench " + args},
		"pattern":     {f.Pattern, "^A$"},
		"profiles":    {strings.Join(f.Profiles, " "), "cpu mem"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
	if len(f.CPU) != 3 || f.Benchtime.Duration.Seconds() != 2 || f.ProfileAll {
		t.Errorf("%+v", f.Bench)
	}
	help := succeed(t, "help", "bench")
	f.fs.VisitAll(func(g *flag.Flag) {
		if !regexp.MustCompile(`[\s]-` + g.Name + `\b`).MatchString(help) {
			t.Errorf("the help does not mention -%s", g.Name)
		}
	})
}

// TestBenchVet measures what go vet objects to, by default and not.
func TestBenchVet(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/m\n\ngo 1.24\n")
	write(t, "m_test.go", "package m\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc BenchmarkM(b *testing.B) {\n\t_ = fmt.Sprintf(\"%d\", \"x\")\n}\n")
	args := []string{"bench", "-count", "1", "-benchtime", "1x", "-profile", "none"}
	o := hone(t, args...)
	if o.code != exitFailure || !strings.Contains(o.stderr, "example.com/m: does not pass go vet, which go test runs; -vet=off") || !strings.Contains(o.stderr, "fmt.Sprintf format %d has arg \"x\" of wrong type string") {
		t.Errorf("by default: %+v", o)
	}
	if o := hone(t, append(args, "-vet=off")...); o.code != 0 {
		t.Errorf("-vet=off: %+v", o)
	}
	// An analyzer that go test leaves out by default.
	write(t, "m_test.go", "package m\n\nimport \"testing\"\n\nfunc BenchmarkM(b *testing.B) {\n\tx := 1\n\tx = x\n\t_ = x\n}\n")
	if o := hone(t, args...); o.code != 0 {
		t.Errorf("by default: %+v", o)
	}
	if o := hone(t, append(args, "-vet", "assign")...); o.code != exitFailure || !strings.Contains(o.stderr, "self-assignment of x") {
		t.Errorf("-vet assign: %+v", o)
	}
}

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1400 * time.Millisecond: "1 s", time.Minute: "1 min", 250 * time.Second: "4 min 10 s", 3601 * time.Second: "1 h 1 s",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		e    bench.Event
		want string
	}{
		{bench.Event{Stage: "build", What: "example.com/m"}, "build  example.com/m"},
		{bench.Event{Stage: "measure", What: "Make-2", Done: 4, Total: 20, Left: 61e9}, "measure  5 of 20  1m1s left  Make-2"},
	} {
		if got := progressLine(c.e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestRegressionLine: a metric has the name that it has in the table of verdicts.
func TestRegressionLine(t *testing.T) {
	for unit, want := range map[string]string{
		"ns/op":            "p B-2 sec/op: slower beyond its budget of 2 %",
		experiment.CPUTime: "p B-2 user+sys-sec/op: slower beyond its budget of 2 %",
		"B/op":             "p B-2 B/op: worse beyond its budget of 2 %",
	} {
		c := experiment.Comparison{Key: experiment.Key{Package: "p", Benchmark: "B-2", Unit: unit}, Verdict: experiment.Worse, Beyond: true, Budget: .02}
		if got := regressionLine(&c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
