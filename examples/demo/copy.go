package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/examples"
)

// A loop is one walk through the tuning loop, on a copy of an example.
type loop struct {
	*screen
	hone  string // the program's absolute path
	dir   string // of the copy
	serve bool
	n     int // commands so far
}

const objectives = `[[objective]]
name = "no garbage"
benchmark = "^InUse$"
metric = "allocs/op"
max = 0

[[objective]]
name = "stays fast"
benchmark = "^InUse$"
metric = "ns/op"
budget = "10%"
`

// unpack writes the example as a module, in its first, slow version, and commits it.
func (l *loop) unpack(ctx context.Context) error {
	files := map[string][]byte{
		"go.mod":     []byte("module visitors\n\ngo 1.26\n"),
		"hone.toml":  []byte(objectives),
		".gitignore": []byte("/.hone/\n/out/\n/report.html\n"),
	}
	err := fs.WalkDir(examples.Visitors, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path.Base(name)], err = fs.ReadFile(examples.Visitors, name)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(l.dir, "out"), 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(l.dir, name), text, 0o666); err != nil {
			return err
		}
	}
	if err := l.edit("greetScanned", "greetCompile"); err != nil {
		return err
	}
	if err := l.git(ctx, "init", "-q"); err != nil {
		return err
	}
	return l.commit(ctx, "first version")
}

// edit changes which version of the handler is in use.
func (l *loop) edit(old, new string) error {
	file := filepath.Join(l.dir, "greet.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	call := func(name string) []byte { return []byte("{ " + name + "(w, r) }") }
	if n := bytes.Count(text, call(old)); n != 1 {
		return fmt.Errorf("greet.go calls %s %d times, want 1", old, n)
	}
	return os.WriteFile(file, bytes.Replace(text, call(old), call(new), 1), 0o666)
}

func (l *loop) commit(ctx context.Context, message string) error {
	if err := l.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return l.git(ctx, "commit", "-q", "-m", message)
}

func (l *loop) git(ctx context.Context, args ...string) error {
	// Independent of the user's git settings: names, signatures, hooks.
	settings := []string{"-c", "user.name=hone demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=" + os.DevNull}
	cmd := exec.CommandContext(ctx, "git", append(settings, args...)...)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// runHone runs a command, keeps what it prints in a file, and shows its warnings.
func (l *loop) runHone(ctx context.Context, file string, args []string, want int) (stdout string, err error) {
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprintf(f, "$ hone %s\n", strings.Join(args, " "))
	var out, warnings bytes.Buffer
	cmd := exec.CommandContext(ctx, l.hone, args...)
	cmd.Dir = l.dir
	// hone bench builds with -trimpath: net/http and what it imports are compiled once.
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, f), io.MultiWriter(&warnings, f)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	for line := range strings.Lines(warnings.String()) {
		if text, ok := strings.CutPrefix(line, "hone: "); ok {
			l.warn("hone: " + strings.TrimSpace(text))
		}
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return "", errors.Join(err, ctx.Err())
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		return "", fmt.Errorf("hone %s ended with exit code %d, want %d: the machine may be too busy. See %s", args[0], code, want, file)
	}
	return out.String(), f.Close()
}

// interrupt ends a process as ^C does, where there are signals.
func interrupt(p *os.Process) error {
	if err := p.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return p.Kill()
	}
	return nil
}
