package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// benchLines makes n results of a benchmark that vary a little.
func benchLines(name string, n int, ns float64, more string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s 1000 %.1f ns/op%s\n", name, ns*(1+0.01*float64(i*7%5)), more)
	}
	return b.String()
}

// TestCompare compares the output in all formats with golden files.
func TestCompare(t *testing.T) {
	type golf struct{ name, file string }
	cases := []struct {
		name string
		args []string
	}{
		{"against.txt", []string{"compare", "latest"}},
		{"against-v.txt", []string{"compare", "-v", "latest"}},
		{"against.md", []string{"compare", "-markdown", "latest"}},
		{"against.json", []string{"compare", "-json", "latest"}},
		{"against.csv", []string{"compare", "-csv", "latest"}},
		{"apart.txt", []string{"compare", baseRun, headRun}},
		{"three.txt", []string{"compare", "-v", "old=" + baseRun, "again=" + againstRun + ":base", "new=latest"}},
		{"one.txt", []string{"compare", headRun}},
		{"one.md", []string{"compare", "-markdown", headRun}},
		{"slower.md", []string{"compare", "-markdown", headRun, baseRun}},
		{"file-and-run.txt", []string{"compare", "old.txt", headRun}},
		{"file-and-run-v.txt", []string{"compare", "-v", "old.txt", headRun}},
	}
	var files []golf
	for _, c := range cases {
		files = append(files, golf{c.name, goldenFile(t, filepath.Join("compare", c.name))})
	}
	runs := inModule(t)
	text, err := os.ReadFile(filepath.Join(runs, baseRun, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "old.txt", string(text))
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) { golden(t, files[i].file, succeed(t, c.args...)) })
	}
	for ending, flag := range map[string]string{"csv": "-csv", "json": "-json", "md": "-markdown", "html": "-html"} {
		file := "out." + ending
		succeed(t, "compare", "-o", file, "latest")
		written, err := os.ReadFile(file)
		if err != nil || string(written) != succeed(t, "compare", flag, "latest") {
			t.Errorf("-o %s is not what %s prints (%v)", file, flag, err)
		}
	}
}

// TestCompareIsBenchstat: for files of any origin the whole output is benchstat's,
// to the byte.
func TestCompareIsBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	dir := t.TempDir()
	benchstat := filepath.Join(dir, "benchstat.exe")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	write(t, "old.txt", "goos: linux\npkg: a\n"+benchLines("Parse/n=1-8", 10, 500, " 96 B/op 3 allocs/op")+benchLines("Gone", 10, 5, "")+"Benchmark broken\n")
	write(t, "new.txt", "goos: linux\npkg: a\n"+benchLines("Parse/n=1-8", 10, 400, " 64 B/op 2 allocs/op")+benchLines("New", 1, 5, " 12.5 MB/s"))
	write(t, "x=y.txt", benchLines("Parse/n=1-8", 3, 400, " 64 B/op 2 allocs/op"))
	for _, args := range [][]string{
		{"old.txt", "new.txt"}, {"old.txt"}, {"old.txt", "new.txt", "new.txt"}, {"before=old.txt", "after=new.txt"}, {"a=old.txt", "a=new.txt", "b=new.txt"},
	} {
		want, err := exec.Command(benchstat, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := hone(t, append([]string{"compare", "-v"}, args...)...); got.code != 0 || got.stdout != string(want) {
			t.Errorf("%q: exit code %d\n%s\nbenchstat prints\n%s", args, got.code, got.stdout, want)
		}
	}
	if out := succeed(t, "compare", "x=y.txt"); !strings.Contains(out, "x=y.txt") {
		t.Errorf("the name of a file is taken for a label:\n%s", out)
	}
	if o := honeWith(t, nil, benchLines("Parse", 3, 5, ""), "compare", "-"); o.code != 0 || !strings.Contains(o.stdout, "Parse") {
		t.Errorf("standard input: %+v", o)
	}
}

