// Package gocmd runs the go command, with its environment, errors and overlays.
package gocmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Command is a call of the go command.
type Command struct {
	Dir  string   // where it runs; "": the current folder
	Env  []string // added to hone's environment, or replacing its variables
	Args []string // without "go"
	// Run runs the command and its child processes; nil: [exec.Cmd.Run].
	Run func(*exec.Cmd) error
	// Stderr receives what Output would keep for the error; nil: Output keeps it.
	Stderr io.Writer
}

// Limits on downloads, for [Command.Env].
const (
	// NoDownloads makes the command use only modules and toolchains on this machine.
	NoDownloads = "GOPROXY=off"
	// LocalToolchain makes the command use the installed toolchain, whatever go.mod asks for.
	LocalToolchain = "GOTOOLCHAIN=local"
)

// waitDelay is how long to wait for output after a command has ended: child processes may
// still have it open.
const waitDelay = 5 * time.Second

// An Error is the error of a failed command.
type Error struct {
	Verb   string // "list"
	Stderr string // trimmed of blanks
	Err    error  // its exit status, or why it didn't start
}

func (e *Error) Error() string {
	if e.Stderr != "" {
		return fmt.Sprintf("go %s: %s", e.Verb, e.Stderr)
	}
	return fmt.Sprintf("go %s: %v", e.Verb, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Output returns what the command prints on standard output. The error is the error of ctx, if it
// has ended, or an [*Error].
func (c Command) Output(ctx context.Context) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	var to io.Writer = &stderr
	if c.Stderr != nil {
		to = c.Stderr
	}
	if err := c.run(ctx, &stdout, to); err != nil {
		return nil, withStderr(err, &stderr)
	}
	return stdout.Bytes(), nil
}

// CombinedOutput returns everything that the command prints, even if it fails. Errors are like
// those of Output.
func (c Command) CombinedOutput(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	err := c.run(ctx, &out, &out)
	return out.Bytes(), withStderr(err, &out)
}

// withStderr returns the error of run with what was printed.
func withStderr(err error, printed *bytes.Buffer) error {
	if failed, ok := err.(*Error); ok {
		failed.Stderr = strings.TrimSpace(printed.String())
	}
	return err
}

func (c Command) run(ctx context.Context, stdout, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", c.Args...)
	cmd.Dir = c.Dir
	if len(c.Env) > 0 {
		cmd.Env = append(cmd.Environ(), c.Env...)
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = waitDelay
	run := c.Run
	if run == nil {
		run = (*exec.Cmd).Run
	}
	err := run(cmd)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &Error{Verb: c.Args[0], Err: err}
	}
	return nil
}

// List returns the output of go list -json for packages or modules. It doesn't use version control,
// because that could run programs that a repository names.
func List[T any](ctx context.Context, c Command) ([]T, error) {
	c.Args = append([]string{"list", "-buildvcs=false", "-json"}, c.Args...)
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	var all []T
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var v T
		if err := in.Decode(&v); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, &Error{Verb: "list", Err: err}
		}
		all = append(all, v)
	}
}

// Environ returns values of go env, in the order of names.
func (c Command) Environ(ctx context.Context, names ...string) ([]string, error) {
	c.Args = append([]string{"env"}, names...)
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	values := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n"), "\n")
	if len(values) != len(names) {
		return nil, &Error{Verb: "env", Err: fmt.Errorf("got %d values for %d names: %q", len(values), len(names), out)}
	}
	return values, nil
}

// SplitFlags returns the flags of GOFLAGS, in which spaces separate them and either kind of quotes keeps one together.
func SplitFlags(goflags string) []string {
	var flags []string
	for rest := strings.TrimSpace(goflags); rest != ""; rest = strings.TrimSpace(rest) {
		end := " "
		if rest[0] == '\'' || rest[0] == '"' {
			end, rest = rest[:1], rest[1:]
		}
		var f string
		f, rest, _ = strings.Cut(rest, end)
		flags = append(flags, f)
	}
	return flags
}

// WriteOverlay writes a file for -overlay, which replaces files by others. If several maps
// replace a file, the last one counts. A file that is replaced by "" counts as missing.
func WriteOverlay(file string, replace ...map[string]string) error {
	all := struct{ Replace map[string]string }{make(map[string]string)}
	for _, r := range replace {
		maps.Copy(all.Replace, r)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// OverlayTexts writes texts into a folder, and a file for -overlay that replaces the named files
// by them; a file whose text is nil is absent. It returns the name of that file.
func OverlayTexts(dir string, texts map[string][]byte) (file string, err error) {
	replace := make(map[string]string, len(texts))
	for name, text := range texts {
		if text == nil {
			replace[name] = "" // the go command takes it for absent
			continue
		}
		at := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(name)))
		if err := os.WriteFile(at, text, 0o600); err != nil {
			return "", err
		}
		replace[name] = at
	}
	file = filepath.Join(dir, "overlay.json")
	return file, WriteOverlay(file, replace)
}

// ExactPattern returns the value of -bench, -run or -fuzz that matches one test only: package testing matches
// names element by element.
func ExactPattern(name string) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return strings.Join(elements, "/")
}

// LastLine returns the last line that a command has printed, which tells most about why it failed.
func LastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
