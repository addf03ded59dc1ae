package grpcload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"
)

const (
	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

	// What the server may send unasked, since it is counted and dropped as it comes.
	streamWindow = 1 << 24
	connWindow   = 1 << 30

	maxAnswerHeaders = 1 << 20
	maxUnwritten     = 1 << 26 // of answers to what the server asks
	lastStream       = 1 << 30 // a connection is replaced after it; ids end at 1<<31
)

// What a server says of a call that it has not looked at. Clients of gRPC make such a
// call once more, and tell nobody; here it is what the server did with a request.
var (
	errRefused   = failure("refused stream", "the server refused the call's stream")
	errGoingAway = failure("goaway", "the server went away and did not process the call")
)

// A conn is a connection over HTTP/2 on which a number of calls are under way.
// One goroutine reads: see reader. Only one at a time writes, by calling flush.
//
// It is written for this purpose: frames are put together under a lock and go out
// in one write, a call's headers are compressed once per connection, and answers
// are counted, not decoded.
type conn struct {
	net net.Conn

	wake   chan struct{} // tells a goroutine to flush; nil: who begins calls does
	ready  func()        // called when the server takes more calls at a time; may be nil
	limit  atomic.Int64  // of calls at a time
	closed atomic.Bool

	mu        sync.Mutex
	out       []byte // frames to write
	spare     []byte
	writing   bool
	enc       *hpack.Encoder
	block     bytes.Buffer // what enc writes to
	path      *route       // whose headers head has
	head      []byte       // compressed, as long as the table stays
	streams   map[uint32]*call
	blocked   []*call
	id        uint32 // of the next stream
	window    int    // of what the server takes on the connection
	initial   int    // … on a new stream
	frameSize int
	draining  bool  // no new calls
	err       error // why it is closed
	writeErr  error
	goAway    error // what the server said, if that was an error
	timer     *time.Timer
}

func newConn(n net.Conn) *conn {
	c := &conn{
		net: n, streams: make(map[uint32]*call), id: 1,
		window: defaultWindow, initial: defaultWindow, frameSize: defaultFrameSize,
	}
	c.limit.Store(1 << 30)
	c.enc = hpack.NewEncoder(&c.block)
	return c
}

// begin sends a call, as far as the server takes it now; the rest follows as it
// takes more. Flush has to be called then, if no goroutine does that. If begin
// fails, with errFull, errUnusable or as the call's context ended, nothing was sent.
func (c *conn) begin(k *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case k.ctx != nil && k.ctx.Err() != nil:
		return k.ctx.Err() // who ends the calls of a context has passed by already
	case c.draining || c.id > lastStream || c.err != nil || c.writeErr != nil:
		c.drain()
		return errUnusable
	case int64(len(c.streams)) >= c.limit.Load():
		return errFull
	}
	k.id, k.window, k.rest = c.id, c.initial, k.body
	c.id += 2
	c.streams[k.id] = k
	c.appendHead(k)
	if len(k.rest) > 0 {
		c.send(k)
	}
	if !k.deadline.IsZero() && c.wake != nil && c.timer == nil {
		c.timer = time.AfterFunc(time.Until(k.deadline), c.expire)
	}
	c.stir()
	return nil
}

var (
	// errFull says that the server takes no more calls at a time.
	errFull = errors.New("the server takes no more concurrent calls")
	// errUnusable says that the next call needs a new connection.
	errUnusable = errors.New("the connection takes no more calls")
)

// stir has what is in out written.
func (c *conn) stir() {
	if c.wake != nil && !c.writing && c.err == nil {
		c.writing = true
		c.wake <- struct{}{} // it has room: only the one that sets writing sends
	}
}

// appendHead appends a call's headers.
//
// What is the same for all goes into the table of headers with the first call, and
// takes a byte a header from then on. Nothing else goes there, so the compressed
// headers stay the same.
func (c *conn) appendHead(k *call) {
	head := c.head
	if head == nil || c.path != k.path {
		c.encode(k.path)
		head = bytes.Clone(c.block.Bytes())
		c.encode(k.path)
		c.head, c.path = bytes.Clone(c.block.Bytes()), k.path
	}
	end := len(k.body) == 0
	if len(head)+len(k.fields) <= c.frameSize {
		flags := byte(flagEndHeaders)
		if end {
			flags |= flagEndStream
		}
		c.out = appendFrame(c.out, frameHeaders, flags, k.id, len(head)+len(k.fields))
		c.out = append(append(c.out, head...), k.fields...)
		return
	}
	c.out = appendHeaders(c.out, k.id, slices.Concat(head, k.fields), end, c.frameSize)
}

