package httpload

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"strconv"
	"syscall"
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

// Connect returns a client. It opens its connections when it sends, since targets
// may differ in where they are.
func (d *Driver) Connect(ctx context.Context) (load.Client, error) {
	if d.h2 != nil {
		d.h2.begin()
		return &client2{d: d, values: d.values()}, nil
	}
	return &client{d: d, values: d.values(), conns: make(map[string]*conn, 1)}, nil
}

// A client sends requests over HTTP/1.1, over a connection for each host.
type client struct {
	d      *Driver
	values *values
	conns  map[string]*conn // by scheme and address
	last   *conn
	out    []byte
	body   []byte
}

func (c *client) Close() error {
	for _, conn := range c.conns {
		conn.close()
	}
	return nil
}

// Do sends a request once: what the server saw is what is told. Redirections are
// requests of their own.
func (c *client) Do(ctx context.Context, n int64) (load.Answer, error) {
	r := c.d.request(n)
	out := r.static
	if out == nil {
		c.values.at(n)
		var err error
		if c.out, c.body, err = c.values.write(r, c.out[:0], c.body, !c.d.opts.NoKeepAlive); err != nil {
			return load.Answer{}, named(r, r.path.String(), err)
		}
		out = c.out
	}
	deadline := time.Now().Add(c.d.opts.Timeout)
	re, err := c.once(ctx, r, out, deadline)
	a := load.Answer{Bytes: re.bytes, Status: re.status}
	at, last := r, out
	for err == nil && re.location != "" {
		var next *hop
		if next, err = c.d.redirect(at, pathOf(at, last), re.status, re.location, len(a.Before)); next == nil {
			break
		}
		last = next.write(last, at)
		at = next.request
		re, err = c.once(ctx, at, last, deadline)
		a = load.Answer{Bytes: a.Bytes + re.bytes, Status: re.status, Before: append(a.Before, a.Status)}
	}
	if err == nil && !c.d.opts.Expect.has(re.status) {
		err = &load.Failure{Class: "status " + strconv.Itoa(re.status), Text: re.line}
	}
	if err != nil && at != r {
		err = redirected(at, pathOf(at, last), err)
	}
	if err != nil {
		err = named(r, pathOf(r, out), err)
	}
	return a, err
}

// A reply is what a server said of one request.
type reply struct {
	bytes, status int
	line          string // of the status, if it is not a usual one
	location      string // where to go on, if that is to be done
}

// once sends one request.
func (c *client) once(ctx context.Context, r *request, out []byte, deadline time.Time) (reply, error) {
	conn, err := c.connection(ctx, r)
	if err != nil {
		return reply{}, err
	}
	var re reply
	re.bytes, err = conn.do(ctx, out, r.method == "HEAD", deadline)
	if err == nil {
		re.status, re.line = conn.status, conn.line
		if c.d.follows(re.status) {
			re.location = conn.location
		}
	} else if ranOut(err) && ctx.Err() == nil {
		err = load.NoAnswer(c.d.opts.Timeout)
	}
	if err != nil || conn.over || r.last || c.d.opts.NoKeepAlive {
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

func prefixed(prefix string, err error) error {
	var f *load.Failure
	if errors.As(err, &f) {
		return &load.Failure{Class: f.Class, Text: prefix + f.Text}
	}
	return fmt.Errorf("%s%w", prefix, err)
}

// connection returns the connection for a request. One that the server has closed
// while it was idle, or on which it said something unasked, is replaced: nothing has
// been sent over it.
func (c *client) connection(ctx context.Context, r *request) (*conn, error) {
	conn := c.last
	if conn == nil || conn.r != r {
		conn = c.conns[r.key]
	}
	if conn != nil && conn.stale() {
		c.drop(conn)
		conn = nil
	}
	if conn == nil {
		var err error
		if conn, err = c.d.open(ctx, r); err != nil {
			return nil, err
		}
		c.conns[r.key] = conn
	}
	conn.r = r
	c.last = conn
	return conn, nil
}

func (c *client) drop(conn *conn) {
	conn.close()
	delete(c.conns, conn.r.key)
	c.last = nil
}

// A conn is a connection of HTTP/1.1.
type conn struct {
	net.Conn
	peek   *peeker // tells whether something came
	in     *bufio.Reader
	r      *request // the last one
	stop   func() bool
	status int
	line   string // of the status, if it is not expected to be common
	over   bool   // the server closes it after this answer

	location string // of the last answer
}

// lineLimit is the size of a line of an answer's header at most, headLimit that of
// all of them.
const (
	lineLimit = 64 << 10
	headLimit = 1 << 20
)

// dial opens a connection for a request, with TLS if its URL says so.
func (d *Driver) dial(ctx context.Context, r *request) (raw, c net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.opts.Timeout)
	defer cancel()
	network, address := "tcp", r.address
	if d.opts.Unix != "" {
		network, address = "unix", d.opts.Unix
	}
	if raw, err = load.Dial(ctx, network, address); err != nil {
		return nil, nil, err
	}
	c = load.Counted(raw, &d.connections)
	if d.opts.HTTP2 {
		c = heard{c}
	}
	if r.url.Scheme != "https" {
		return raw, c, nil
	}
	config := d.tls
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = r.url.Hostname()
	}
	secure, err := load.Handshake(ctx, c, config)
	if err != nil {
		return nil, nil, err
	}
	return raw, secure, nil
}

