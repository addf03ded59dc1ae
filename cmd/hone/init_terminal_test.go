//go:build unix

package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/hone-go/hone/internal/git/gittest"
)

// TestInitAsks: on a terminal, hone init writes what it has shown only if the answer is yes.
func TestInitAsks(t *testing.T) {
	for answer, written := range map[string]bool{"y": true, "Yes": true, "n": false, "": false} {
		t.Chdir(t.TempDir())
		gittest.Write(t, ".", initModule)
		terminal, stream, err := pty.Open()
		if err != nil {
			t.Skip(err)
		}
		defer terminal.Close()
		defer stream.Close()
		if _, err := io.WriteString(terminal, answer+"\n"); err != nil {
			t.Fatal(err)
		}
		var shown strings.Builder
		read := make(chan struct{})
		go func() {
			defer close(read)
			io.Copy(&shown, terminal) // until the other end is closed
		}()
		a := &app{stdin: stream, stdout: stream, stderr: stream, getenv: os.Getenv}
		code := exitCode(t.Context(), a, []string{"init", "-bench", "None"})
		stream.Close()
		<-read
		if _, err := os.Stat("AGENTS.md"); code != 0 || (err == nil) != written || !strings.Contains(shown.String(), "Write 2 files? [y/N] ") {
			t.Errorf("%q: exit code %d, written %v\n%s", answer, code, err == nil, shown.String())
		}
	}
}