// encode compresses headers into block.
func (c *conn) encode(r *route) {
	size := uint32(0)
	for _, f := range r.fields {
		size += f.Size()
	}
	fits := size <= c.enc.MaxDynamicTableSize()
	c.block.Reset()
	for _, f := range r.fields {
		f.Sensitive = !fits // sensitive ones stay out of the table
		_ = c.enc.WriteField(f)
	}
}

// send appends as much of a call's body as the server takes now.
func (c *conn) send(k *call) {
	for len(k.rest) > 0 {
		n := min(len(k.rest), c.frameSize, c.window, k.window)
		if n <= 0 {
			if !k.blocked {
				k.blocked = true
				c.blocked = append(c.blocked, k)
			}
			return
		}
		flags := byte(0)
		if n == len(k.rest) {
			flags = flagEndStream
		}
		c.out = append(appendFrame(c.out, frameData, flags, k.id, n), k.rest[:n]...)
		k.rest = k.rest[n:]
		c.window -= n
		k.window -= n
	}
}

// resume sends what waits for a window that has been opened.
func (c *conn) resume() {
	blocked := c.blocked
	c.blocked = nil
	for _, k := range blocked {
		if k.blocked = false; c.streams[k.id] == k {
			c.send(k)
		}
	}
}

// flush writes what is to be written.
func (c *conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) > 0 && c.writeErr == nil {
		b := c.out
		c.out = c.spare[:0]
		c.mu.Unlock()
		_, err := c.net.Write(b)
		c.mu.Lock()
		c.spare = b
		if err != nil {
			// The reason may be among what the server sent before: it is read first.
			c.writeErr = err
			_ = c.net.SetReadDeadline(time.Now().Add(time.Second))
		}
	}
	c.writing = false
}

// remove takes a call off the connection, and tells the server if it is still to
// be answered. The caller has the lock, and gives the call to its taker after it.
func (c *conn) remove(k *call, reset bool) {
	delete(c.streams, k.id)
	if reset {
		c.out = appendReset(c.out, k.id, codeCancel)
		c.stir()
	}
	if c.draining {
		c.drain()
	}
}

// drain has the connection take no more calls, and end after the last one. The
// caller has the lock.
func (c *conn) drain() {
	c.draining = true
	if len(c.streams) == 0 {
		_ = c.net.SetReadDeadline(longAgo)
	}
}

// unwritten returns how many bytes are to be written.
func (c *conn) unwritten() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.out)
}

// expire ends calls whose time is over.
func (c *conn) expire() {
	var over []*call
	c.mu.Lock()
	now := time.Now().Add(time.Millisecond)
	var next time.Time
	for _, k := range c.streams {
		switch {
		case k.deadline.IsZero():
		case k.deadline.Before(now):
			over = append(over, k)
		case next.IsZero() || k.deadline.Before(next):
			next = k.deadline
		}
	}
	for _, k := range over {
		c.remove(k, true)
	}
	if next.IsZero() {
		c.timer = nil
	} else {
		c.timer.Reset(time.Until(next))
	}
	c.mu.Unlock()
	for _, k := range over {
		k.taker.take(k, errDeadline)
	}
}

var errDeadline = failure("grpc "+statusName(statusDeadline), "no answer within the timeout of a call")

// cancel ends the calls that which picks; and the connection, if it is the last
// thing asked of it.
func (c *conn) cancel(which func(*job) bool, last bool) {
	var over []*call
	c.mu.Lock()
	for _, k := range c.streams {
		if which(&k.job) {
			over = append(over, k)
		}
	}
	for _, k := range over {
		c.remove(k, true)
	}
	if last {
		c.drain()
	}
	c.mu.Unlock()
	for _, k := range over {
		k.taker.take(k, context.Canceled)
	}
}

// fail closes the connection and ends its calls. Err is nil where nothing went
// wrong: all calls of a connection that takes no more are answered.
func (c *conn) fail(err error) {
	c.mu.Lock()
	switch {
	case c.goAway != nil:
		err = c.goAway
	case c.writeErr != nil && (err == nil || isTimeout(err)):
		err = c.writeErr
	case err == nil:
		err = net.ErrClosed
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF)
	}
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = fmt.Errorf("%s: %w", c.net.RemoteAddr(), err)
	over := c.streams
	c.streams = make(map[uint32]*call)
	c.mu.Unlock()
	_ = c.close()
	for _, k := range over {
		k.taker.take(k, c.err)
	}
}

// close frees the connection; who reads gets an error. Of a connection with a
// goroutine that writes, fail is what closes it.
func (c *conn) close() error {
	if c.closed.Swap(true) {
		return nil
	}
	if c.wake != nil {
		c.mu.Lock()
		if c.timer != nil {
			c.timer.Stop()
		}
		c.mu.Unlock()
		close(c.wake)
	}
	return c.net.Close()
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

var longAgo = time.Unix(1, 0)
