package advice

import (
	"encoding/json"
	"strings"
	"testing"
)

// gains is a finding that promises something.
func gains(id, file string, line int, worth float64) Finding {
	rule, _, _ := strings.Cut(id, "-")
	return Finding{ID: id, Rule: rule, Class: AdviceOnly, Title: "it is " + rule, File: file, Line: line, Bound: Bound{Time: worth, Speedup: 1 / (1 - worth), Worth: worth}}
}

// of is a finding about a benchmark.
func of(benchmark string, f Finding) Finding {
	f.Evidence.Subject = benchmark
	return f
}

// TestSummary: up to three findings that are worth doing, the first first, and how many there are.
func TestSummary(t *testing.T) {
	a, b, c, d := gains("a-1", "/src/p.go", 1, 0.5), gains("b-1", "/src/p.go", 2, 0.4), gains("c-1", "/src/q.go", 3, 0.3), gains("d-1", "/src/q.go", 4, 0.2)
	little := gains("e-1", "/src/q.go", 5, 0.005)
	look := gains("f-1", "/src/q.go", 6, 0.9)
	look.Class = Look
	folded := gains("g-1", "/src/p.go", 1, 0.4)
	folded.Folded = "a-1"
	for _, test := range []struct {
		found []Finding
		want  string
	}{
		{[]Finding{look, little}, "Nothing with a known pattern is worth doing.\n\n"},
		{[]Finding{a, look, folded}, "1 thing is worth doing:\n    p.go:1  it is a: at most 2 times as fast\n\n"},
		{[]Finding{a, b, c, little}, "3 things are worth doing:\n    p.go:1  it is a: at most 2 times as fast\n    p.go:2  it is b: at most 1.67 times as fast\n    q.go:3  it is c: at most 1.43 times as fast\n\n"},
		{[]Finding{a, b, c, d}, "The first 3 of 4 things that are worth doing:\n    p.go:1  it is a: at most 2 times as fast\n    p.go:2  it is b: at most 1.67 times as fast\n    q.go:3  it is c: at most 1.43 times as fast\n\n"},
		{[]Finding{of("Get-2", a), of("Put-2", look)}, "1 thing is worth doing:\n    p.go:1  it is a: at most 2 times as fast (Get-2)\n\n"},
		{[]Finding{of("Get-2", a), of("Get-2", look)}, "1 thing is worth doing:\n    p.go:1  it is a: at most 2 times as fast\n\n"},
	} {
		r := &Report{Findings: test.found, Summary: summary(test.found)}
		var b strings.Builder
		r.summaryText(&b, "/src")
		if b.String() != test.want {
			t.Errorf("%q, want %q", b.String(), test.want)
		}
	}
}

func TestMost(t *testing.T) {
	for _, c := range []struct {
		bound Bound
		want  string
	}{
		{Bound{}, ""},
		{Bound{Time: 0.001, Speedup: 1.001}, ""},
		{Bound{Time: 0.5, Speedup: 2}, "at most 2 times as fast"},
		{Bound{Time: 0.995, Speedup: 200}, "saves up to nearly all of the time"},
		{Bound{Time: 1}, "saves up to nearly all of the time"},
		{Bound{Bytes: 0.44}, "at most 44 % of the bytes"},
		{Bound{Waiting: 0.41}, "at most 41 % of the waiting"},
	} {
		if got := c.bound.Most(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.bound, got, c.want)
		}
	}
}

// TestPerLine: a line has one finding, which names the others there. One that can be tried at once comes
// first, unless it is worth much less.
func TestPerLine(t *testing.T) {
	fixed := func(f Finding) Finding {
		f.Fix = &Fix{}
		return f
	}
	for _, c := range []struct {
		name, want string
		found      []Finding
	}{
		{"two lines", "a-1 b-1", []Finding{gains("a-1", "p.go", 1, 0.5), gains("b-1", "p.go", 2, 0.4)}},
		{"one line", "a-1+b-1 c-1 (b-1)", []Finding{gains("a-1", "p.go", 1, 0.5), gains("b-1", "p.go", 1, 0.4), gains("c-1", "p.go", 2, 0.3)}},
		{"two files", "a-1 b-1", []Finding{gains("a-1", "p.go", 1, 0.5), gains("b-1", "q.go", 1, 0.4)}},
		{"a rewrite", "b-1+a-1 (a-1)", []Finding{gains("a-1", "p.go", 1, 0.5), fixed(gains("b-1", "p.go", 1, 0.3))}},
		{"a small one", "a-1+b-1 (b-1)", []Finding{gains("a-1", "p.go", 1, 0.5), fixed(gains("b-1", "p.go", 1, 0.1))}},
		{"programs", "a-1 b-1", []Finding{gains("a-1", "", 0, 0.5), gains("b-1", "", 0, 0.4)}},
	} {
		var got []string
		for _, f := range perLine(c.found) {
			text := f.ID
			for _, a := range f.Also {
				text += "+" + a.ID
			}
			if f.Folded != "" {
				text = "(" + text + ")"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}

// TestNoNull: lists without elements are lists in JSON, too.
func TestNoNull(t *testing.T) {
	x := &examiner{collector: collect(nil, nil), options: &Options{}}
	report := x.report(nil, nil, nil, &source{})
	text, err := json.Marshal(report)
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v: %s", err, text)
	}
	if text, err = json.Marshal(report.Shown()); err != nil || string(text) != "[]" {
		t.Errorf("%v: %s", err, text)
	}
	if text, err = json.Marshal(new(Finding).Costs()); err != nil || string(text) != "[]" {
		t.Errorf("%v: %s", err, text)
	}
}

// TestMarkdown: what a job's summary shows.
func TestMarkdown(t *testing.T) {
	found := []Finding{gains("a-1", "/src/p_x.go", 1, 0.5), gains("b-1", "/src/p.go", 2, 0.005)}
	found[1].Little = true
	var b strings.Builder
	if err := (&Report{Findings: found, Summary: summary(found)}).WriteMarkdown(&b, "/src"); err != nil {
		t.Fatal(err)
	}
	const want = "### Advice\n\n1 thing is worth doing:\n\n1. p\\_x.go:1  it is a: at most 2 times as fast\n\n" +
		"| finding | place | gain | class |\n|---|---|---|---|\n| it is a (`a-1`) | p\\_x.go:1 | at most 2 times as fast | C |\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
