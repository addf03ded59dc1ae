// Package spawn starts programs such that the system counts their memory and
// nobody else's.
//
// On Linux a program begins with the peak memory of whoever started it. When
// a process calls exec, the largest resident set of the memory it had before counts
// as its own from then on (setmax_mm_hiwater_rss in fs/exec.c), and the memory it had
// before is that of the process that started it, since between fork and exec a child
// has a copy of it, or shares it. What wait4 tells of a program of 5 MB that hone
// started is therefore hone's own peak. Neither resetting that (clear_refs) nor a
// second exec helps: the one leaves what hone has now, and the other keeps the first
// one's count.
//
// So hone starts itself, once more and small: see package stage. That process starts
// the program and ends at once, and hone, being a subreaper meanwhile, inherits the
// program as its own child:
//
//	hone ── starts ──> stage, 2 MB ── starts ──> program
//	hone <──────────── program's pid, and ends
//	hone ── waits for, signals ─────────────────> program
//
// On macOS and other Unix systems memory is counted from zero for each process, and
// programs are started as usual.
package spawn

import (
	"os"
	"os/exec"
)

// A Child is a program that was started.
type Child struct {
	*os.Process
	// Floor is the memory in bytes that the program's peak counts at least, though
	// it may not have had as much; 0 if there is no such.
	Floor int64

	streams func() // waits for what copies its streams
}

// Wait waits for the program to end, and then for its output to be read, for at most
// cmd.WaitDelay, as [exec.Cmd.Wait] does.
func (c *Child) Wait() (*os.ProcessState, error) {
	state, err := c.Process.Wait()
	if err == nil {
		c.streams()
	}
	return state, err
}

// plain starts a command as usual.
func plain(cmd *exec.Cmd, floor int64) (*Child, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// That the process was waited for before leaves the streams to wait for.
	return &Child{Process: cmd.Process, Floor: floor, streams: func() { cmd.Wait() }}, nil
}
