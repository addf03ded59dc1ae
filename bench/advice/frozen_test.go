package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keptApart are the lists of commits whose repositories are in no other list.
var keptApart = []string{"world.jsonl", "sealed.jsonl", "sealed2.jsonl", "sealed3.jsonl", "sealed4.jsonl"}

// The lists here are as they were frozen.
func TestFrozen(t *testing.T) {
	var cases []testCase
	for _, list := range append([]string{"cases.jsonl"}, keptApart...) {
		some, left, err := readList(list)
		if err != nil || left != 0 {
			t.Fatalf("%s: %d cases are not frozen, error %v", list, left, err)
		}
		cases = append(cases, some...)
	}
	for _, list := range []string{"silent.jsonl", "silent4.jsonl"} {
		if _, left, err := readList(list); err != nil || left != 0 {
			t.Errorf("%s: %d, %v", list, left, err)
		}
	}
	lines, err := readLines("reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := parseReasons(lines)
	for _, c := range cases {
		for _, pattern := range c.patterns() {
			if _, ok := known[pattern]; !ok {
				t.Errorf("%s: reasons.txt has no pattern %q", c.ID, pattern)
			}
		}
	}
}

// No repository of a list that was kept apart is in another one, so that what is mended for one list
// can't be why another is right.
func TestListsApart(t *testing.T) {
	in := make(map[string]string)
	for _, list := range append([]string{"cases.jsonl", "silent.jsonl"}, keptApart...) {
		cases, err := readCases(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			other := in[c.Repo]
			if in[c.Repo] = list; other == "" || other == list {
				continue
			}
			if slices.Contains(keptApart, list) {
				t.Errorf("%s: %s is in %s too", list, c.Repo, other)
			}
		}
	}
	places, err := readCases("silent4.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range places {
		if in[c.Repo] != "sealed4.jsonl" {
			t.Errorf("silent4.jsonl: %s is not a module of sealed4.jsonl alone: %q", c.Repo, in[c.Repo])
		}
	}
}

// The modules to try hone tune on are as they were frozen, and in no list of cases.
func TestTuneFrozen(t *testing.T) {
	frozen, err := readLines("tune.frozen")
	if err != nil || len(frozen) != 4 {
		t.Fatalf("tune.frozen: %d lines, %v", len(frozen), err)
	}
	in := make(map[string]string)
	for _, list := range append([]string{"cases.jsonl", "silent.jsonl"}, keptApart...) {
		cases, err := readCases(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			in[c.Repo] = list
		}
	}
	for _, line := range frozen {
		hash, list, _ := strings.Cut(line, "  ")
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != hash {
			t.Errorf("%s isn't what was frozen: its hash is %s, not %s", list, got, hash)
		}
		for module := range strings.Lines(string(text)) {
			repo, _, _ := strings.Cut(module, " ")
			if other := in[repo]; other != "" {
				t.Errorf("%s: %s is in %s too", list, repo, other)
			}
			in[repo] = list
		}
	}
}

// A finding of a rule that has many things to say is right only if it says the words.
func TestSaysOneOf(t *testing.T) {
	f := finding{Rule: "hot-line", Title: "a hot line: growing a slice", Why: "It takes 40 %."}
	for _, test := range []struct {
		reasons []string
		want    bool
	}{
		{nil, false},
		{[]string{"slice-grows"}, false},
		{[]string{"slice-grows", "hot-line:growing_a_slice"}, true},
		{[]string{"hot-line:making_a_map"}, false},
		{[]string{"map-grows:growing_a_slice"}, false},
		{[]string{"hot-line"}, true},
	} {
		if got := f.saysOneOf(test.reasons); got != test.want {
			t.Errorf("%q: %v", test.reasons, got)
		}
	}
}

// A list is frozen once. What is added later counts apart, and what is changed is noticed.
func TestFreeze(t *testing.T) {
	dir := t.TempDir()
	list, rules := filepath.Join(dir, "list.jsonl"), filepath.Join(dir, "reasons.txt")
	write := func(name string, lines ...string) {
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one, two := `{"id": "one", "pattern": "loop", "file": "a.go"}`, `{"id": "two", "pattern": "sort", "also": ["loop"]}`
	write(list, one)
	write(rules, "sort sort-slice")
	if err := freeze(list); err == nil || !strings.Contains(err.Error(), `no pattern "loop"`) {
		t.Errorf("freezing a pattern that isn't there: %v", err)
	}
	write(rules, "sort sort-slice", "loop byte-loop")
	if _, left, err := readList(list); left != 1 || err != nil {
		t.Errorf("before it is frozen: %d left, %v", left, err)
	}
	if err := freeze(list); err != nil {
		t.Fatal(err)
	}
	if err := freeze(list); err == nil {
		t.Error("frozen twice")
	}
	write(rules, "sort sort-slice", "loop byte-loop", "loop ring-loop")
	write(list, one, two)
	if err := freeze(list); err != nil {
		t.Fatal(err)
	}
	cases, left, err := readList(list)
	if err != nil || left != 0 {
		t.Fatalf("%d left, %v", left, err)
	}
	for i, want := range []struct{ now, then []string }{
		{[]string{"byte-loop", "ring-loop"}, []string{"byte-loop"}},
		{[]string{"sort-slice", "byte-loop", "ring-loop"}, []string{"sort-slice", "byte-loop", "ring-loop"}},
	} {
		if c := cases[i]; !c.frozen || !slices.Equal(c.rules, want.now) || !slices.Equal(c.rulesThen, want.then) {
			t.Errorf("%s: %+v", c.ID, c)
		}
	}

	// By which rules a finding is right decides whether it counts without later reasons.
	found := []finding{{Rule: "ring-loop", File: "a.go"}}
	cases[0].ParentLines = []int{0, 1}
	if now, _ := cases[0].verdict(found, cases[0].rules, "."); now != right {
		t.Errorf("by all rules: %s", now)
	}
	if then, _ := cases[0].verdict(found, cases[0].rulesThen, "."); then != place {
		t.Errorf("by frozen rules: %s", then)
	}

	for name, change := range map[string]func(){
		"an older reason":   func() { write(rules, "sort sort-slice", "loop byte-loop hot-allocation", "loop ring-loop") },
		"a reason in front": func() { write(rules, "loop xor-loop", "sort sort-slice", "loop byte-loop", "loop ring-loop") },
		"another pattern":   func() { write(list, strings.Replace(one, "loop", "sort", 1), two) },
		"a missing case":    func() { write(list, one) },
	} {
		write(rules, "sort sort-slice", "loop byte-loop", "loop ring-loop")
		write(list, one, two)
		change()
		if _, _, err := readList(list); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	write(rules, "sort sort-slice", "loop byte-loop", "loop ring-loop")
	write(list, strings.Replace(one, `"loop"`, `"loop", "later": ["sort"]`, 1), two)
	if cases, _, err := readList(list); err != nil || !slices.Contains(cases[0].rules, "sort-slice") || slices.Contains(cases[0].rulesThen, "sort-slice") {
		t.Errorf("a pattern that was seen later: %v, %+v", err, cases)
	}
}
