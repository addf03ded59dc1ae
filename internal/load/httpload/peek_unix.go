//go:build unix

package httpload

import (
	"errors"
	"net"
	"syscall"
)

// A peeker looks whether something came on a connection, its end for example,
// without waiting for it and without taking it.
type peeker struct {
	conn syscall.RawConn // nil: it can't be looked at
	look func(fd uintptr) bool
	came bool
}

func newPeeker(c net.Conn) *peeker {
	p := &peeker{}
	if s, ok := c.(syscall.Conn); ok {
		p.conn, _ = s.SyscallConn()
	}
	var b [1]byte
	p.look = func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		p.came = !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		return true
	}
	return p
}

func (p *peeker) something() bool {
	return p != nil && p.conn != nil && (p.conn.Read(p.look) != nil || p.came)
}
