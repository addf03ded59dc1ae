package httpload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// values fill in requests.
type values struct {
	feed *template.Feed
	*template.Values
}

func (v *values) at(n int64) {
	v.N, v.Row = n, v.feed.Row(n)
}

// errSplit is what a request is that a template made two of.
var errSplit = &load.Failure{Class: "template", Text: "a path or a header was filled in with what ends it: a space or a line's end"}

// write appends a request to dst and returns it, and the room it used for the body.
func (v *values) write(r *request, dst, body []byte, keepAlive bool) (whole, room []byte, err error) {
	dst = append(append(dst, r.method...), ' ')
	from := len(dst)
	dst = r.path.Append(dst, v.Values)
	if bytes.ContainsFunc(dst[from:], func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return dst, body, errSplit
	}
	dst = append(dst, " HTTP/1.1"...)
	host, agent, length, connection := false, false, false, false
	for _, h := range r.header {
		host = host || equalFold([]byte(h.name), "host")
		agent = agent || equalFold([]byte(h.name), "user-agent")
		length = length || equalFold([]byte(h.name), "content-length")
		connection = connection || equalFold([]byte(h.name), "connection")
		dst = append(append(append(dst, "\r\n"...), h.name...), ": "...)
		from := len(dst)
		dst = h.value.Append(dst, v.Values)
		if bytes.ContainsAny(dst[from:], "\r\n\x00") {
			return dst, body, errSplit
		}
	}
	if !host {
		dst = append(append(dst, "\r\nHost: "...), r.url.Host...)
	}
	if !agent {
		dst = append(dst, "\r\nUser-Agent: hone"...)
	}
	if !keepAlive && !connection {
		dst = append(dst, "\r\nConnection: close"...)
	}
	body = body[:0]
	if r.body != nil {
		body = r.body.Append(body, v.Values)
	}
	if r.chunked {
		dst = append(dst, "\r\n\r\n"...)
		if len(body) > 0 {
			dst = append(strconv.AppendInt(dst, int64(len(body)), 16), "\r\n"...)
			dst = append(append(dst, body...), "\r\n"...)
		}
		return append(dst, "0\r\n\r\n"...), body, nil
	}
	if !length && (r.body != nil || r.method == "POST" || r.method == "PUT" || r.method == "PATCH") {
		dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), int64(len(body)), 10)
	}
	return append(append(dst, "\r\n\r\n"...), body...), body, nil
}

// A client sends requests over HTTP/1.1, over a connection for each host.
type client struct {
	d      *Driver
	values *values
	conns  map[string]*conn // by scheme and address
	last   *conn
	out    []byte
	body   []byte
	sent   sent // by Start, and not answered yet
}

func (c *client) Close() error {
	for _, conn := range c.conns {
		conn.close()
	}
	return nil
}

// fill returns request n as it is sent. It is valid until the next call.
func (c *client) fill(n int64) (r *request, out []byte, err error) {
	r = c.d.request(n)
	if r.static != nil {
		return r, r.static, nil
	}
	c.values.at(n)
	c.out, c.body, err = c.values.write(r, c.out[:0], c.body, !c.d.opts.NoKeepAlive)
	return r, c.out, err
}

// Do sends a request once: what the server saw is what is told. Redirections are
// requests of their own.
func (c *client) Do(ctx context.Context, n int64) (load.Answer, error) {
	r, out, err := c.fill(n)
	if err != nil {
		return load.Answer{}, named(r, r.path.String(), err)
	}
	s := sent{ctx: ctx, r: r, out: out, deadline: time.Now().Add(c.d.opts.Timeout)}
	re, err := c.once(ctx, r, out, s.deadline)
	return c.finish(s, re, err)
}

// sent is a request that was.
type sent struct {
	ctx      context.Context
	r        *request
	out      []byte
	deadline time.Time
	done     func(load.Answer, error) // of Start
}

// Start sends a request over a connection that is open already, as Do does; it
// implements [load.Starter].
func (c *client) Start(ctx context.Context, n int64, done func(load.Answer, error)) bool {
	conn := c.open(c.d.request(n), true)
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
	c.sent = sent{ctx, r, out, time.Now().Add(c.d.opts.Timeout), done}
	return conn.ask(question{ctx: ctx, head: r.method == "HEAD"}, out, c.sent.deadline)
}

