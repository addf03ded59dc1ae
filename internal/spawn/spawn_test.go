package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test be the program that is started: it touches as many MB as its
// argument says.
func TestMain(m *testing.M) {
	if os.Getenv("HONE_TEST_SPAWN") == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "sleep":
		time.Sleep(time.Minute)
	default:
		n, _ := strconv.Atoi(os.Args[1])
		touch(n)
	}
	in := make([]byte, 64)
	k, _ := os.Stdin.Read(in)
	dir, _ := os.Getwd()
	fmt.Printf("%q %q %s %v\n", os.Args[1:], in[:k], filepath.Base(dir), strings.Contains(strings.Join(os.Environ(), " "), "HONE_SPAWN"))
	// A stage that has told its pid ends a moment later.
	for start := time.Now(); strconv.Itoa(os.Getppid()) != os.Getenv("HONE_TEST_PARENT") && time.Since(start) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "parent", os.Getppid())
	os.Exit(7)
}

// touch has the process have so many MB, for a moment.
func touch(mb int) {
	b := make([]byte, mb<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	runtime.KeepAlive(b)
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "HONE_TEST_SPAWN=1", fmt.Sprint("HONE_TEST_PARENT=", os.Getpid()))
	return cmd
}

func TestStart(t *testing.T) {
	cmd := program(t, "1", "", "two words", "-x=\n")
	dir := t.TempDir()
	cmd.Dir = dir
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("input"), &out, &problem
	c, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	state, err := c.Wait()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%q %q %s false\n", []string{"1", "", "two words", "-x=\n"}, "input", filepath.Base(dir))
	if state.ExitCode() != 7 || out.String() != want || problem.String() != fmt.Sprintln("parent", os.Getpid()) {
		t.Errorf("exit code %d, %q, want %q; %q", state.ExitCode(), &out, want, &problem)
	}
}

func TestSignal(t *testing.T) {
	c, err := Start(program(t, "sleep"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if state, err := c.Wait(); err != nil || state.Success() || state.ExitCode() == 7 {
		t.Errorf("%v, %v", state, err)
	}
}

func TestStartErrors(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cmd  *exec.Cmd
		want error // nil: any
	}{
		{exec.Command("./nothere"), fs.ErrNotExist},
		{exec.Command(text), nil},
		{exec.Command("hone-there-is-no-such-program"), exec.ErrNotFound},
		{&exec.Cmd{Path: program(t).Path, Dir: "/there/is/no/such/folder"}, fs.ErrNotExist},
	} {
		if _, err := Start(c.cmd); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.cmd, err, c.want)
		}
	}
}
