package httpload

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// An http1Conn is an HTTP/1.1 connection. It belongs to one http1Client.
type http1Conn struct {
	net.Conn
	wire  *wire // its socket; nil if that can't be had
	in    *bufio.Reader
	r     *request // the last one
	plain bool     // without TLS: it is read and written by the wire

	watched bool // by the run's end, which ends what waits for an answer
	stop    func() bool

	attended bool // a goroutine reads it, also when nobody asks: see [http1Client.attend]
	own      bool // which sends a request itself now
	mu       sync.Mutex
	asked    bool
	question question // if asked
}

// A question is a request that was sent over an attended connection.
type question struct {
	ctx  context.Context
	head bool
	rest sending
	told chan told // whom the answer is for; nil: the client's Start
}

// told is what do returns.
type told struct {
	answer answer
	err    error
}

// open opens a connection for a request.
func (p *plan) open(ctx context.Context, r *request) (*http1Conn, error) {
	raw, c, err := p.dial(ctx, r)
	if err != nil {
		return nil, err
	}
	conn := &http1Conn{Conn: c, wire: newWire(raw)}
	var in io.Reader = c
	if conn.plain = conn.wire != nil && r.url.Scheme != "https"; conn.plain {
		in = conn.wire
	}
	conn.in = bufio.NewReaderSize(in, 16<<10)
	return conn, nil
}

func (c *http1Conn) close() {
	if c.stop != nil {
		c.stop()
	}
	_ = c.Conn.Close()
}

// stale reports whether the server has ended an idle connection. What an attended one
// has in its buffer is known to whoever reads it, and then to the wire.
func (c *http1Conn) stale() bool { return !c.attended && c.in.Buffered() > 0 || c.wire.stale() }

// watch has the end of a run end what waits for an answer.
func (c *http1Conn) watch(ctx context.Context) {
	if c.watched {
		return
	}
	c.watched = true
	c.stop = context.AfterFunc(ctx, func() {
		if c.plain {
			c.wire.stop()
		} else {
			_ = c.SetDeadline(time.Unix(1, 0))
		}
	})
}

// do sends a request and reads its answer.
func (c *http1Conn) do(ctx context.Context, out []byte, head bool, deadline time.Time) (answer, error) {
	c.watch(ctx)
	if c.attended && !c.own {
		heard := make(chan told, 1)
		if !c.ask(question{ctx: ctx, head: head, told: heard}, out, deadline) {
			return answer{}, errUnsent
		}
		t := <-heard
		return t.answer, t.err
	}
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	if c.plain {
		if ok, err := c.wire.queue(out, deadline); err != nil || !ok {
			return answer{}, cmp.Or(err, errUnsent)
		}
		a, err := readAnswer(c.in, head)
		return c.settle(ctx, a, err, c.wire.took())
	}
	if err := c.SetDeadline(deadline); err != nil {
		return answer{}, err
	}
	rest, _ := c.send(out, deadline)
	a, err := readAnswer(c.in, head)
	return c.settle(ctx, a, err, rest)
}

// ask sends a request over an attended connection, and leaves its answer to whoever
// attends it. It returns false, and has sent nothing, if the server has ended the
// connection or the run is over.
func (c *http1Conn) ask(q question, out []byte, deadline time.Time) (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.rest, c.asked = c.send(out, deadline)
	c.question = q
	return c.asked
}

// heard waits until something comes, and returns what it answers: false if nobody asked,
// so that the connection is of no more use.
func (c *http1Conn) heard() (q question, ok bool) {
	_, _ = c.in.Peek(1) // an error comes again when the answer is read
	c.mu.Lock()
	defer c.mu.Unlock()
	q, c.question = c.question, question{}
	return q, c.asked
}

// settle returns what do does, from an answer that was read and a request that was sent.
func (c *http1Conn) settle(ctx context.Context, a answer, err error, rest sending) (answer, error) {
	wrote := rest.end(c)
	if c.plain {
		c.mu.Lock()
		c.asked = false
		c.mu.Unlock()
		c.wire.answered(c.in.Buffered() > 0)
	}
	if err == nil {
		a.last = a.last || wrote != nil
		return a, nil
	}
	if wrote != nil && !errors.Is(wrote, errAnswered) && errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", err, wrote) // the server may have said nothing but that
	}
	return answer{}, c.because(ctx, err)
}

// atOnce is how much of a request is written before its answer is read, where the socket
// can't say how much it takes. A larger one may be answered before all of it was sent, by
// a server that takes no more of it: its answer is read meanwhile.
const atOnce = 16 << 10

// send writes a request, as far as that can be done at once, and has the rest written
// meanwhile. What the server said before it closed the connection is read all the same.
func (c *http1Conn) send(out []byte, deadline time.Time) (s sending, ok bool) {
	switch {
	case c.plain:
		n, err, ok := c.wire.send(out, deadline)
		if out = out[n:]; !ok || err != nil || len(out) == 0 {
			return sending{err: err}, ok
		}
	case len(out) <= atOnce:
		_, err := c.Write(out)
		return sending{err: err}, true
	}
	return sendRest(c.Conn, out, deadline), true
}

// because prefers the end of a run as the reason of an error.
func (c *http1Conn) because(ctx context.Context, err error) error {
	var timeout net.Error
	if ctx.Err() != nil && errors.As(err, &timeout) && timeout.Timeout() {
		return ctx.Err()
	}
	return err
}
