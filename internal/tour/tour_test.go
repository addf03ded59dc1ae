package tour

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test be the hone that a tour runs.
func TestMain(m *testing.M) {
	if os.Getenv("HONE_TEST_HONE") == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "version":
		fmt.Println("hone (devel)")
	default:
		os.Exit(1)
	}
}

// guide returns one whose copy is unpacked, hone being this test.
func guide(t *testing.T, out *bytes.Buffer, answers string) *Guide {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HONE_TEST_HONE", "1")
	g := &Guide{Hone: self, Dir: t.TempDir(), Out: out, Stdout: out, Stderr: out}
	if answers != "" {
		g.Answers = bufio.NewReader(strings.NewReader(answers))
	}
	if err := g.unpack(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTourAsks(t *testing.T) {
	s := &script{end: "That is the loop.", steps: []step{
		{title: "One", text: "first", do: []action{{print: `(?m)^func greet\(.*$`}}},
		{title: "Two", text: "second", do: []action{{hone: []string{"version"}}}},
		{title: "Three", text: "third"},
	}}
	for answers, last := range map[string]string{"\n\n": "third", "\nq\n": "second", "Q\n": "first", "\n": "second", "quit\n": "first"} {
		var out bytes.Buffer
		if err := guide(t, &out, answers).follow(t.Context(), s); err != nil {
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
	s := &script{steps: []step{{do: []action{{hone: []string{"check"}, code: missed}}}}}
	if err := guide(t, &out, "").follow(t.Context(), s); err == nil || err.Error() != "hone check ended with exit code 1" {
		t.Errorf("a command that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := guide(t, &out, "\n")
	s = &script{steps: []step{{}, {do: []action{{hone: []string{"version"}}}}}}
	if err := g.follow(ctx, s); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := readScript([]byte("-- step: One --\n> dance\n")); err == nil || err.Error() != `step "One": unknown action "dance"` {
		t.Errorf("a tour of an unknown kind: %v", err)
	}
}
