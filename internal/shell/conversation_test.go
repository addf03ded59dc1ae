//go:build unix

package shell

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// conversation is a program on a pseudo-terminal. Text is without carriage
// returns and escape sequences.
type conversation struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	text chan string
	seen string // and not yet returned by await
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\r")

func startConversation(t *testing.T, args, env []string, dir string) *conversation {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TERM=") })
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{t: t, cmd: cmd, tty: tty, text: make(chan string)}
	go func() {
		defer close(c.text)
		var buf [64 << 10]byte
		for {
			n, err := tty.Read(buf[:])
			if n > 0 {
				c.text <- string(buf[:n])
			}
			if err != nil { // EIO when the program has ended
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGKILL)
		tty.Close()
		for range c.text {
		}
	})
	return c
}

func (c *conversation) send(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.tty, keys); err != nil {
		c.t.Fatal(err)
	}
}

// await returns what the program writes up to and including want.
func (c *conversation) await(want string) string {
	c.t.Helper()
	deadline := time.After(time.Minute)
	for {
		text := escapes.ReplaceAllString(c.seen, "")
		if i := strings.Index(text, want); i >= 0 {
			i += len(want)
			c.seen = text[i:]
			return text[:i]
		}
		select {
		case more, ok := <-c.text:
			if !ok {
				c.t.Fatalf("the program ended; waiting for %q after %q", want, text)
			}
			c.seen += more
		case <-deadline:
			c.t.Fatalf("waited in vain for %q after %q", want, text)
		}
	}
}

// wait waits for the program to end well.
func (c *conversation) wait() {
	c.t.Helper()
	done := make(chan error, 1)
	go func() {
		for range c.text {
		}
		done <- c.cmd.Wait()
	}()
	select {
	case err := <-done:
		if err != nil {
			c.t.Errorf("the program ended with %v", err)
		}
	case <-time.After(time.Minute):
		c.t.Fatal("the program does not end")
	}
}