// TestCompareWarnings: what cannot be compared is said in words.
func TestCompareWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"single", benchLines("A", 1, 5, ""), benchLines("A", 1, 6, ""), []string{"with a single sample nothing can be told from noise: measure with -count 10"}},
		{"missing", benchLines("A", 6, 5, "") + benchLines("B", 6, 5, ""), benchLines("A", 6, 6, "") + benchLines("C", 6, 5, ""), []string{"only in old.txt: B", "only in new.txt: C"}},
		{"units", strings.Repeat("BenchmarkA 1 5 req/s\n", 6), strings.Repeat("BenchmarkA 1 5 reqs/sec\n", 6), []string{"A: units differ: req/s in old.txt, reqs/sec in new.txt; these are not compared"}},
		{"one unit", benchLines("A", 6, 5, " 3 B/op"), benchLines("A", 6, 5, ""), []string{"A: B/op was measured in old.txt only"}},
		{"unit written differently", strings.Repeat("BenchmarkA 1 5 ns/op\n", 6), strings.Repeat("BenchmarkA 1 0.000000005 sec/op\n", 6), nil},
		{"CPUs", benchLines("A-4", 6, 5, ""), benchLines("A-8", 6, 5, ""), []string{"only in old.txt: A-4", "only in new.txt: A-8", "A-4 and A-8 have different numbers of CPUs"}},
		{"no result", benchLines("A", 6, 5, "") + "BenchmarkA 1 x ns/op\n", benchLines("A", 6, 5, ""), []string{"old.txt:7: parsing measurement"}},
		{"packages", "pkg: a\n" + benchLines("A", 6, 5, ""), "pkg: b\n" + benchLines("A", 6, 5, ""), []string{"only in old.txt: a.A", "only in new.txt: b.A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, "old.txt", c.old)
			write(t, "new.txt", c.new)
			o := hone(t, "compare", "old.txt", "new.txt")
			if o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			var got []string
			for line := range strings.Lines(o.stderr) {
				got = append(got, strings.TrimSpace(line))
			}
			if len(got) != len(c.want) {
				t.Fatalf("warnings %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("warning %q, want %q", got[i], want)
				}
			}
		})
	}
}

func TestCompareErrors(t *testing.T) {
	runs := inModule(t)
	write(t, "empty.txt", "")
	write(t, "text.txt", "BenchmarkA 1 x ns/op\n")
	write(t, filepath.Join(runs, headRun, "bench.txt"), "pkg: a\nBenchmarkA 1 x ns/op\n")
	write(t, filepath.Join(runs, baseRun, "run.json"), "{\n  \"schema\": 1,\n  what\n}\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "missing runs or files"},
		{[]string{"-csv", "-json", "latest"}, exitUsage, "-csv and -json can't be combined"},
		{[]string{"-delta", "latest"}, exitUsage, "flag provided but not defined: -delta"},
		{[]string{"nothere.txt"}, exitFailure, "open nothere.txt: no such file"},
		{[]string{"nothere"}, exitFailure, `no run "nothere"`},
		{[]string{"empty.txt"}, exitFailure, "empty.txt: no benchmark results in it"},
		{[]string{"text.txt"}, exitFailure, "text.txt: no benchmark results in it; text.txt:1: parsing"},
		{[]string{headRun}, exitFailure, filepath.Join(headRun, "bench.txt") + ":2: parsing measurement"},
		{[]string{".hone/runs/" + baseRun}, exitFailure, "run.json:3: invalid character 'w'"},
		{[]string{"-dir", runs, "latest~9"}, exitFailure, "only one run in "},
		{[]string{"."}, exitFailure, ". is not a run: it has no run.json"},
	} {
		hone(t, append([]string{"compare"}, c.args...)...).failsWith(t, c.code, c.want)
	}
	write(t, filepath.Join(runs, againstRun, "head.txt"), "")
	hone(t, "compare", "latest").failsWith(t, exitFailure, filepath.Join(againstRun, "head.txt")+": offset 0: ends here, of ")
}

// comparisonRead is what tests read of the JSON.
type comparisonRead struct {
	Tables []struct {
		Unit string
		Rows []struct {
			Benchmark string
			Cells     []struct {
				Median float64
				Delta  string
			}
		}
	}
	Comparisons []struct {
		Explanations []struct {
			Benchmark, Unit string
			Base, Head      float64
			// Those that changed by themselves, and others with what they call.
			Functions, Callers []movedRead
		}
	}
}

type movedRead struct {
	Name                               string
	BaseOwn, HeadOwn, BaseCum, HeadCum float64
}

