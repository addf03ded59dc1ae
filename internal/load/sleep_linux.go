package load

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A sleeper waits for a time more exactly than the runtime's timers, which the
// network poller rounds up to a millisecond: by a timer that the poller waits
// for as it does for a socket.
type sleeper struct {
	file *os.File
	raw  syscall.RawConn

	until time.Duration // to be set; 0: it has been
	err   error
	wait  func(fd uintptr) bool
}

func newSleeper() (*sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	s := &sleeper{file: os.NewFile(uintptr(fd), "timer")}
	if s.raw, err = s.file.SyscallConn(); err != nil {
		_ = s.file.Close()
		return nil, err
	}
	s.wait = s.set
	return s, nil
}

// set sets the timer when it is called first, and is called again when that has expired.
// Nothing has to be read from the timer: setting it again takes the expiry back.
func (s *sleeper) set(fd uintptr) bool {
	if s.until == 0 {
		return true
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(s.until))}
	s.until = 0
	s.err = unix.TimerfdSettime(int(fd), 0, &spec, nil)
	return s.err != nil
}

func (s *sleeper) sleep(d time.Duration) {
	s.until = d
	if err := s.raw.Read(s.wait); err != nil || s.err != nil {
		time.Sleep(d)
	}
}

func (s *sleeper) close() { _ = s.file.Close() }