// attend reads the answers to requests that are sent over a connection until it ends. No
// other goroutine has to wake up for a request: Start writes, and this one is woken by
// the answer.
func (c *client) attend(conn *conn) {
	for {
		q, ok := conn.heard()
		if !ok {
			conn.wire.answered(true)
			return
		}
		size, err := conn.answer(q.head)
		size, err = conn.settle(q.ctx, size, err, q.rest)
		if q.told != nil {
			q.told <- told{size, err}
			continue
		}
		s := c.sent
		conn.own = true
		re, err := c.reply(s.ctx, conn, size, err)
		a, err := c.finish(s, re, err)
		conn.own = false
		s.done(a, err)
	}
}

// finish goes on with a request that was answered, or failed: to where the answer
// redirects it, and to what that means.
func (c *client) finish(s sent, re reply, err error) (load.Answer, error) {
	a := load.Answer{Bytes: re.bytes, Status: re.status}
	at, last := s.r, s.out
	for err == nil && re.location != "" {
		var next *hop
		if next, err = c.d.redirect(at, pathOf(at, last), re.status, re.location, len(a.Before)); next == nil {
			break
		}
		last = next.write(last, at)
		at = next.request
		re, err = c.once(s.ctx, at, last, s.deadline)
		a = load.Answer{Bytes: a.Bytes + re.bytes, Status: re.status, Before: append(a.Before, a.Status)}
	}
	if err == nil && !c.d.opts.Expect.has(re.status) {
		err = &load.Failure{Class: "status " + strconv.Itoa(re.status), Text: re.line}
	}
	if err != nil && at != s.r {
		err = redirected(at, pathOf(at, last), err)
	}
	if err != nil {
		err = named(s.r, pathOf(s.r, s.out), err)
	}
	return a, err
}

// once sends one request.
func (c *client) once(ctx context.Context, r *request, out []byte, deadline time.Time) (reply, error) {
	for {
		conn, err := c.connection(ctx, r)
		if err != nil {
			return reply{}, err
		}
		size, err := conn.do(ctx, out, r.method == "HEAD", deadline)
		if !errors.Is(err, errUnsent) {
			return c.reply(ctx, conn, size, err)
		}
		c.drop(conn)
		if err := ctx.Err(); err != nil {
			return reply{}, err
		}
	}
}

// reply takes what came of a request over a connection, and ends that if it is of no
// more use.
func (c *client) reply(ctx context.Context, conn *conn, size int, err error) (reply, error) {
	re := reply{bytes: size}
	if err == nil {
		re.status, re.line = conn.status, conn.line
		if c.d.follows(re.status) {
			re.location = conn.location
		}
	} else if ranOut(err) && ctx.Err() == nil {
		err = load.NoAnswer(c.d.opts.Timeout)
	}
	if err != nil || conn.over || conn.r.last || c.d.opts.NoKeepAlive {
		c.drop(conn)
	}
	return re, err
}

// ranOut reports whether the time for an answer was over.
func ranOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// pathOf returns the path of a request that was written.
func pathOf(r *request, out []byte) string {
	path, _, _ := bytes.Cut(out[min(len(out), len(r.method)+1):], []byte(" "))
	return string(path)
}

// named returns an error that says of which request it is.
func named(r *request, path string, err error) error {
	return prefixed(fmt.Sprintf("%s %s%s: ", r.method, r.url, path), err)
}

// redirected returns an error that says to which request the one that was asked for led.
func redirected(r *request, path string, err error) error {
	return prefixed(fmt.Sprintf("redirected to %s %s%s: ", r.method, r.url, path), err)
}

// open returns the connection for a request, nil if there is none. One that the server
// has closed while it was idle, or on which it said something unasked, is dropped:
// nothing has been sent over it. Without look that is left to do, if that looks itself.
func (c *client) open(r *request, look bool) *conn {
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
func (c *client) connection(ctx context.Context, r *request) (*conn, error) {
	if conn := c.open(r, false); conn != nil {
		return conn, nil
	}
	conn, err := c.d.open(ctx, r)
	if err != nil {
		return nil, err
	}
	conn.r = r
	c.conns[r.key] = conn
	c.last = conn
	return conn, nil
}

func (c *client) drop(conn *conn) {
	conn.close()
	delete(c.conns, conn.r.key)
	c.last = nil
}
