// Package clickhousetest starts real ClickHouse servers for tests, on the loopback
// interface: Debian's, one or a cluster, and today's engine behind a shim. See
// test/clickhouse/engine.sh for how they get onto the machine.
//
// They end with the process of the test, however that ends. Starting takes from a
// third of a second, of a single server, to ten of a cluster; those that several tests
// share, each with a database of its own, are started once per process.
package clickhousetest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ErrMissing is the error of a start if the machine lacks an engine; see SkipMissing.
var ErrMissing = errors.New("no ClickHouse")

// Users that all servers know, besides default, who has no password.
const (
	User, Password = "hone", "of-the-store"
	Reader         = "reader" // may read only, without a password
	Poor           = "poor"   // may use 20 MB for a statement, without a password
)

// script is the path of the script that installs and runs engines.
var script = func() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../../../../test/clickhouse/engine.sh")
}()

// shared has the servers that the tests of this process share. Each is started when it is first
// needed.
var shared struct {
	single, today sharedServer
	cluster       sharedCluster
}

type sharedServer struct {
	once sync.Once
	*Server
	err error
}

type sharedCluster struct {
	once sync.Once
	*Cluster
	err error
}

// Single returns a server of Debian's version. All tests of this process share it. If it isn't
// installed, the test is skipped; in CI it fails.
func Single(t testing.TB) *Server {
	t.Helper()
	s := &shared.single
	s.once.Do(func() { s.Server, s.err = startShared(StartSingle) })
	SkipMissing(t, s.err)
	return s.Server
}

// Today returns a server of a current version, behind a shim. All tests of this process share
// it. A missing engine is treated as in Single.
func Today(t testing.TB) *Server {
	t.Helper()
	s := &shared.today
	s.once.Do(func() { s.Server, s.err = startShared(StartToday) })
	SkipMissing(t, s.err)
	return s.Server
}

// SharedCluster returns a cluster of two shards with two replicas each. All tests of this
// process share it. With -short the test is skipped, unless HONE_REAL=1.
func SharedCluster(t testing.TB) *Cluster {
	t.Helper()
	skipShort(t)
	s := &shared.cluster
	s.once.Do(func() {
		s.Cluster, s.err = startShared(func(dir string) (*Cluster, error) { return StartCluster(dir, 2, 2) })
	})
	SkipMissing(t, s.err)
	return s.Cluster
}

// skipShort skips a test that starts a cluster if -short is set: the start takes ten seconds.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() && os.Getenv("HONE_REAL") == "" {
		t.Skip("starts a cluster")
	}
}

// ForTest starts an engine with start, in a temporary directory, and kills it at the end of the
// test. start is StartSingle, StartToday or a function that calls StartCluster.
func ForTest[S interface{ Kill() }](t testing.TB, start func(dir string) (S, error)) S {
	t.Helper()
	s, err := start(t.TempDir())
	SkipMissing(t, err)
	t.Cleanup(s.Kill)
	return s
}

// SkipMissing ends a test because of the error of a start. It skips the test if the engine is
// missing. In CI, or for other errors, it fails the test.
func SkipMissing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
		fmt.Fprintf(os.Stderr, "== SKIPPED: tests against ClickHouse, %v\n", err)
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// held keeps files open: the garbage collector closes a file that nothing refers to.
var held struct {
	sync.Mutex
	files []io.Closer
}

// startShared starts an engine that ends with this process, in a directory that is removed
// then.
func startShared[S any](start func(dir string) (S, error)) (S, error) {
	var none S
	dir, err := os.MkdirTemp("", "hone-clickhouse")
	if err != nil {
		return none, err
	}
	tidy := exec.Command("sh", script, "tidy", dir)
	hold, err := tidy.StdinPipe() // which nobody closes before the process ends
	if err != nil {
		return none, err
	}
	held.Lock()
	held.files = append(held.files, hold)
	held.Unlock()
	if err := tidy.Start(); err != nil {
		return none, err
	}
	return start(dir)
}

// install installs an engine and returns the script's output.
func install(what string) (string, error) {
	var problem strings.Builder
	cmd := exec.Command("sh", script, what)
	cmd.Stderr = &problem
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: there is no shell", ErrMissing)
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return "", fmt.Errorf("%w: %s", ErrMissing, strings.TrimSpace(problem.String()))
	case err != nil:
		return "", fmt.Errorf("installing ClickHouse: %w\n%s", err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// A process is a program that ends with this one.
type process struct {
	dir     string // with its log
	env     []string
	command []string
	ready   func() error // whether it answers

	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{}
}

// patience is how long a process may take to answer, even on a busy machine.
const patience = 2 * time.Minute

// start starts the process, which must not be running, and waits until it answers.
func (p *process) start() error {
	if err := p.begin(); err != nil {
		return err
	}
	return p.wait()
}

// begin starts the process without waiting for it.
func (p *process) begin() error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command("sh", append([]string{script, "run"}, p.command...)...)
	p.cmd.Dir, p.cmd.Env = p.dir, append(os.Environ(), p.env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	p.ended = ended
	go func(cmd *exec.Cmd) {
		defer close(ended)
		_ = cmd.Wait() // of what it ended from, its log tells
	}(p.cmd)
	return nil
}

func (p *process) log() string { return filepath.Join(p.dir, "output") }

// wait waits until the process answers.
func (p *process) wait() error {
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if err = p.ready(); err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %w\n%s", p.command[0], err, p.said())
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.Kill()
	return fmt.Errorf("%s does not answer: %w\n%s", p.command[0], err, p.said())
}

// over reports whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// said returns the end of the process's output.
func (p *process) said() string {
	var all strings.Builder
	for _, name := range []string{p.log(), filepath.Join(p.dir, "log")} {
		text, err := os.ReadFile(name)
		if err == nil {
			all.Write(text[max(0, len(text)-4000):])
		}
	}
	return all.String()
}

// Kill ends the process with SIGKILL.
func (p *process) Kill() {
	_ = p.stdin.Close()
	<-p.ended
}

// A Server is an engine that answers over HTTP. After Kill, Start starts it again with the data
// on its disk.
type Server struct {
	Addr    string // 127.0.0.1:PORT
	TLS, CA string // of StartTLS alone

	process
}

// Start starts a server that was killed and waits until it answers. Its data is still there.
func (s *Server) Start() error { return s.start() }

// Pid returns the process ID of the server.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

func (s *Server) ping() error { return ping(s.Addr) }

func ping(addr string) error {
	resp, err := (&http.Client{Timeout: 5 * time.Second}).Get("http://" + addr + "/ping")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// Query executes a statement and returns the answer as text.
func (s *Server) Query(statement string) (string, error) {
	resp, err := http.Post("http://"+s.Addr+"/", "", strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(data)))
	}
	return string(data), err
}

var databases atomic.Int64

// newName returns a database name that no other test of this process has.
func newName() string { return fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1)) }

// Name returns an unused database name. The database is dropped at the end of the test, if it
// exists.
func (s *Server) Name(t testing.TB) string {
	name := newName()
	t.Cleanup(func() {
		if _, err := s.Query("DROP DATABASE IF EXISTS " + name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// Database creates a database and returns its name. The database is dropped at the end of the
// test.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := s.Name(t)
	if _, err := s.Query("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	return name
}