func (d *Driver) open(ctx context.Context, r *request) (*conn, error) {
	raw, c, err := d.dial(ctx, r)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, peek: newPeeker(raw), in: bufio.NewReaderSize(c, 16<<10)}, nil
}

func (c *conn) close() {
	if c.stop != nil {
		c.stop()
	}
	_ = c.Conn.Close()
}

// stale reports whether the server has ended an idle connection.
func (c *conn) stale() bool { return c.in.Buffered() > 0 || c.peek.something() }

// errNothing is what an answer is that never began.
var errNothing = fmt.Errorf("the server closed the connection without an answer: %w", io.ErrUnexpectedEOF)

// atOnce is how much of a request is written before its answer is read. A larger one
// may be answered before all of it was sent, by a server that takes no more of it: its
// answer is read meanwhile.
const atOnce = 16 << 10

// do sends a request and reads its answer. It returns the answer's size.
func (c *conn) do(ctx context.Context, out []byte, head bool, deadline time.Time) (int, error) {
	if c.stop == nil {
		// Whoever ends the run ends what waits for an answer.
		c.stop = context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	}
	if err := c.SetDeadline(deadline); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	sent := c.send(out)
	size, err := c.answer(head)
	wrote := sent()
	if err == nil {
		c.over = c.over || wrote != nil
		return size, nil
	}
	if wrote != nil && !errors.Is(wrote, errAnswered) && errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", err, wrote) // the server may have said nothing but that
	}
	return 0, c.because(ctx, err)
}

// errAnswered is why a request was not sent to its end: there was no need.
var errAnswered = errors.New("the answer came before the whole request was sent")

// send writes a request, as far as that can be done at once; the function it returns
// ends the rest, if there is one, and says what became of it. What the server said
// before it closed the connection is read all the same.
func (c *conn) send(out []byte) (end func() error) {
	if len(out) <= atOnce {
		_, err := c.Write(out)
		return func() error { return err }
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := c.Write(out)
		wrote <- err
	}()
	return func() error {
		select {
		case err := <-wrote:
			return err
		default:
		}
		_ = c.SetWriteDeadline(time.Unix(1, 0))
		if err := <-wrote; err != nil {
			return errAnswered
		}
		return nil
	}
}

// because prefers the end of a run as the reason of an error.
func (c *conn) because(ctx context.Context, err error) error {
	var timeout net.Error
	if ctx.Err() != nil && errors.As(err, &timeout) && timeout.Timeout() {
		return ctx.Err()
	}
	return err
}

// answer reads an answer (RFC 9112).
func (c *conn) answer(head bool) (size int, err error) {
	for {
		a, n, err := c.header()
		size += n
		if err != nil {
			return size, err
		}
		if c.status == 101 {
			return size, errors.New("the server changes to another protocol")
		}
		if c.status < 200 {
			continue // an answer before the answer
		}
		c.over = a.close
		n, err = c.content(a, head)
		return size + n, err
	}
}

// A head is what an answer's header says of the rest.
type head struct {
	length  int64 // -1: not said
	chunked bool
	coded   string // the last transfer encoding
	close   bool
	keep    bool // keep-alive, which HTTP/1.0 has to say
}

