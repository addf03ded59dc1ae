package server

import (
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
)

// InUse reports whether an error of listening is that another program listens there.
func InUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || isWindowsError(err, 10048)
}

// NotPermitted reports whether an error of listening is that this user may not listen
// there.
func NotPermitted(err error) bool {
	return errors.Is(err, syscall.EACCES) || isWindowsError(err, 10013)
}

// isWindowsError reports whether an error is one of Windows' for sockets, which
// are not those of package syscall.
func isWindowsError(err error, number syscall.Errno) bool {
	return runtime.GOOS == "windows" && errors.Is(err, number)
}

// A Reach tells under which names a server is reached.
type Reach struct {
	Hosts      []string // the first is for the user
	AnyAddress bool     // under all numeric addresses of this machine
	Public     bool     // by other machines
}

// Reachable returns how a server is reached that was told to listen at a host, and does
// at an address of TCP.
func Reachable(host string, addr net.Addr) Reach {
	tcp := addr.(*net.TCPAddr)
	port := strconv.Itoa(tcp.Port)
	r := Reach{Hosts: []string{net.JoinHostPort(host, port)}, AnyAddress: tcp.IP.IsUnspecified(), Public: !tcp.IP.IsLoopback()}
	if r.AnyAddress {
		r.Hosts = []string{net.JoinHostPort("localhost", port)}
		if name, err := os.Hostname(); err == nil {
			r.Hosts = append(r.Hosts, net.JoinHostPort(name, port))
		}
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if h := net.JoinHostPort(name, port); !slices.Contains(r.Hosts, h) {
			r.Hosts = append(r.Hosts, h)
		}
	}
	return r
}
