package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/hostile"
)

func reviewOf(t *testing.T, c *Comparison) Review {
	t.Helper()
	r, err := c.Review()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReview: the first line of a review says what matters, and the worst row comes first.
func TestReview(t *testing.T) {
	base := lines("Fast", 10, 900) + lines("Slow", 10, 500) + lines("Slower", 10, 500) + lines("Same", 10, 500)
	for _, c := range []struct {
		head, title, first string
		outcome            Outcome
	}{
		{base, "no change found in 4 results", "", Passed},
		{lines("Fast", 10, 300) + lines("Slow", 10, 500) + lines("Slower", 10, 500) + lines("Same", 10, 500), "no regressions, 1 improvement", "Fast", Passed},
		{lines("Fast", 10, 300) + lines("Slow", 10, 600) + lines("Slower", 10, 900) + lines("Same", 10, 500), "2 regressions, 1 improvement", "Slower", Regressed},
		{lines("Fast", 10, 300) + lines("Slow", 10, 500) + lines("Same", 10, 500), "no regressions, 1 improvement, not everything was measured", "Fast", Incomplete},
		{lines("Fast", 10, 300) + lines("Slow", 10, 900) + lines("Same", 10, 500), "1 regression, 1 improvement, not everything was measured", "Slow", Regressed},
	} {
		runs := inFolder(t, map[string]string{"a.txt": base, "b.txt": c.head})
		r := reviewOf(t, comparisonOf(t, runs, []string{"a.txt", "b.txt"}, false))
		if r.Title != c.title || r.Outcome != c.outcome {
			t.Errorf("%s: %s, want %s: %s", r.Outcome, r.Title, c.outcome, c.title)
		}
		heading, _, _ := strings.Cut(r.Body, "\n")
		if icon := map[Outcome]string{Passed: "✅", Regressed: "❌", Incomplete: "⚠️"}[c.outcome]; heading != "### "+icon+" Benchmarks: "+c.title {
			t.Errorf("heading %q", heading)
		}
		if row := regexp.MustCompile("(?m)^\\| \\S* ?\\| `(\\w+)`").FindStringSubmatch(r.Body); c.first != "" && row[1] != c.first {
			t.Errorf("%s: the first row is %s, want %s", c.title, row[1], c.first)
		}
		if !strings.Contains(r.Body, "\nRepeat it: `hone compare a.txt b.txt`\n") {
			t.Errorf("no command to repeat it:\n%s", r.Body)
		}
	}
}

// TestReviewSize: however many benchmarks there are, and whatever their names, a review has at most
// MarkdownBytes, says what it leaves out, and ends what it begins.
func TestReviewSize(t *testing.T) {
	escaped := strings.Repeat("|`<@", 200)
	runs := inFolder(t, map[string]string{"a.txt": lines("B", 8, 100), "same.txt": lines("B", 8, 100), "slow.txt": lines("B", 8, 200), "other.txt": lines("C", 8, 100)})
	for name, n := range map[string]int{"B": 10_000, escaped: 1000} {
		for _, files := range []string{"a.txt same.txt", "a.txt slow.txt", "a.txt other.txt", "a.txt", "a.txt same.txt slow.txt"} {
			c := comparisonOf(t, runs, strings.Fields(files), false)
			for _, s := range c.Sides {
				one := s.Comparisons
				for i := range n {
					again := one[i%len(one)]
					again.Benchmark = fmt.Sprintf("%s%d", name, i)
					s.Comparisons = append(s.Comparisons, again)
				}
			}
			for i := range c.tables {
				c.tables[i].Rows = slices.Repeat(c.tables[i].Rows, n)
			}
			for i := range 100 {
				c.Warnings = append(c.Warnings, fmt.Sprintf("warning %d %s", i, name))
			}
			body := reviewOf(t, c).Body
			if len(body) > MarkdownBytes || len(body) < MarkdownBytes/2 {
				t.Errorf("%.10s of %s: %d bytes", name, files, len(body))
			}
			if n := len(regexp.MustCompile(`(?m)^(- )?\d+ \w+ left out$`).FindAllString(body, -1)); n < 2 {
				t.Errorf("%.10s of %s: %d lines say what is left out", name, files, n)
			}
			if starts, ends := strings.Count(body, "<details>"), strings.Count(body, "</details>"); starts != ends || starts == 0 {
				t.Errorf("%.10s of %s: %d folds begin, %d end", name, files, starts, ends)
			}
			for line := range strings.Lines(body) {
				if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|\n") {
					t.Errorf("%.10s of %s: a command of GitLab, or a row without an end: %.100q", name, files, line)
				}
			}
		}
	}
}