// oddName is a name that tries to be something else in Markdown, HTML and on a
// terminal.
const oddName = "A/<img/src=x/onerror=alert(1)>|`x`[a](javascript:1)*@me&lt;\u001b[31m~~"

// TestHostileNames: names of benchmarks and files are shown, and do nothing.
func TestHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	label := "<b>|`old`"
	write(t, "old.txt", benchLines(oddName, 8, 500, ""))
	write(t, "new.txt", benchLines(oddName, 8, 900, ""))
	args := []string{"compare", label + "=old.txt", "new.txt"}

	md := succeed(t, append(args, "-markdown")...)
	for line := range strings.Lines(md) {
		if n := strings.Count(line, "|"); strings.HasPrefix(line, "|") && n != 7 {
			t.Errorf("a row of %d cells: %s", n-1, line)
		}
	}
	outside := regexp.MustCompile("`[^`\n]*`").ReplaceAllString(md, "")
	for _, bad := range []string{"<img", "<b>", "](", "@me", "**@", "\x1b"} {
		if strings.Contains(outside, bad) {
			t.Errorf("the Markdown has %q in it:\n%s", bad, md)
		}
	}
	if !strings.Contains(md, "onerror=alert(1)") {
		t.Errorf("the name is not shown:\n%s", md)
	}

	page := succeed(t, append(args, "-html")...)
	for _, bad := range []string{"<img", "<b>", "\x1b", "<script"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q in it", bad)
		}
	}
	if !strings.Contains(page, "&lt;img/src=x/onerror=alert(1)&gt;|`x`") {
		t.Error("the page does not show the name")
	}

	rows, err := csv.NewReader(strings.NewReader(succeed(t, append(args, "-csv")...))).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][1] != oddName || rows[1][3] != label {
		t.Errorf("CSV: %q, %v", rows, err)
	}
	var out comparisonRead
	if err := json.Unmarshal([]byte(succeed(t, append(args, "-json")...)), &out); err != nil || out.Tables[0].Rows[0].Benchmark != oddName {
		t.Errorf("JSON: %+v, %v", out, err)
	}
	if verdicts := hone(t, args...); strings.Contains(verdicts.stderr, "\x1b") {
		t.Error("a terminal is told to change colour by a warning")
	}
}

// TestComparePage checks that the page needs nothing else, runs no script, and
// has what it is for.
func TestComparePage(t *testing.T) {
	inModule(t)
	page := succeed(t, "compare", "-html", "latest")
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if policy == nil || !regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'$`).MatchString(policy[1]) {
		t.Errorf("policy %q", policy)
	}
	for _, bad := range []string{"<script", "javascript:", " style=", " on", "src=", "http://www.w3.org/1999/xlink", "https://"} {
		if at := strings.Index(strings.ReplaceAll(page, " one ", " "), bad); at >= 0 && bad != " on" {
			t.Errorf("the page has %q in it: …%.60s", bad, page[at:])
		}
	}
	if n := strings.Count(page, "<style>"); n != 1 {
		t.Errorf("%d styles, of which the policy names one", n)
	}
	for _, want := range []string{"<h1>1 faster, ", "regexp.(*Regexp).FindAllString</code> (gone)", "<title>regexp.(*Regexp).FindAllString\n", "faster, confirmed", "AMD EPYC", "geomean"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q in it", want)
		}
	}
	if n := strings.Count(page, "<svg "); n != 3 {
		t.Errorf("%d flame graphs, want one of both sides for each of 3 changed metrics", n)
	}
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// TestExplain: no function is more than the whole, and of those whose callees
// changed the one that is to blame comes first.
func TestExplain(t *testing.T) {
	inModule(t)
	var out comparisonRead
	if err := json.Unmarshal([]byte(succeed(t, "compare", "-json", "latest")), &out); err != nil {
		t.Fatal(err)
	}
	blamed := make(map[string]string)
	for _, e := range out.Comparisons[0].Explanations {
		blamed[e.Benchmark+" "+e.Unit] = e.Callers[0].Name
		for _, f := range append(e.Functions, e.Callers...) {
			if f.HeadCum > e.Head*1.001 || f.BaseCum > e.Base*1.001 || f.BaseOwn > f.BaseCum {
				t.Errorf("%s of %s: %+v is more than the whole", f.Name, e.Benchmark, f)
			}
		}
	}
	const all = "regexp.(*Regexp).FindAllString"
	for _, metric := range []string{"sec/op", "B/op", "allocs/op"} {
		if blamed["Count/n=20-2 "+metric] != all {
			t.Errorf("blamed %v, want %s", blamed, all)
		}
	}
	if len(blamed) != 3 {
		t.Errorf("explained %v: Hash did not change", blamed)
	}
}

