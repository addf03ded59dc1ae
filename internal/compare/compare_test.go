package compare

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/git/gittest"
)

// The kept runs are those that the command is tested with: of one program, made
// faster from base to head. The newest has both sides.
const (
	kept       = "../../cmd/hone/testdata/runs"
	baseRun    = "20261120-093000-00aa"
	againstRun = "20261121-174823-9f3c"
)

// inFolder makes a folder with files the current one, and returns the path of
// the kept runs.
func inFolder(t *testing.T, files map[string]string) (runs string) {
	t.Helper()
	runs, err := filepath.Abs(kept)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	gittest.Write(t, ".", files)
	return runs
}

// lines makes results of a benchmark that vary a little.
func lines(name string, n int, ns float64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s 1000 %.1f ns/op\n", name, ns*(1+0.01*float64(i*7%5)))
	}
	return b.String()
}

// TestRead: which columns names give, with how many results.
func TestRead(t *testing.T) {
	runs := inFolder(t, map[string]string{"a.txt": lines("A", 3, 5), "b.txt": lines("A", 4, 5), "x=y.txt": lines("A", 5, 5)})
	for _, c := range []struct{ names, want string }{
		{"a.txt b.txt", "a.txt 3, b.txt 4"},
		{"a.txt a.txt b.txt", "a.txt#0 3, a.txt#1 3, b.txt 4"},
		{"old=a.txt b.txt", "old 3, b.txt 4"},
		{"old=a.txt old=b.txt", "old 7"}, // as benchstat does it
		{"x=y.txt", "x=y.txt 5"},         // a file goes first
		{"-", "- 2"},
		{"in=- a.txt", "in 2, a.txt 3"},
		{"latest", "main 3f2a9c1d7 20, 91bc04aa5+dirty 20"},
		{"latest latest", againstRun + "#0 20, " + againstRun + "#1 20"},
		{"latest:base", againstRun + ":base 20"},
		{"old=latest:base new=latest", "old 20, new 20"},
	} {
		in, err := Read(t.Context(), runs, strings.NewReader(lines("A", 2, 5)), strings.Fields(c.names))
		if err != nil {
			t.Errorf("%s: %v", c.names, err)
			continue
		}
		var got []string
		for _, one := range in.all {
			got = append(got, fmt.Sprintf("%s %d", one.Label, len(one.Results)))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.names, text, c.want)
		}
	}
}

// TestReportsTell: Markdown and HTML tell the same facts. Of the functions, HTML has all rows, and
// Markdown adds up the small ones.
func TestReportsTell(t *testing.T) {
	runs := inFolder(t, map[string]string{"one.txt": lines("Single", 1, 5) + lines("Both", 8, 5), "two.txt": lines("Both", 8, 9) + lines("Other", 8, 5)})
	for _, names := range [][]string{{"latest"}, {"one.txt", "two.txt"}, {"one.txt", "latest"}, {"one.txt"}, {"old=latest:base", "new=latest", "two.txt"}} {
		c := comparisonOf(t, runs, names, true)
		f := c.facts()
		facts := slices.Concat(f.notes, f.warnings)
		for _, e := range f.environment {
			facts = append(facts, e.name, e.value)
		}
		for _, p := range f.pairs {
			facts = append(facts, p.summary, p.head, p.base, p.method)
			for _, e := range p.explained {
				facts = append(facts, e.title(), e.caveat)
			}
			for _, r := range slices.Concat(p.changed, p.same) {
				facts = append(facts, r.name, r.Unit, r.Base, r.Head, r.Change, r.Interval, r.Verdict)
			}
			if len(p.changed)+len(p.same) != len(c.Sides[0].Comparisons) && len(names) < 3 {
				t.Errorf("%q: %d and %d rows of %d comparisons", names, len(p.changed), len(p.same), len(c.Sides[0].Comparisons))
			}
		}
		if f.alone != "" {
			facts = append(facts, f.alone)
		}
		for _, format := range []Format{Markdown, HTML} {
			want := slices.Clone(facts)
			for _, p := range f.pairs {
				for _, e := range p.explained {
					rows := len(e.rows)
					if format == Markdown {
						rows = reviewFunctions
					}
					for _, l := range append(e.lines(rows), e.callerLines(reportCallers)...) {
						want = append(want, l.name, l.words, l.change, l.interval, l.callees)
					}
				}
			}
			var b strings.Builder
			if err := c.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(html.UnescapeString(b.String()), "\u00a0", " ")
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%q: %s does not tell %q", names, format, w)
				}
			}
		}
	}
}

func TestReadNothing(t *testing.T) {
	if in, err := Read(t.Context(), t.TempDir(), nil, nil); err == nil {
		t.Errorf("%+v", in)
	}
}

func TestWriteUnknownFormat(t *testing.T) {
	var b strings.Builder
	if err := new(Comparison).Write(&b, "pdf"); err == nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
}

