// Package clickhousetest starts real ClickHouse servers for tests, on the loopback
// interface: Debian's, one or a cluster, and today's engine behind a shim. See
// test/clickhouse/engine.sh for how they get onto the machine.
//
// They end with the process of the test, however that ends. Starting takes from a
// third of a second, of a single server, to ten of a cluster; those that several tests
// share, each with a database of its own, are started once per process.
//
// From the ground up:
//
//	process.go         installs engines, and runs programs that end with the test
//	server.go          a server that runs, and its databases
//	servers.go         configures and starts servers
//	cluster.go         starts clusters
//	clickhousetest.go  what tests share
package clickhousetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

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
