package compare

import (
	"fmt"
	"strings"
	"testing"
)

// comparisonOf compares what names mean below root, and explains what changed.
func comparisonOf(t *testing.T, root string, names []string, keepProfiles bool) *Comparison {
	t.Helper()
	in, err := Read(t.Context(), root, nil, names)
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Compare(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Explain(t.Context(), keepProfiles); err != nil {
		t.Fatal(err)
	}
	return c
}

// written returns a comparison in a format.
func written(t *testing.T, root string, names []string, format Format) string {
	t.Helper()
	c := comparisonOf(t, root, names, false)
	var b strings.Builder
	if err := c.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestScreen: text fits on a screen, however much there is: what got worse comes
// first, and what is left out is counted.
func TestScreen(t *testing.T) {
	var base, head strings.Builder
	for i := range 60 {
		name := fmt.Sprintf("B%02d", i)
		base.WriteString(lines(name, 10, 500))
		head.WriteString(lines(name, 10, map[int]float64{0: 300, 1: 900, 2: 500}[i%3]))
	}
	runs := inFolder(t, map[string]string{"base.txt": base.String(), "head.txt": head.String()})
	text := written(t, runs, []string{"base.txt", "head.txt"}, Text)
	if n := strings.Count(text, "\n"); n != 1+screenSeries+2 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for _, want := range []string{"\nB01  sec/op", "25 more changed: -v lists them\n", "20 without a change that can be told from noise: 20 without change; -v lists them\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "faster") {
		t.Errorf("what got faster stands before what got slower:\n%s", text)
	}
	// What is told of runs, too; and the whole has all of it.
	text, full := written(t, runs, []string{againstRun}, Text), written(t, runs, []string{againstRun}, Full)
	if n := strings.Count(text, "\n"); n > screenLines+2 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if !strings.Contains(text, "-v explains 1 more change") || strings.Count(text, "what moved it") != 2 || strings.Count(full, "what moved it") != 3 ||
		strings.Contains(text, "geomean") || !strings.Contains(full, "geomean") || !strings.Contains(full, "Hash-2        allocs/op") {
		t.Errorf("text\n%s\nin full\n%s", text, full)
	}
}
