package grpcload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hone-go/hone/internal/load"
)

// A Driver calls one method. Any goroutine may use it.
type Driver struct {
	opts     Options
	dialer   *dialer
	method   protoreflect.MethodDescriptor
	route    *route
	fields   []metadataField // of the headers that differ from call to call
	messages *messages
	answers  atomic.Int64 // messages of answers
	cut      atomic.Int64 // messages of answers that did not come to their end
}

// New finds the method and checks the request. It may ask the server for the types. If
// the request can't be sent, New returns an error.
func New(ctx context.Context, o Options) (*Driver, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &Driver{opts: o, dialer: newDialer(o)}
	same, differ, err := o.metadata()
	if err != nil {
		return nil, err
	}
	if d.method, err = findMethod(ctx, d.dialer); err != nil {
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

// Answers returns how many messages arrived in complete answers, and how many in answers
// that were cut short because the call failed.
func (d *Driver) Answers() (complete, cut int64) { return d.answers.Load(), d.cut.Load() }

// came counts the messages of a call that has ended, and adds the method to its error.
func (d *Driver) came(k *call, err error) error {
	if err == nil {
		d.answers.Add(int64(k.messages))
		return nil
	}
	d.cut.Add(int64(k.messages))
	var f *load.Failure
	switch {
	case err == error(errDeadline) && k.messages > 0:
		return failure(errDeadline.Class, "%s: timed out after %v and %d messages of the answer", d.Method(), d.opts.Timeout, k.messages)
	case err == error(errDeadline):
		return failure(errDeadline.Class, "%s: no answer within %v", d.Method(), d.opts.Timeout)
	case errors.As(err, &f):
		return failure(f.Class, "%s: %s", d.Method(), f.Text)
	}
	return fmt.Errorf("%s: %w", d.Method(), err)
}

// Connections returns the gauge of open connections.
func (d *Driver) Connections() *load.Gauge { return &d.dialer.connections }

// Shares reports whether the calls of a Sender share connections.
func (d *Driver) Shares() bool { return true }

// fill makes a call's headers and body for request n.
func (d *Driver) fill(k *call, n int64) error {
	if d.messages.static && len(d.fields) == 0 {
		k.body = d.messages.body
		return nil
	}
	// A request's random values follow from its number, whoever sends it. The
	// multiplier is of Knuth's: numbers that follow each other become far apart.
	v := k.values
	v.set(n, d.opts.Seed, uint64(n)*0x9e3779b97f4a7c15, d.opts.Feed)
	k.fields = k.fields[:0]
	for _, f := range d.fields {
		var err error
		if v.text, err = f.append(v.text[:0], &v.Values); err != nil {
			return err
		}
		k.fields = appendField(k.fields, f.name, v.text)
	}
	if d.messages.static {
		k.body = d.messages.body
		return nil
	}
	var err error
	k.body, err = d.messages.append(k.body[:0], v)
	return err
}

// Connect opens a connection for one call at once.
func (d *Driver) Connect(ctx context.Context) (load.Client, error) {
	conn, err := d.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &caller{driver: d, client: client{dialer: d.dialer, conn: conn}}
	c.call = newCall(&c.client, d.route)
	return c, nil
}

// A caller is the load.Client of a Driver.
type caller struct {
	driver *Driver
	client
}

func (c *caller) Do(ctx context.Context, n int64) (load.Answer, error) {
	c.call.renew()
	err := c.driver.fill(c.call, n)
	if err == nil {
		err = c.do(ctx)
	}
	return load.Answer{Bytes: c.call.bytes}, c.driver.came(c.call, err)
}

func (c *caller) Close() error {
	c.close()
	return nil
}
