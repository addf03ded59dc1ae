package ingesttest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// An Agent is a program of the Go module test/agents, which has a real client of
// one of the protocols in it. It runs until its standard input ends.
type Agent struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.Closer
	out   *safeBuffer
}

// StartAgent builds a program and starts it with an environment. With -short the test is
// skipped, unless HONE_REAL=1. The modules of the clients have to come from the network the first
// time; where they don't, the test is skipped, and in CI it fails.
func StartAgent(t testing.TB, program string, env []string, args ...string) *Agent {
	t.Helper()
	if testing.Short() && (os.Getenv("HONE_REAL") == "" || isModule(filepath.Join(agents(), program))) {
		t.Skip("builds a real client")
	}
	bin, err := programs.build(program)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the real client %s can't be built, and CI has to: %v", program, err)
		}
		t.Skipf("== NOT TESTED: the real client %s can't be built: %v", program, err)
	}
	a := &Agent{t: t, cmd: exec.Command(bin, args...), out: &safeBuffer{}}
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	a.cmd.Env, a.cmd.Stdout, a.cmd.Stderr = env, a.out, a.out
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if a.cmd.ProcessState == nil {
			_ = a.cmd.Process.Kill()
			_ = a.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("the agent says:\n%s", a.out.String())
		}
	})
	return a
}

// Main runs the tests of a package that starts agents, and removes their
// programs. It ends the process, as the last thing that such a package's TestMain does.
func Main(m *testing.M) {
	var err error
	if programs.dir, err = os.MkdirTemp("", "hone-agents"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(programs.dir)
	os.Exit(code)
}

// programs are those that were built, each once.
var programs builds

type builds struct {
	mu   sync.Mutex
	dir  string // Main's
	done map[string]error
}

func (b *builds) build(program string) (bin string, err error) {
	b.mu.Lock() // one at a time: they share packages
	defer b.mu.Unlock()
	if b.dir == "" {
		panic("the package's TestMain has to be ingesttest.Main")
	}
	bin = filepath.Join(b.dir, program+".exe")
	if err, ok := b.done[program]; ok {
		return bin, err
	}
	cmd := exec.Command("go", "build", "-o", bin, "./"+program)
	cmd.Dir = agents()
	if own := filepath.Join(cmd.Dir, program); isModule(own) {
		cmd = exec.Command("go", "run", "./build", "-o", bin)
		cmd.Dir = own
	}
	// Without cgo as everything else is, so that it is compiled once, also beside tests with -race.
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	if b.done == nil {
		b.done = map[string]error{}
	}
	b.done[program] = err
	return bin, err
}

// agents returns the folder of the programs' module.
func agents() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "test", "agents")
}

// isModule reports whether a program is a Go module of its own, which knows how it
// is built.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// Output returns what the agent has written so far.
func (a *Agent) Output() string { return a.out.String() }

// stop ends the agent's standard input and waits until it ends too.
func (a *Agent) stop() {
	a.t.Helper()
	_ = a.stdin.Close()
	if err := a.cmd.Wait(); err != nil {
		a.t.Fatalf("the agent failed: %v", err)
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