// TestReviewHostile: the Markdown of a review has the same signs whatever the texts are.
func TestReviewHostile(t *testing.T) {
	parts := func(bad string) []string {
		runs := inFolder(t, map[string]string{"a.txt": hostile.Benchmarks(bad, 500), "b.txt": hostile.Benchmarks(bad, 900)})
		c := comparisonOf(t, runs, []string{"a.txt", "b.txt"}, false)
		c.Links = []Link{{"the job" + bad, "https://ci.example/1?q=" + bad}}
		c.notes, c.Warnings = []string{"note" + bad}, []string{"warning" + bad}
		got, err := hostile.Parts(hostile.Markdown, regexp.MustCompile(`\(<https?://[^<>|\s]*>\)`).ReplaceAllString(reviewOf(t, c).Body, "()"))
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(got, func(s string) bool { return s == "[" || s == "]" }) // an address that is none isn't a link
	}
	want := parts(hostile.Plain)
	for _, bad := range hostile.Texts {
		if got := parts(bad); !slices.Equal(got, want) {
			t.Errorf("%.60q: %d signs, want %d", bad, len(got), len(want))
		}
	}
}

// TestReadDocument: a comparison that was written as JSON says the same in Markdown.
func TestReadDocument(t *testing.T) {
	runs := inFolder(t, map[string]string{"one.txt": lines("Single", 1, 5) + lines("Both", 8, 5), "two.txt": lines("Both", 8, 9) + lines("Other", 8, 5)})
	// JSON has the names of columns, not of files, and the revisions of columns only.
	repeat := regexp.MustCompile("(?m)^Repeat it: `hone compare .*| vs main 3f2a9c1d7")
	for _, names := range [][]string{{"latest"}, {baseRun, againstRun}, {"one.txt", "two.txt"}, {"one.txt", "latest"}, {"one.txt"}, {baseRun}, {"old=latest:base", "new=latest", "two.txt"}} {
		c := comparisonOf(t, runs, names, false)
		var doc strings.Builder
		if err := c.Write(&doc, JSON); err != nil {
			t.Fatal(err)
		}
		again, err := ReadDocument([]byte(doc.String()))
		if err != nil {
			t.Errorf("%q: %v", names, err)
			continue
		}
		want, got := reviewOf(t, c), reviewOf(t, again)
		want.Body, got.Body = repeat.ReplaceAllString(want.Body, ""), repeat.ReplaceAllString(got.Body, "")
		if strings.TrimSpace(got.Body) != strings.TrimSpace(want.Body) || got.Title != want.Title || got.Outcome != want.Outcome {
			t.Errorf("%q: %s\n%s\nwant %s\n%s", names, got.Title, got.Body, want.Title, want.Body)
		}
	}
	for _, bad := range []string{"", "{}", "[]", `{"columns":[{"label":"a"}],"comparisons":[{}]}`, `{"columns":[{"label":"a"},{"label":"b"}],"comparisons":[{}]}`, `{"columns":[{"label":"a"},{"label":"b"}],"comparisons":[{"comparisons":[{"verdict":"x"}]}]}`} {
		if c, err := ReadDocument([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, c)
		}
	}
}