// header reads the status and the fields.
func (c *conn) header() (h head, size int, err error) {
	h.length = -1
	line, err := c.readLine()
	size = len(line) + 2
	if err != nil {
		if len(line) == 0 && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)) {
			err = fmt.Errorf("%w: %w", errNothing, err)
		}
		return h, size, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' || !digits(line[9:12]) {
		return h, size, fmt.Errorf("the answer does not begin as HTTP/1.1 does: %.40q", line)
	}
	c.status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	old := line[7] == '0' // HTTP/1.0
	c.location = ""
	if c.status >= 300 {
		c.line = string(line[9:])
	} else {
		c.line = ""
	}
	for {
		if line, err = c.readLine(); err != nil {
			return h, size, err
		}
		if size += len(line) + 2; size > headLimit {
			return h, size, fmt.Errorf("the header of the answer is larger than %d bytes", headLimit)
		}
		if len(line) == 0 {
			if h.coded != "" && !h.chunked {
				return h, size, fmt.Errorf("the answer has the transfer encoding %.40q", h.coded)
			}
			h.close = h.close || old && !h.keep
			return h, size, nil
		}
		if err := h.field(line); err != nil {
			return h, size, err
		}
		if c.status/100 == 3 {
			if name, value, _ := bytes.Cut(line, []byte(":")); equalFold(name, "location") {
				c.location = string(bytes.TrimSpace(value))
			}
		}
	}
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// field takes what it needs of a field. Fields that are lists may come in several
// lines, and have several values in each (RFC 9110, 5.3).
func (h *head) field(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return fmt.Errorf("a line of the answer's header is no field: %.40q", line)
	}
	value := bytes.TrimSpace(line[colon+1:])
	switch name := line[:colon]; {
	case equalFold(name, "content-length"):
		// The same length said twice is one (RFC 9110, 8.6).
		for item := range items(value) {
			n, err := strconv.ParseInt(string(item), 10, 64)
			if err != nil || n < 0 || item[0] == '+' || h.length >= 0 && h.length != n {
				return fmt.Errorf("the answer has the length %.40q", value)
			}
			h.length = n
		}
	case equalFold(name, "transfer-encoding"):
		// Chunks say where the content ends if they come last; what they hold is not looked at.
		for item := range items(value) {
			if h.chunked {
				return fmt.Errorf("the answer has the transfer encoding %.40q after chunked", value)
			}
			h.chunked = equalFold(item, "chunked")
			h.coded = string(item)
		}
	case equalFold(name, "connection"):
		for item := range items(value) {
			h.close = h.close || equalFold(item, "close")
			h.keep = h.keep || equalFold(item, "keep-alive")
		}
	}
	return nil
}

// items are the values of a list.
func items(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(list) > 0 {
			item, rest, _ := bytes.Cut(list, []byte(","))
			list = rest
			if item = bytes.TrimSpace(item); len(item) > 0 && !yield(item) {
				return
			}
		}
	}
}

// equalFold compares b with an ASCII text in lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// content reads past the content and returns its size.
func (c *conn) content(h head, head bool) (int, error) {
	switch {
	case head || c.status == 204 || c.status == 304:
		return 0, nil
	case h.chunked:
		return c.chunks()
	case h.length >= 0:
		n, err := c.in.Discard(int(h.length))
		return n, ended(err)
	}
	c.over = true
	n, err := io.Copy(io.Discard, c.in)
	return int(n), err
}

func (c *conn) chunks() (size int, err error) {
	for {
		line, err := c.readLine()
		if err != nil {
			return size, err
		}
		text, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 16, 32)
		if err != nil || n < 0 {
			return size, fmt.Errorf("a chunk of the answer has the length %.40q", text)
		}
		if n == 0 {
			break
		}
		got, err := c.in.Discard(int(n) + 2)
		size += got
		if err != nil {
			return size, ended(err)
		}
	}
	for { // trailers
		line, err := c.readLine()
		if err != nil || len(line) == 0 {
			return size, err
		}
	}
}

// readLine returns a line without its end; it is valid until the next read.
func (c *conn) readLine() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		whole := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(whole) < lineLimit {
			line, err = c.in.ReadSlice('\n')
			whole = append(whole, line...)
		}
		line = whole
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("a line of the answer is longer than %d bytes", lineLimit)
	}
	if err != nil {
		return line, ended(err)
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// ended says that an answer ended too early.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the answer ends in its middle: %w", io.ErrUnexpectedEOF)
	}
	return err
}
