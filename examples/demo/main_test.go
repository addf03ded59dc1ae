package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestMain makes the test a program that takes the place of hone, or of the one to profile.
func TestMain(m *testing.M) {
	switch os.Getenv("DEMO_TEST") {
	case "hone":
		os.Exit(playHone(os.Args[1:]))
	case "program":
		text, err := os.ReadFile(os.Getenv("DEMO_TEST_PROFILE"))
		if err == nil {
			err = os.WriteFile(os.Args[len(os.Args)-1], text, 0o666)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runs are those that the loop leaves, the newest first.
const runs = `[
	{"id": "guard", "command": ["hone", "check", "-against", "HEAD", "-profile", "none"]},
	{"id": "last", "command": ["hone", "bench", "-against", "HEAD"]},
	{"id": "fix", "command": ["hone", "fix", "regexp-per-call"]},
	{"id": "first", "command": ["hone", "bench", "-count", "6"]}]`

// playHone prints what hone printed in a real demo on a busy machine: the files of
// testdata are those of out/demo/out.
func playHone(args []string) int {
	switch args[0] {
	case "runs":
		fmt.Println(runs)
		return 0
	case "ui":
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<title>InUse") }))
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, os.Interrupt)
		fmt.Fprintf(os.Stderr, "Serving on %s/run?run=last; ^C ends it\n", s.URL)
		select {
		case <-ended:
		case <-time.After(5 * time.Minute): // the demo is gone
		}
		return 0
	case "fix":
		if err := os.WriteFile("fixed.go", []byte("package main\n"), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	kept, err := filepath.Glob("out/*.txt") // the newest is for this command
	if err != nil || len(kept) == 0 {
		fmt.Fprintln(os.Stderr, "no file for the output:", err)
		return 1
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv("DEMO_TEST_DATA"), filepath.Base(slices.Max(kept))))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "$ "):
		case strings.HasPrefix(line, "hone: "):
			fmt.Fprint(os.Stderr, line)
		default:
			if strings.HasPrefix(line, "FAIL") {
				code = 3
			}
			fmt.Print(line)
		}
	}
	return code
}

// walk runs both parts of the demo.
func walk(t *testing.T) (first, rest string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("DEMO_TEST_DATA", data)
	t.Setenv("DEMO_TEST_PROFILE", filepath.Join("..", "wordindex", "testdata", "cpu.pb.gz"))
	var out bytes.Buffer
	t.Setenv("DEMO_TEST", "program")
	if err := firstLook(t.Context(), newScreen(&out), self, dir, time.Second); err != nil {
		t.Fatalf("%v, after\n%s", err, out.String())
	}
	first = out.String()
	if page, err := os.ReadFile(filepath.Join(dir, "flame.html")); err != nil || !bytes.Contains(page, []byte("addLine")) {
		t.Errorf("the flame graph has %d bytes without addLine, %v", len(page), err)
	}
	out.Reset()
	t.Setenv("DEMO_TEST", "hone")
	if err := (&loop{screen: newScreen(&out), hone: self, dir: filepath.Join(dir, "demo")}).run(t.Context()); err != nil {
		t.Fatalf("%v, after\n%s", err, out.String())
	}
	return first, out.String()
}

// TestScreens: what the demo prints fits three screens, and says nothing twice.
func TestScreens(t *testing.T) {
	first, loop := walk(t)
	for _, want := range []string{"main.addLine via regexp.MustCompile", "word := regexp.MustCompile(", "Flame graph: "} {
		if !strings.Contains(first, want) {
			t.Errorf("the first screen is without %q:\n%s", want, first)
		}
	}
	for _, want := range []string{
		"$ hone compare first last\n", "$ hone ui -no_browser first last\n",
		"FAIL no garbage", "regexp-per-call-", "confirmed  regexp-per-call-", " ok  no garbage", "FAIL stays fast", "(gone)", "The page answers.",
	} {
		if !strings.Contains(loop, want) {
			t.Errorf("the loop is without %q:\n%s", want, loop)
		}
	}
	if n := strings.Count(loop, "other programs used"); n != 1 {
		t.Errorf("%d warnings about other programs, want one:\n%s", n, loop)
	}
	all := first + loop
	if n := strings.Count(all, "\n"); n > 110 { // and a few lines of make
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(all) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns && !strings.HasPrefix(line, "  (cd ") {
			t.Errorf("more than %d columns: %s", columns, line)
		}
	}
	if steps := regexp.MustCompile(`(?m)^== .*\n(greet\.go: .*\n)?\$ `).FindAllString(all, -1); len(steps) != strings.Count(all, "== ")-strings.Count(all, "=== ") {
		t.Errorf("headings without a command:\n%s", all)
	}
}

// TestStepFails: a command that ends otherwise than it should ends the demo, which says where to look.
func TestStepFails(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEMO_TEST", "hone")
	t.Setenv("DEMO_TEST_DATA", data)
	for _, c := range []struct {
		step step
		want string
	}{
		{step{args: []string{"bench"}, code: 3}, "hone bench ended with exit code 0, want 3"},
		{step{args: []string{"bench"}, matter: regexp.MustCompile("^nothing$")}, "hone bench didn't print what the demo expects"},
		{step{args: []string{"dance"}}, "hone dance ended with exit code 1, want 0"},
		{step{edit: [2]string{"greetNever", "greetCompile"}, args: []string{"bench"}}, "greet.go calls greetNever 0 times, want 1"},
	} {
		l := &loop{screen: newScreen(new(bytes.Buffer)), hone: self, dir: t.TempDir()}
		if err := l.unpack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.step(t.Context(), c.step); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestPick(t *testing.T) {
	if first, last, err := pick([]byte(runs)); first != "first" || last != "last" || err != nil {
		t.Errorf("%q and %q, %v", first, last, err)
	}
	if _, _, err := pick([]byte(`[{"id": "load", "command": ["hone", "load"]}]`)); err == nil {
		t.Error("no two runs, and no error")
	}
}
