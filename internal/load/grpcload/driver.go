package grpcload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hone-go/hone/internal/load"
)

// A Driver calls one method. It is for many goroutines.
type Driver struct {
	opts     Options
	tls      *tls.Config
	method   protoreflect.MethodDescriptor
	route    *route
	fields   []field // of the headers that differ from call to call
	messages *messages
	answers  atomic.Int64 // messages of answers
	cut      atomic.Int64 // messages of answers that did not come to their end

	connections load.Gauge
}

// New finds the method, which may take a question to the server, and checks the
// request: what can't be sent is an error here.
func New(ctx context.Context, o Options) (*Driver, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &Driver{opts: o, tls: o.tls()}
	same, differ, err := o.metadata()
	if err != nil {
		return nil, err
	}
	if d.method, err = d.find(ctx); err != nil {
		return nil, err
	}
	if d.messages, err = newMessages(d.method, o); err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/%s/%s", d.method.Parent().FullName(), d.method.Name())
	d.route = &route{slices.Concat(o.fields(path), same), d.method.IsStreamingServer()}
	d.fields = differ
	return d, nil
}

// Method returns the full name of the method, SERVICE/METHOD.
func (d *Driver) Method() string { return strings.TrimPrefix(d.route.fields[2].Value, "/") }

// Streams reports whether the method takes a stream of messages, and whether it
// answers with one.
func (d *Driver) Streams() (requests, answers bool) {
	return d.method.IsStreamingClient(), d.method.IsStreamingServer()
}

// Answers returns how many messages came in answers that were complete, and how many
// in those of calls that failed: before their deadline, for example.
func (d *Driver) Answers() (complete, cut int64) { return d.answers.Load(), d.cut.Load() }

// came counts the messages of a call that ended, and says of an error which call it is of.
func (d *Driver) came(k *call, err error) error {
	if err == nil {
		d.answers.Add(int64(k.messages))
		return nil
	}
	d.cut.Add(int64(k.messages))
	var f *load.Failure
	switch {
	case err == error(errDeadline) && k.messages > 0:
		return failure(errDeadline.Class, "%s: the call's time of %v was over after %d messages of the answer", d.Method(), d.opts.Timeout, k.messages)
	case err == error(errDeadline):
		return failure(errDeadline.Class, "%s: no answer within %v", d.Method(), d.opts.Timeout)
	case errors.As(err, &f):
		return failure(f.Class, "%s: %s", d.Method(), f.Text)
	}
	return fmt.Errorf("%s: %w", d.Method(), err)
}

// Connections counts those that are open.
func (d *Driver) Connections() *load.Gauge { return &d.connections }

// Shares reports whether the calls of a Sender share connections.
func (d *Driver) Shares() bool { return true }

// connectTimeout is how long connecting may take; less if a call may.
const connectTimeout = 20 * time.Second

