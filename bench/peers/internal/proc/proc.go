// Package proc runs one server and reads what the kernel knows of it.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/target"
)

// Server is a running server process; a nil Server stands for a target that
// works in this process.
type Server struct {
	cmd    *exec.Cmd
	done   chan struct{}
	err    error
	Log    string
	cancel func()
}

// Start runs the target's server and waits until it is ready.
func Start(t target.Target, e target.Env, log string, limit time.Duration) (s *Server, ready time.Duration, err error) {
	if err := os.MkdirAll(filepath.Join(e.Data, "tmp"), 0o755); err != nil {
		return nil, 0, err
	}
	argv, environ := t.Command(e)
	if argv == nil {
		return nil, 0, nil
	}
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	fmt.Fprintf(f, "# %s\n", strings.Join(argv, " "))
	s = &Server{cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{}), Log: log}
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir = f, f, e.Data
	s.cmd.Env = append(os.Environ(), environ...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, 0, err
	}
	go func() { s.err = s.cmd.Wait(); close(s.done) }()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err = t.Ready(ctx)
		cancel()
		if err == nil {
			return s, time.Since(start), nil
		}
		select {
		case <-s.done:
			return nil, 0, fmt.Errorf("server ended while starting: %v (see %s)", s.err, log)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Since(start) > limit {
			s.Kill()
			return nil, 0, fmt.Errorf("not ready after %v: %v (see %s)", limit, err, log)
		}
	}
}

// Pid is the server's process, or this one's where there is no server.
func (s *Server) Pid() int {
	if s == nil {
		return os.Getpid()
	}
	return s.cmd.Process.Pid
}

// Alive says whether the server still runs.
func (s *Server) Alive() bool {
	if s == nil {
		return true
	}
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// Stop ends the server as an operator would and waits for it.
func (s *Server) Stop(limit time.Duration) (time.Duration, error) {
	if s == nil {
		return 0, nil
	}
	start := time.Now()
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
		return time.Since(start), nil
	case <-time.After(limit):
		s.Kill()
		return time.Since(start), errors.New("did not stop in time, killed")
	}
}

// Kill is kill -9.
func (s *Server) Kill() {
	if s == nil {
		return
	}
	s.cmd.Process.Kill()
	<-s.done
}

// Usage is what the process has used so far.
type Usage struct {
	CPU       float64 // seconds, user and system
	RSS, Peak int64   // bytes; the peak is since the start or the last ResetPeak
	Written   int64   // bytes sent to the block layer
}

// Usage reads /proc of the process and of those that it has started.
func (s *Server) Usage() (u Usage) {
	for _, pid := range s.family() {
		one := UsageOf(pid)
		u.CPU += one.CPU
		u.RSS += one.RSS
		u.Peak += one.Peak
		u.Written += one.Written
	}
	return u
}

// family is the process and its descendants.
func (s *Server) family() []int {
	all := []int{s.Pid()}
	if s == nil {
		return all
	}
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // has ended
		}
		i := strings.LastIndexByte(string(b), ')')
		f := strings.Fields(string(b[i+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(f[1])
		children[parent] = append(children[parent], pid)
	}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// UsageOf reads /proc for one process.
func UsageOf(pid int) (u Usage) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if i := strings.LastIndexByte(string(b), ')'); i > 0 {
		f := strings.Fields(string(b[i+1:]))
		ut, _ := strconv.ParseFloat(f[11], 64)
		st, _ := strconv.ParseFloat(f[12], 64)
		u.CPU = (ut + st) / 100 // USER_HZ is 100 on Linux
	}
	b, _ = os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, l := range strings.Split(string(b), "\n") {
		f := strings.Fields(l)
		if len(f) >= 2 && (f[0] == "VmRSS:" || f[0] == "VmHWM:") {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			if f[0] == "VmRSS:" {
				u.RSS = n << 10
			} else {
				u.Peak = n << 10
			}
		}
	}
	b, _ = os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for _, l := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(l, "write_bytes: "); ok {
			u.Written, _ = strconv.ParseInt(v, 10, 64)
		}
	}
	return u
}

// ResetPeak starts a new measurement of the peak RSS.
func (s *Server) ResetPeak() {
	for _, pid := range s.family() {
		os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	}
}

// DirSize adds up the files under dir: their lengths and their blocks.
func DirSize(dir string) (files int, apparent, blocks int64) {
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		i, err := d.Info()
		if err != nil {
			return nil
		}
		files++
		apparent += i.Size()
		if st, ok := i.Sys().(*syscall.Stat_t); ok {
			blocks += st.Blocks * 512
		}
		return nil
	})
	return files, apparent, blocks
}

// DropCaches empties the page cache where this process may do so.
func DropCaches() bool {
	syscall.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) == nil
}
