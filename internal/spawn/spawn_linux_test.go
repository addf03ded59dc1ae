package spawn

import (
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// TestPeak starts programs from a process that has had more memory than they have.
func TestPeak(t *testing.T) {
	touch(300)
	const mb = 1 << 20
	if own() < 300*mb {
		t.Fatalf("this process has had %d bytes at most", own())
	}
	peak := func(c *Child) int64 {
		t.Helper()
		state, err := c.Wait()
		if err != nil {
			t.Fatal(err)
		}
		return state.SysUsage().(*syscall.Rusage).Maxrss << 10
	}
	usual := program(t, "1")
	if err := usual.Start(); err != nil {
		t.Fatal(err)
	}
	usual.Wait()
	if got := usual.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; got < 300*mb {
		t.Logf("this system counts %d bytes for a program that is started as usual: there is nothing to guard against", got)
	}
	var all sync.WaitGroup
	for _, n := range []string{"1", "60", "1"} {
		all.Go(func() {
			c, err := Start(program(t, n))
			if err != nil {
				t.Error(err)
				return
			}
			least, most := int64(1*mb), int64(40*mb)
			if n == "60" {
				least, most = 60*mb, 100*mb
			}
			if got := peak(c); got < least || got > most || c.Floor <= 0 || c.Floor > 8*mb {
				t.Errorf("of %s MB: %d bytes, at least %d", n, got, c.Floor)
			}
		})
	}
	all.Wait()
	var reaper int32
	if err := prctl(getChildSubreaper, uintptr(unsafe.Pointer(&reaper))); err != nil || reaper != 0 {
		t.Errorf("this process stays a subreaper: %d, %v", reaper, err)
	}
}

// TestGroup: a program that is to lead a group does, so that all it starts can be ended.
func TestGroup(t *testing.T) {
	for _, leads := range []bool{true, false} {
		cmd := program(t, "sleep")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: leads}
		c, err := Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		group, err := syscall.Getpgid(c.Pid)
		if err != nil || (group == c.Pid) != leads {
			t.Errorf("asked for %v: %d is in the group %d, %v", leads, c.Pid, group, err)
		}
		if err := c.Kill(); err != nil {
			t.Fatal(err)
		}
		c.Wait()
	}
}