// TestPartialRun: what there is of an interrupted run is compared, and said so.
func TestPartialRun(t *testing.T) {
	runs := inModule(t)
	file := filepath.Join(runs, headRun, "run.json")
	rename(t, filepath.Join(runs, headRun), `"complete"`, `"partial"`)
	bench := filepath.Join(runs, headRun, "bench.txt")
	text, err := os.ReadFile(bench)
	if err != nil {
		t.Fatal(err)
	}
	write(t, bench, string(text[:len(text)-5]))
	o := hone(t, "compare", baseRun, headRun)
	if o.code != 0 || !strings.Contains(o.stderr, "is partial: bench.txt: the last line was not written to its end") {
		t.Errorf("%s: exit code %d, %s", file, o.code, o.stderr)
	}
}

// TestLatestIsNotTheNewest: that latest skips a newer partial run is said once, also in the
// error that follows from it.
func TestLatestIsNotTheNewest(t *testing.T) {
	runs := inModule(t)
	const partial = "20300101-000000-0000"
	dir := filepath.Join(runs, partial)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "run.json"), `{"schema": 1, "id": "`+partial+`", "created": "2030-01-01T00:00:00Z", "state": "partial", "head": {}}`)
	for _, c := range [][2]string{
		{"compare latest", "latest is run "},
		{"compare latest~1 latest~1", "latest~1 is run "},
		{"compare latest:base latest", "latest is run "},
		{"top latest:Hash-2/cpu latest:Hash-2/cpu", "latest is run "},
		{"top latest:Nope/cpu", "has no cpu profile of Nope"},
		{"runs rm latest", "latest is run "},
	} {
		args, want := c[0], c[1]
		o := hone(t, strings.Fields(args)...)
		if n := strings.Count(o.stderr, "the newer "+partial+" is partial; give its name to use it"); n != 1 || !strings.Contains(o.stderr, want) {
			t.Errorf("hone %s: said %d times:\n%s", args, n, o.stderr)
		}
	}
	if o := hone(t, "compare", baseRun, headRun); strings.Contains(o.stderr, partial) {
		t.Errorf("runs by name: %s", o.stderr)
	}
}

// TestCompareNothing: where nothing changed, bench -against measures nothing.
func TestCompareNothing(t *testing.T) {
	runs := inModule(t)
	dir := filepath.Join(runs, "20300101-000000-0000")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "run.json"), `{"schema": 1, "id": "20300101-000000-0000", "created": "2030-01-01T00:00:00Z", "state": "complete",
		"command": [], "environment": {}, "head": {}, "base": {"name": "main"}, "notes": ["a: no change"], "files": {}}`)
	for _, format := range []string{"-markdown", "-html", "-json", "-o=-"} {
		if out := succeed(t, "compare", format, "latest"); !strings.Contains(out, "a: no change") {
			t.Errorf("%s: %s", format, out)
		}
	}
}

// TestCompareBudget: what a budget allows is no regression, in the words that
// hone bench had for it.
func TestCompareBudget(t *testing.T) {
	inModule(t)
	write(t, "a.txt", "pkg: example.com/words\n"+benchLines("Count/n=20-2", 8, 7000, ""))
	for budget, want := range map[string]string{"": "slower", "1%": "slower", "60%": "within budget"} {
		if budget != "" {
			write(t, "hone.toml", "[[objective]]\nbenchmark = \"Count\"\nmetric = \"ns/op\"\nbudget = \""+budget+"\"\n")
		}
		if budget == "" {
			os.Remove("hone.toml")
		}
		write(t, "b.txt", "pkg: example.com/words\n"+benchLines("Count/n=20-2", 8, 9000, ""))
		if out := succeed(t, "compare", "-markdown", "a.txt", "b.txt"); !strings.Contains(out, "1 "+want) {
			t.Errorf("budget %q: %s", budget, out)
		}
	}
}
