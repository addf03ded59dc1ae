package agent

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// SignalPolicy says what the agent does when a SIGINT or SIGTERM arrives while
// it records to files. A program that shuts down on signals itself uses
// SignalsContinue.
type SignalPolicy int

const (
	// SignalsEnd writes the files and then sends the signal again, no longer
	// listening for it. That ends a program that does not listen for the signal.
	// A program that listens gets the signal a second time, and Stop waits a
	// second in case it ends. Windows can't send a signal: there the agent exits,
	// with the status that Windows uses for Ctrl-C, whether or not the program
	// listens.
	SignalsEnd SignalPolicy = iota
	// SignalsContinue writes the files and stops listening, nothing else. The
	// first signal does not end a program that does not listen for it; a second
	// one does.
	SignalsContinue
	// SignalsOff ignores signals: recording goes on until Stop. Use it for
	// programs that a signal does not end, or whose shutdown should be recorded.
	SignalsOff
)

// watch finishes the recording at the first signal. The goroutine it starts
// closes r.unwatched when it has left signals as it found them.
func (r *recording) watch(policy SignalPolicy) {
	c := make(chan os.Signal, 1) // for the one signal of interest
	listens := false
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		// Notify would end the ignoring that nohup asked for.
		if policy != SignalsOff && !signal.Ignored(s) {
			signal.Notify(c, s)
			listens = true
		}
	}
	if !listens {
		close(r.unwatched)
		return
	}
	go func() {
		defer close(r.unwatched)
		select {
		case s := <-c:
			r.interrupted(policy, c, s)
		case <-r.done:
			// A signal that came while the files were written ended nothing
			// yet. After signal.Stop none is on its way into c anymore.
			signal.Stop(c)
			select {
			case s := <-c:
				r.interrupted(policy, c, s)
			default:
			}
		}
	}()
}

// interrupted deals with the signal s, received from c. When that ends the
// program it does not return, so that Stop, waiting for it, does not return
// either and let main end with a success.
func (r *recording) interrupted(policy SignalPolicy, c chan os.Signal, s os.Signal) {
	signal.Stop(c) // from here on a second signal kills, or is the program's own
	r.finish()
	if policy != SignalsEnd {
		return
	}
	// Nobody may be there to ask Stop.
	if err := r.takeError(); err != nil {
		fmt.Fprintln(r.messages, err)
	}
	raise(s)
}

// raise sends s to the process. It returns only if somebody listens for s.
func raise(s os.Signal) {
	if runtime.GOOS == "windows" {
		// What Windows itself gives for Ctrl-C: STATUS_CONTROL_C_EXIT.
		status := uint32(0xC000013A)
		os.Exit(int(status))
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		os.Exit(2) // as the runtime does when a signal fails to end it
	}
	// It may be received by another thread in a moment.
	time.Sleep(time.Second)
}
