package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/shell"
)

// TestScreen: whatever the verb, a terminal shows what turns text around, and a
// pipe has it as it is.
func TestScreen(t *testing.T) {
	t.Chdir(t.TempDir())
	const name, shown = "gnp\u202eexe", `gnp\u202eexe`
	write(t, "old.folded", "main;"+name+" 500\n")
	write(t, "new.folded", "main;"+name+" 900\n")
	write(t, "old.txt", benchLines(name, 8, 500, ""))
	write(t, "new.txt", benchLines(name, 8, 900, ""))
	for _, args := range [][]string{
		{"top", "old.folded"},
		{"diff", "old.folded", "new.folded"},
		{"compare", "old.txt", "new.txt"},
		{"compare", "-v", "old.txt", "new.txt"},
	} {
		if out := succeed(t, args...); !strings.Contains(out, name) {
			t.Errorf("%q to a pipe: %q", args, out)
		}
		var out, stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: shell.NewScreen(&out), stderr: &stderr, getenv: os.Getenv}
		if code := exitCode(t.Context(), a, args); code != exitOK || !strings.Contains(out.String(), shown) || strings.Contains(out.String(), name) {
			t.Errorf("%q to a terminal: exit code %d, %q, %s", args, code, out.String(), stderr.String())
		}
	}
}

// TestScreenErrors: errors and warnings name what a stranger called so, too.
func TestScreenErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	const name, shown = "gnp\u202eexe", `gnp\u202eexe`
	for _, args := range [][]string{{"top", name}, {"no" + name}} {
		var stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: shell.NewScreen(&stderr), getenv: os.Getenv}
		exitCode(t.Context(), a, args)
		if text := stderr.String(); !strings.Contains(text, shown) || strings.Contains(text, name) {
			t.Errorf("%q: %q", args, text)
		}
	}
}

// TestPicturesOfNames: pictures and pages show it, too.
func TestPicturesOfNames(t *testing.T) {
	t.Chdir(t.TempDir())
	const name, shown = "gnp\u202eexe", `gnp\u202eexe`
	write(t, "old.folded", "main;"+name+" 500\n")
	write(t, "old.txt", benchLines(name, 8, 500, ""))
	write(t, "new.txt", benchLines(name, 8, 900, ""))
	for _, args := range [][]string{
		{"svg", "-output=-", "old.folded"},
		{"flame", "-format=svg", "old.folded"},
		{"compare", "-html", "old.txt", "new.txt"},
	} {
		if out := succeed(t, args...); !strings.Contains(out, shown) || strings.Contains(out, name) {
			t.Errorf("%q shows %d times what it is, %d times what it is not", args, strings.Count(out, shown), strings.Count(out, name))
		}
	}
}
