package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tourOf returns a tour with steps of its own, hone being this test: see TestMain.
func tourOf(t *testing.T, out *bytes.Buffer, answers string, steps ...tourStep) *tour {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HONE_TEST_HONE", "1")
	a := &app{stdin: strings.NewReader(""), stdout: out, stderr: out, getenv: os.Getenv}
	tr := &tour{app: a, hone: self, Dir: t.TempDir(), tourScript: &tourScript{steps: steps, end: "That is the loop."}}
	if answers != "" {
		tr.answers = bufio.NewReader(strings.NewReader(answers))
	}
	if err := tr.Errorf(t.Context()); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestTour walks all of it: every command of the tour ends as it says.
func TestTour(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a minute")
	}
	t.Setenv("HONE_TEST_HONE", "1")
	dir := filepath.Join(t.TempDir(), "copy")
	o := hone(t, "tour", "-y", "-dir", dir)
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	wantLines(t, o.stdout, `^── 1 of 10: The program`, `func greetCompile\(`, `^FAIL no garbage visitors InUse\S*: 3\d allocs/op`, `^regexp-per-call-\w+ `,
		`regexp\.compile \(gone\)$`, `^InUse\S* +allocs/op +4.000 → 0.000 +-4.000 +exact +better, confirmed$`, `^ ok  no garbage`, `^\(exit code 3\)$`, `^  answered  \d+ requests in`, `^  a request costs .* of CPU time`, `^That is the loop`)
	if _, err := os.Stat(filepath.Join(dir, "hone.toml")); err != nil {
		t.Errorf("-dir does not keep the copy: %v", err)
	}
	if o := hone(t, "tour", "-y", "-dir", dir); o.code != exitFailure || !strings.Contains(o.stderr, "exists") {
		t.Errorf("a folder that is there: %+v", o)
	}
}

func TestTourAsks(t *testing.T) {
	steps := []tourStep{
		{title: "One", text: "first", do: []tourAction{{print: `(?m)^func greet\(.*$`}}},
		{title: "Two", text: "second", do: []tourAction{{hone: []string{"version"}}}},
		{title: "Three", text: "third"},
	}
	for answers, last := range map[string]string{"\n\n": "third", "\nq\n": "second", "Q\n": "first", "\n": "second", "quit\n": "first"} {
		var out bytes.Buffer
		if err := tourOf(t, &out, answers, steps...).run(t.Context()); err != nil {
			t.Error(err)
		}
		text := out.String()
		for i, s := range []string{"first", "second", "third"} {
			if want := strings.Index("first second third", last) >= strings.Index("first second third", s); strings.Contains(text, s) != want {
				t.Errorf("answers %q: step %d is there: %v\n%s", answers, i+1, !want, text)
			}
		}
		if last == "third" && (!strings.Contains(text, "$ hone version\nhone ") || !strings.Contains(text, "greetCompile(w, r)") || !strings.Contains(text, "That is the loop")) {
			t.Error(text)
		}
	}
}

func TestTourErrors(t *testing.T) {
	var out bytes.Buffer
	tr := tourOf(t, &out, "", tourStep{do: []tourAction{{hone: []string{"check"}, code: exitMissed}}})
	if err := tr.run(t.Context()); err == nil || err.Error() != "hone check ended with exit code 1" {
		t.Errorf("a command that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr = tourOf(t, &out, "\n", tourStep{}, tourStep{do: []tourAction{{hone: []string{"version"}}}})
	if err := tr.run(ctx); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := readTour([]byte("-- step: One --\n> dance\n")); err == nil || err.Error() != `step "One": "dance" is nothing that a tour does` {
		t.Errorf("a tour of an unknown kind: %v", err)
	}
	hone(t, "tour", "x").failsWith(t, exitUsage, `unexpected argument "x"`)
	t.Setenv("PATH", t.TempDir())
	hone(t, "tour", "-y").failsWith(t, exitFailure, "the tour needs the go command")
}
