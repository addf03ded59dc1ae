package grpcload

import (
	"context"
	"errors"
	"time"
)

// A client makes one call at a time. The goroutine of Do reads and writes.
type client struct {
	dialer *dialer
	conn   *reader // nil: none
	call   *call
	err    error
	ended  bool
	ctx    context.Context // the one that interrupts reading and writing now
	stop   func()
}

func (c *client) take(_ *call, err error) { c.ended, c.err = true, err }

// do makes the call that has been filled in.
func (c *client) do(ctx context.Context) error {
	k := c.call
	k.renew()
	c.ended, c.err = false, nil
	if c.conn == nil {
		return c.redo(ctx)
	}
	c.watch(ctx)
	timeout := c.dialer.opts.Timeout
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
	conn, err := c.dialer.dial(ctx)
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