// TestFamilyInPlace: what was judged while measuring is what is told.
func TestFamilyInPlace(t *testing.T) {
	runs := inFolder(t, nil)
	in, err := Read(t.Context(), runs, nil, []string{"latest"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Compare(nil)
	if err != nil {
		t.Fatal(err)
	}
	judged := *c.Sides[0].Family
	judged.Comparisons = slices.Clone(judged.Comparisons)
	for i := range judged.Comparisons {
		judged.Comparisons[i].Verdict = experiment.WithinBudget
	}
	c.Sides[0].Family = &judged
	var b strings.Builder
	if err := c.Write(&b, Markdown); err != nil || !strings.Contains(b.String(), fmt.Sprintf("%d within budget", len(judged.Comparisons))) {
		t.Errorf("%v, %s", err, b.String())
	}
}

// TestCheckTogether: files are checked together, runs are not, and the inputs
// stay as they are.
func TestCheckTogether(t *testing.T) {
	runs := inFolder(t, map[string]string{"a.txt": lines("A", 3, 500), "b.txt": lines("A", 4, 500), "fast.txt": lines("A", 8, 100)})
	objectives, err := objective.Parse("hone.toml", []byte("[[objective]]\nbenchmark = \"A\"\nmetric = \"ns/op\"\nmax = 1000\n\n[[objective]]\nbenchmark = \"A\"\nmetric = \"ns/op\"\nbudget = \"10%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(t.Context(), runs, nil, []string{"a.txt", "b.txt"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := in.Check(t.Context(), objectives, "")
		if err != nil || c.Of != "a.txt, b.txt" || c.Base != "" || gate(c) != [2]int{} || len(c.Outcomes) != 1 {
			t.Fatalf("%+v, %v", c, err)
		}
		if want := "1 budget is not checked"; len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], want) {
			t.Errorf("warnings %q, want one: %s", c.Warnings, want)
		}
	}
	if a, b := len(in.all[0].Results), len(in.all[1].Results); a != 3 || b != 4 {
		t.Errorf("after the check there are %d and %d results", a, b)
	}
	c, err := in.Check(t.Context(), objectives, "fast.txt")
	if err != nil || c.Base != "fast.txt" || gate(c) != [2]int{1, 0} {
		t.Errorf("%+v, %v", c, err)
	}
	in, err = Read(t.Context(), runs, nil, []string{againstRun, baseRun})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := in.Check(t.Context(), objectives, ""); !errors.Is(err, ErrSeveralRuns) {
		t.Errorf("%+v, %v", c, err)
	}
}

func gate(c *Checked) [2]int {
	missed, unmeasured := c.Gate()
	return [2]int{missed, unmeasured}
}

// TestNegativeChanges: a change is a part of the base's size, so its sign is that of
// head − base in every format.
func TestNegativeChanges(t *testing.T) {
	for _, c := range []struct {
		base, head      float64
		table, csv, row string
	}{
		{-4, -1, "+75.00%", "0.75", "+3.000"},
		{-1, -3, "-200.00%", "-2", "-2.000"},
		{-2, 2, "+200.00%", "2", "+4.000"},
		{2, -2, "-200.00%", "-2", "-4.000"},
		{0, 5, "?", "", "+5.000"},
		{-5, 0, "+100.00%", "1", "+5.000"},
		{2, 3, "+50.00%", "0.5", "+50.00%"},
	} {
		values := func(v float64) string { return strings.Repeat(fmt.Sprintf("BenchmarkDrift 1 %g degrees\n", v), 8) }
		runs := inFolder(t, map[string]string{"a.txt": values(c.base), "b.txt": values(c.head)})
		compared := comparisonOf(t, runs, []string{"a.txt", "b.txt"}, false)
		for format, want := range map[Format]string{Full: c.table, CSV: "," + c.csv + ",0", Text: c.row, JSON: fmt.Sprintf("\"delta\": %q", c.table), Markdown: c.row, HTML: c.row} {
			var b strings.Builder
			if err := compared.Write(&b, format); err != nil || !strings.Contains(html.UnescapeString(b.String()), want) {
				t.Errorf("%g to %g: %s has no %q: %v\n%s", c.base, c.head, format, want, err, b.String())
			}
		}
	}
}

// TestExtremeValues: whatever a benchmark reports, every format is written, and what is
// not a number is said to be none.
func TestExtremeValues(t *testing.T) {
	values := []string{"NaN", "+Inf", "-Inf", "1e308", "-1e308", "1.7976931348623157e308", "5e-324", "0", "-0", "3"}
	var all []string
	for i, a := range values {
		for j, b := range values {
			all = append(all, fmt.Sprintf("BenchmarkR/%d/%d 1 %s ns/op %s rows/op %s µs %s °C\n", i, j, a, b, b, a))
			all = append(all, fmt.Sprintf("BenchmarkR/%d/%d 1 %s ns/op %s rows/op %s µs %s °C\n", i, j, b, a, a, b))
		}
	}
	turned := slices.Clone(all)
	slices.Reverse(turned)
	runs := inFolder(t, map[string]string{"a.txt": strings.Join(append(all, all...), ""), "b.txt": strings.Join(turned, "")})
	compared := comparisonOf(t, runs, []string{"a.txt", "b.txt"}, false)
	for _, format := range []Format{Text, Full, CSV, JSON, Markdown, HTML} {
		if err := compared.Write(new(strings.Builder), format); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	for _, want := range []string{
		"a.txt: R/0/0 rows/op is NaN, which is not a number, so it is not measured",
		"a.txt: R/0/9 sec/op is NaN in 2 of 4 results, which are left out: that is not a number",
		"b.txt: R/1/1 °C is +Inf, which is not a number, so it is not measured",
	} {
		if !slices.Contains(compared.Warnings, want) {
			t.Errorf("no warning %q in %q", want, compared.Warnings[:9])
		}
	}
}

// TestCompareNamesWhatIsMissing: with the reason, as far as the file has one.
func TestCompareNamesWhatIsMissing(t *testing.T) {
	whole := "pkg: p\n" + lines("A", 8, 500) + lines("B", 8, 500) + "PASS\nok  \tp\t1s\n"
	for head, want := range map[string][]string{
		"pkg: p\n" + lines("A", 8, 500) + "BenchmarkB-8 \tfatal error: stack overflow\nexit status 2\nFAIL\tp\t0.1s\n": {
			"failed in b.txt: p.B-8: fatal error: stack overflow", "only in a.txt: p.B (fatal error: stack overflow)"},
		"pkg: p\n" + lines("A", 8, 500):                                                   {"failed in b.txt: p: the output is cut short: no line says how the package ended"},
		"pkg: p\n" + lines("A", 8, 500) + "--- SKIP: BenchmarkB\nPASS\nok  \tp\t1s\n":     {"only in a.txt: p.B (it is skipped)"},
		"pkg: p\n" + lines("A", 8, 500) + "PASS\nok  \tp\t1s\n":                           {"only in a.txt: p.B"},
		"pkg: q\n" + lines("C", 8, 500) + "PASS\nok  \tq\t1s\n?   \tp\t[no test files]\n": {"only in a.txt: p.A (no test files), p.B (no test files)", "only in b.txt: q.C"},
	} {
		runs := inFolder(t, map[string]string{"a.txt": whole, "b.txt": head})
		c := comparisonOf(t, runs, []string{"a.txt", "b.txt"}, false)
		for _, w := range want {
			if !slices.Contains(c.Warnings, w) {
				t.Errorf("%q is not in %q", w, c.Warnings)
			}
		}
		failed := strings.HasPrefix(want[0], "failed")
		if len(c.Sides[0].Unmeasured) > 0 != failed || strings.HasPrefix(c.Sides[0].Summary(), "1 failed, ") != failed {
			t.Errorf("unmeasured %v: %s", c.Sides[0].Unmeasured, c.Sides[0].Summary())
		}
	}
}

// TestProse: whatever a text holds, Markdown takes it for text.
func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, 5 %":         "plain text, 5 %",
		"a|b":                     "a&#124;b",
		"see https://example.com": "see https&#58;//example.com",
		"www.example.com":         "www&#46;example.com",
		"\x1b[31m":                "\uFFFD&#91;31m",
		"@all #1":                 "&#64;&#8203;all &#35;&#8203;1",
		"!1 ~bug 5 % %1 a!":       "&#33;&#8203;1 &#126;&#8203;bug 5 % %&#8203;1 a&#33;",
	} {
		if got := prose(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{"Parse/n=1": "`Parse/n=1`", "a`b": "<code>a&#96;b</code>", " a": "<code> a</code>", "": ""} {
		if got := code(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	if got, want := CommandLine([]string{"hone", "bench", "-bench", "^A|B$", "it's", ""}), `hone bench -bench '^A|B$' 'it'\''s' ''`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	commit := "3f2a9c1d81c0ee52"
	for _, c := range []struct {
		head, base *experiment.Revision
		want       string
	}{
		{nil, nil, "-"},
		{&experiment.Revision{}, nil, "-"},
		{&experiment.Revision{Dirty: true}, nil, "-"},
		{&experiment.Revision{Commit: commit}, nil, "3f2a9c1d8"},
		{&experiment.Revision{Name: "3f2a", Commit: commit}, nil, "3f2a9c1d8"},
		{&experiment.Revision{Name: "main", Commit: commit, Dirty: true}, nil, "main 3f2a9c1d8+dirty"},
		{&experiment.Revision{Name: "a\x1b"}, &experiment.Revision{Name: "main"}, "a\uFFFD vs main"},
	} {
		if got := RevisionsText(c.head, c.base); got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.head, c.base, got, c.want)
		}
	}
	for name, want := range map[string]bool{
		"latest": true, "latest~2": true, "2026": true, againstRun: true,
		"localhost": false, "C": false, "206": false, "latest:6060": false, "old.txt": false, "": false,
	} {
		if IsRunName(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}
