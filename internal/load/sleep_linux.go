package load

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A sleeper waits for a time more exactly than the runtime's timers, which the
// network poller rounds up to a millisecond: by a timer that the poller waits
// for as it does for a socket.
type sleeper struct {
	fd   int
	file *os.File
}

func newSleeper() (*sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &sleeper{fd, os.NewFile(uintptr(fd), "timer")}, nil
}

func (s *sleeper) sleep(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	var expired [8]byte
	err := unix.TimerfdSettime(s.fd, 0, &spec, nil)
	if err == nil {
		_, err = s.file.Read(expired[:])
	}
	if err != nil || binary.NativeEndian.Uint64(expired[:]) == 0 {
		time.Sleep(d)
	}
}

func (s *sleeper) close() { _ = s.file.Close() }
