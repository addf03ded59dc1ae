package httpload

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// An http1Client sends requests over HTTP/1.1. It keeps one connection per host.
type http1Client struct {
	plan   *plan
	values *values
	conns  map[string]*http1Conn // by scheme and address
	last   *http1Conn
	out    []byte
	body   []byte
	sent   sentRequest // by Start, and not answered yet
}

func (c *http1Client) Close() error {
	for _, conn := range c.conns {
		conn.close()
	}
	return nil
}

// fill returns request n as it is sent. It is valid until the next call.
func (c *http1Client) fill(n int64) (r *request, out []byte, err error) {
	r = c.plan.request(n)
	if r.static != nil {
		return r, r.static, nil
	}
	c.values.at(n)
	c.out, c.body, err = c.values.write(r, c.out[:0], c.body, !c.plan.opts.NoKeepAlive)
	return r, c.out, err
}

// Do sends a request once: what the server saw is what is told. Redirections are
// requests of their own.
func (c *http1Client) Do(ctx context.Context, n int64) (load.Answer, error) {
	r, out, err := c.fill(n)
	if err != nil {
		return load.Answer{}, named(r, r.path.String(), err)
	}
	s := sentRequest{ctx: ctx, r: r, out: out, deadline: time.Now().Add(c.plan.opts.Timeout)}
	a, err := c.once(ctx, r, out, s.deadline)
	return c.finish(s, a, err)
}

// A sentRequest waits for its answer, and holds what is needed to follow a redirection.
type sentRequest struct {
	ctx      context.Context
	r        *request
	out      []byte
	deadline time.Time
	done     func(load.Answer, error) // of Start
}

// Start sends a request over a connection that is open already, as Do does; it
// implements [load.Starter].
func (c *http1Client) Start(ctx context.Context, n int64, done func(load.Answer, error)) bool {
	conn := c.open(c.plan.request(n), true)
	if conn == nil || !conn.plain {
		return false
	}
	r, out, err := c.fill(n)
	if err != nil {
		return false
	}
	conn.watch(ctx)
	if !conn.attended {
		conn.attended = true
		go c.attend(conn)
	}
	c.sent = sentRequest{ctx, r, out, time.Now().Add(c.plan.opts.Timeout), done}
	return conn.ask(question{ctx: ctx, head: r.method == "HEAD"}, out, c.sent.deadline)
}

// attend reads the answers to requests that are sent over a connection until it ends. No
// other goroutine has to wake up for a request: Start writes, and this one is woken by
// the answer.
func (c *http1Client) attend(conn *http1Conn) {
	for {
		q, ok := conn.heard()
		if !ok {
			conn.wire.answered(true)
			return
		}
		a, err := readAnswer(conn.in, q.head)
		a, err = conn.settle(q.ctx, a, err, q.rest)
		if q.told != nil {
			q.told <- told{a, err}
			continue
		}
		s := c.sent
		conn.own = true
		a, err = c.accept(s.ctx, conn, a, err)
		whole, err := c.finish(s, a, err)
		conn.own = false
		s.done(whole, err)
	}
}

// finish goes on with a request that was answered, or failed: to where the answer
// redirects it, and to what that means.
func (c *http1Client) finish(s sentRequest, a answer, err error) (load.Answer, error) {
	all := load.Answer{Bytes: a.size, Status: a.status}
	at, last := s.r, s.out
	for err == nil && a.location != "" {
		var next *hop
		if next, err = c.plan.redirect(at, pathOf(at, last), a.status, a.location, len(all.Before)); next == nil {
			break
		}
		last = next.write(last, at)
		at = next.request
		a, err = c.once(s.ctx, at, last, s.deadline)
		all = load.Answer{Bytes: all.Bytes + a.size, Status: a.status, Before: append(all.Before, all.Status)}
	}
	if err == nil && !c.plan.opts.Expect.has(a.status) {
		err = &load.Failure{Class: "status " + strconv.Itoa(a.status), Text: a.line}
	}
	if err != nil && at != s.r {
		err = redirected(at, pathOf(at, last), err)
	}
	if err != nil {
		err = named(s.r, pathOf(s.r, s.out), err)
	}
	return all, err
}

// once sends one request.
func (c *http1Client) once(ctx context.Context, r *request, out []byte, deadline time.Time) (answer, error) {
	for {
		conn, err := c.connection(ctx, r)
		if err != nil {
			return answer{}, err
		}
		a, err := conn.do(ctx, out, r.method == "HEAD", deadline)
		if !errors.Is(err, errUnsent) {
			return c.accept(ctx, conn, a, err)
		}
		c.drop(conn)
		if err := ctx.Err(); err != nil {
			return answer{}, err
		}
	}
}

// accept takes what came of a request over a connection, and drops the connection if
// nothing more can be sent over it. The answer has a location only if that is to be followed.
func (c *http1Client) accept(ctx context.Context, conn *http1Conn, a answer, err error) (answer, error) {
	if err == nil && !c.plan.follows(a.status) {
		a.location = ""
	}
	if err != nil && ranOut(err) && ctx.Err() == nil { // ranOut allocates
		err = load.NoAnswer(c.plan.opts.Timeout)
	}
	if err != nil || a.last || conn.r.last || c.plan.opts.NoKeepAlive {
		c.drop(conn)
	}
	return a, err
}

// open returns the connection for a request, nil if there is none. One that the server
// has closed while it was idle, or on which it said something unasked, is dropped:
// nothing has been sent over it. Without look that is left to do, if that looks itself.
func (c *http1Client) open(r *request, look bool) *http1Conn {
	conn := c.last
	if conn == nil || conn.r != r {
		conn = c.conns[r.key]
	}
	if conn == nil {
		return nil
	}
	if (look || conn.attended || !conn.plain || conn.in.Buffered() > 0) && conn.stale() {
		c.drop(conn)
		return nil
	}
	conn.r = r
	c.last = conn
	return conn
}

// connection returns the connection for a request, and opens one if there is none.
func (c *http1Client) connection(ctx context.Context, r *request) (*http1Conn, error) {
	if conn := c.open(r, false); conn != nil {
		return conn, nil
	}
	conn, err := c.plan.open(ctx, r)
	if err != nil {
		return nil, err
	}
	conn.r = r
	c.conns[r.key] = conn
	c.last = conn
	return conn, nil
}

func (c *http1Client) drop(conn *http1Conn) {
	conn.close()
	delete(c.conns, conn.r.key)
	c.last = nil
}
