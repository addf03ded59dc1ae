//go:build unix

package httpload

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// A wire is the socket of a connection. Package net hides three things that a generator
// needs: writing what the socket takes without waiting for the rest, seeing what the
// server said before anybody asked, and a deadline that costs nothing per request.
//
// One goroutine reads, and may do so while another one sends.
type wire struct {
	conn net.Conn
	raw  syscall.RawConn

	mu    sync.Mutex
	asked bool      // an answer is awaited: what comes belongs to it
	gone  bool      // something came that nobody asked for, for example the end
	used  bool      // a request was sent
	over  bool      // the run has ended
	due   time.Time // when the answer has to be there
	armed time.Time // the deadline of the socket; zero: none

	// Arguments and results of the functions below. Those are made once, since a closure
	// for each call would be an allocation for each request.
	in, out          []byte
	got, sent        int
	readErr, sendErr error
	came             bool
	queued           []byte // what the next read writes
	look             bool   // before that, whether something came
	refused, partly  bool   // it was not written, or not all of it
	written          sending
	broken           error // why nothing more can be read
	read             func(fd uintptr) bool
	write, peek      func(fd uintptr)
}

// newWire returns nil if c has no socket.
func newWire(c net.Conn) *wire {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil
	}
	w := &wire{conn: c, raw: raw}
	w.read, w.write, w.peek = w.readNow, w.writeNow, w.peekNow
	return w
}

// stale reports whether the server has closed an idle connection, or said something on
// it: whoever sent a request then could not tell whose answer comes.
func (w *wire) stale() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone || w.raw.Control(w.peek) != nil || w.came
}

// peekNow looks whether something came, without taking it.
func (w *wire) peekNow(fd uintptr) {
	var b [1]byte
	_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	w.came = !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
}

// send writes as much of a request as the socket takes at once, and returns how much
// that was. It returns false, and has sent nothing, if the connection is stale or the run
// is over.
func (w *wire) send(out []byte, due time.Time) (n int, err error, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ok, err := w.ask(due); !ok || err != nil {
		return 0, err, ok
	}
	w.used = true
	w.out, w.sent, w.sendErr = out, 0, nil
	err = w.raw.Control(w.write)
	w.out = nil
	if err == nil && w.sendErr != nil {
		err = w.failed("write", w.sendErr)
	}
	return w.sent, err, true
}

// ask notes that an answer is awaited.
func (w *wire) ask(due time.Time) (ok bool, err error) {
	if w.gone || w.over {
		return false, nil
	}
	w.asked, w.due = true, due
	if w.armed.IsZero() || w.armed.After(due) {
		w.armed = due
		err = w.conn.SetReadDeadline(due)
	}
	return true, err
}

// queue has the next read write a request before it waits for the answer. That is a read
// less than to send it before: one that finds nothing yet. It is for a connection whose
// reader sends, too.
func (w *wire) queue(out []byte, due time.Time) (ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ok, err = w.ask(due); ok && err == nil {
		w.queued, w.look, w.used = out, w.used, true
	}
	return ok, err
}

// sendQueued writes what was queued, unless something came that nobody asked for. It
// returns false if all was written, and the answer is to be waited for: the poller tells
// of whatever comes after the look.
func (w *wire) sendQueued(fd uintptr) bool {
	out := w.queued
	w.queued = nil
	if w.look {
		if w.peekNow(fd); w.came {
			w.gone, w.refused = true, true
			return true
		}
	}
	w.out, w.sent, w.sendErr = out, 0, nil
	w.writeNow(fd)
	w.partly = w.sent < len(out)
	return w.partly
}

// took returns what became of the request that was queued.
func (w *wire) took() (s sending) {
	s, w.written = w.written, sending{}
	return s
}

func (w *wire) writeNow(fd uintptr) {
	for w.sent < len(w.out) {
		n, err := syscall.Write(int(fd), w.out[w.sent:])
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			w.sendErr = err
			return
		default:
			w.sent += n
		}
	}
}

// answered says that no answer is awaited any more. With over, nothing else can be sent:
// something that nobody asked for came after it.
func (w *wire) answered(over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = false
	w.gone = w.gone || over
}

// Read waits for what comes of an answer until that is due, or, while none is awaited,
// for the end.
func (w *wire) Read(p []byte) (int, error) {
	for w.broken == nil {
		w.in = p
		err := w.raw.Read(w.read)
		switch {
		case err != nil && ranOut(err) && w.rearm():
		case err != nil:
			return 0, err
		case w.refused:
			w.refused = false
			return 0, errUnsent
		case w.partly:
			w.partly = false
			if w.sendErr != nil {
				w.written = sending{err: w.failed("write", w.sendErr)}
			} else {
				w.written = sendRest(w.conn, w.out[w.sent:], w.due)
			}
		case w.readErr != nil:
			w.broken = w.failed("read", w.readErr) // the socket says it only once
		case w.got == 0:
			w.broken = io.EOF
		default:
			return w.got, nil
		}
	}
	return 0, w.broken
}

// readNow returns false if there is nothing to read yet.
func (w *wire) readNow(fd uintptr) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queued != nil {
		return w.sendQueued(fd)
	}
	for {
		w.got, w.readErr = syscall.Read(int(fd), w.in)
		if !errors.Is(w.readErr, syscall.EINTR) {
			break
		}
	}
	if errors.Is(w.readErr, syscall.EAGAIN) {
		return false
	}
	w.gone = w.gone || !w.asked
	return true
}

// rearm sets the deadline of the socket to when the answer is due, and reports whether
// that is still to come. Most requests are answered long before: setting the deadline for
// each of them would cost more than finding out, once per timeout, which one it is for.
func (w *wire) rearm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.asked && !time.Now().Before(w.due) {
		return false
	}
	w.armed = time.Time{}
	if w.asked {
		w.armed = w.due
	}
	return w.conn.SetReadDeadline(w.armed) == nil
}

// stop ends reading and writing: the run is over.
func (w *wire) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	_ = w.conn.SetDeadline(time.Unix(1, 0))
}

// failed is the error that package net has for one of a system call.
func (w *wire) failed(call string, err error) error {
	local := w.conn.LocalAddr()
	return &net.OpError{Op: call, Net: local.Network(), Source: local, Addr: w.conn.RemoteAddr(), Err: os.NewSyscallError(call, err)}
}