// dial opens a connection.
func (d *Driver) dial(ctx context.Context) (*conn, error) {
	timeout := connectTimeout
	if d.opts.Timeout > 0 {
		timeout = min(timeout, d.opts.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	network, address := "tcp", d.opts.Address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	n, err := load.Dial(ctx, network, strings.TrimPrefix(address, "//"))
	if err != nil {
		return nil, err
	}
	n = load.Counted(n, &d.connections)
	if d.tls != nil {
		t, err := load.Handshake(ctx, n, d.tls)
		if err != nil {
			return nil, err
		}
		if p := t.ConnectionState().NegotiatedProtocol; p != "h2" {
			_ = n.Close()
			return nil, failure("tls", "%s: the server does not speak HTTP/2 over TLS", d.opts.Address)
		}
		n = t
	}
	return open(ctx, n, d.opts.MaxMessage)
}

// fill makes a call's headers and body for request n.
func (d *Driver) fill(k *call, n int64) error {
	if d.messages.static && len(d.fields) == 0 {
		k.body = d.messages.body
		return nil
	}
	// A request's random values follow from its number, whoever sends it. The
	// multiplier is of Knuth's: numbers that follow each other become far apart.
	k.random.Seed(d.opts.Seed, uint64(n)*0x9e3779b97f4a7c15)
	k.values.N, k.values.Row = n, d.opts.Feed.Row(n)
	k.fields = k.fields[:0]
	for _, f := range d.fields {
		var err error
		if k.text, err = f.append(k.text[:0], &k.values); err != nil {
			return err
		}
		k.fields = appendField(k.fields, f.name, k.text)
	}
	if d.messages.static {
		k.body = d.messages.body
		return nil
	}
	var err error
	k.body, err = d.messages.append(k.body[:0], k)
	return err
}

// Connect opens a connection for one call at a time.
func (d *Driver) Connect(ctx context.Context) (load.Client, error) {
	c, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	client := &client{driver: d, conn: c}
	client.call = newCall(client, d.route)
	return client, nil
}

// A client makes one call at a time. The goroutine of Do reads and writes.
type client struct {
	driver *Driver
	conn   *conn
	call   *call
	err    error
	ended  bool
	ctx    context.Context // the one that interrupts reading and writing now
	stop   func()
}

func (c *client) take(_ *call, err error) { c.ended, c.err = true, err }

func (c *client) Do(ctx context.Context, n int64) (load.Answer, error) {
	c.call.renew()
	err := c.driver.fill(c.call, n)
	if err == nil {
		err = c.do(ctx)
	}
	return load.Answer{Bytes: c.call.bytes}, c.driver.came(c.call, err)
}

// do makes the call that has been filled in.
func (c *client) do(ctx context.Context) error {
	k := c.call
	k.renew()
	c.ended, c.err = false, nil
	if c.conn == nil {
		return c.redo(ctx)
	}
	c.watch(ctx)
	timeout := c.driver.opts.Timeout
	if timeout > 0 {
		k.deadline = time.Now().Add(timeout)
	}
	switch err := c.conn.begin(k); {
	case errors.Is(err, errUnusable):
		return c.redo(ctx)
	case err != nil:
		return failure("refused stream", "%v", err)
	}
	if timeout > 0 {
		_ = c.conn.net.SetDeadline(k.deadline)
		if ctx.Err() != nil {
			_ = c.conn.net.SetDeadline(longAgo) // that the line before undid
		}
	}
	c.conn.flush()
	for !c.ended {
		if err := c.conn.next(); err != nil {
			if timeout > 0 && isTimeout(err) && ctx.Err() == nil && c.conn.writeErr == nil {
				c.giveUp()
				return errDeadline
			}
			c.conn.fail(err)
			break
		}
		if !c.ended {
			c.conn.flush() // what answers the server, or waited for its window
		}
	}
	if ctx.Err() != nil && c.err != nil {
		c.close()
		return ctx.Err()
	}
	if c.conn.err != nil && c.err != nil {
		c.close()
	}
	return c.err
}

// giveUp ends a call whose time is over; the connection stays.
func (c *client) giveUp() {
	c.conn.mu.Lock()
	c.conn.remove(c.call, true)
	c.conn.mu.Unlock()
	_ = c.conn.net.SetDeadline(time.Now().Add(time.Second))
	c.conn.flush()
}

// redo makes the call over a new connection.
func (c *client) redo(ctx context.Context) error {
	c.close()
	conn, err := c.driver.dial(ctx)
	if err != nil {
		return err
	}
	c.conn = conn
	return c.do(ctx)
}

// watch has the end of ctx interrupt reading and writing. Calls mostly have the
// same context, for which that is done once.
func (c *client) watch(ctx context.Context) {
	if c.ctx == ctx {
		return
	}
	if c.stop != nil {
		c.stop()
	}
	c.ctx, c.stop = ctx, interruptible(ctx, c.conn.net)
}

func (c *client) close() {
	if c.stop != nil {
		c.stop()
	}
	c.ctx, c.stop = nil, nil
	if c.conn != nil {
		_ = c.conn.close()
	}
	c.conn = nil
}

func (c *client) Close() error {
	c.close()
	return nil
}
