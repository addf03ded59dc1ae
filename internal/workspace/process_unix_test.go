//go:build unix

package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a process started dies with it, and so does it all when the context
// ends.
func TestRunLeavesNoProcess(t *testing.T) {
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	child := func(script string, interrupt bool) int {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		file := filepath.Join(s.Path, "pid")
		os.Remove(file)
		if interrupt {
			go func() {
				defer cancel()
				for text := []byte(nil); ctx.Err() == nil && !bytes.Contains(text, []byte("\n")); time.Sleep(20 * time.Millisecond) {
					text, _ = os.ReadFile(file)
				}
			}()
		}
		s.Run(ctx, Process{Dir: s.Path, Args: []string{"sh", "-c", script, "sh", file}})
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	for name, pid := range map[string]int{
		"left behind": child(`sleep 100 & echo $! > "$1"`, false),
		"interrupted": child(`sleep 100 & echo $! > "$1"; wait`, true),
	} {
		if !gone(pid) {
			t.Errorf("%s: process %d is still there", name, pid)
		}
	}
}

func gone(pid int) bool {
	for range 3000 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if runtime.GOOS != "linux" {
			err = syscall.Kill(pid, 0)
		}
		if err != nil || bytes.Contains(text, []byte(") Z ")) {
			return true // nobody in a container may collect the dead
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// TestPin has a process tell how many CPUs it may use.
func TestPin(t *testing.T) {
	if runtime.GOOS != "linux" {
		if CheckPin([]int{0}) == nil {
			t.Error("no error")
		}
		return
	}
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	if CheckPin([]int{0}) != nil {
		t.Skip("CPU 0 is not ours")
	}
	for _, pin := range [][]int{{0}, nil} {
		o, err := s.Run(t.Context(), Process{Dir: s.Path, Args: []string{"grep", "Cpus_allowed_list", "/proc/self/status"}, Pin: pin})
		if err != nil {
			t.Fatal(err)
		}
		if one := strings.HasSuffix(strings.TrimSpace(string(o.Stdout)), "\t0"); one != (pin != nil) && runtime.NumCPU() > 1 {
			t.Errorf("pinned to %v: %s", pin, o.Stdout)
		}
	}
}
