//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

var serving = regexp.MustCompile(`(http://[^/\s]+)/`)

// A server is hone serve with a folder of its own.
type server struct {
	url, dir string
	cmd      *exec.Cmd
}

// start starts a server; stop ends it and removes its folder.
func start(hone, config string) (s *server, err error) {
	dir, err := os.MkdirTemp("", "hone-bombs-")
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "-data", dir, "-listen", "127.0.0.1:0"}
	if config != "" {
		args = append(args, "-config", config)
	}
	cmd := exec.Command(hone, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s = &server{dir: dir, cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := serving.FindStringSubmatch(line)
	if m == nil {
		s.stop()
		return nil, fmt.Errorf("hone serve says %q (%v): %.500s", line, err, stderr.Bytes())
	}
	s.url = m[1]
	return s, nil
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// peak returns the most memory that a process has had resident, in MB.
func peak(pid int) (int64, error) {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(state), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(rest, &kb)
	return kb >> 10, err
}
