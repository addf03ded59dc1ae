package clickhousetest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Users that all servers know, besides default, who has no password.
const (
	User, Password = "hone", "of-the-store"
	Reader         = "reader" // may read only, without a password
	Poor           = "poor"   // may use 20 MB for a statement, without a password
)

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
