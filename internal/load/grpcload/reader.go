package grpcload

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"time"

	"golang.org/x/net/http2/hpack"
)

// A reader reads a connection, and does what the frames say. One goroutine calls next.
type reader struct {
	*conn
	in      *bufio.Reader
	dec     *hpack.Decoder
	status  answerStatus // of the headers that are read
	headers uint32       // stream of the headers that are not complete; 0: none
	ends    bool         // they end the stream
	taken   int          // bytes of DATA, since the window was last opened; under the connection's lock
	most    int          // bytes of an answer's message
}

// handle does what a frame says. It runs on the goroutine that reads. An error is
// one of the connection.
func (c *reader) handle(kind, flags byte, id uint32, payload []byte) error {
	if c.headers != 0 && (kind != frameContinuation || id != c.headers) {
		return failure("bad answer", "headers were interrupted by another frame")
	}
	bad := func() error {
		return failure("bad answer", "the server sent a broken frame: type %d, %d bytes, stream %d", kind, len(payload), id)
	}
	if (kind == framePing || kind == frameSettings) && c.unwritten() > maxUnwritten {
		return failure("bad answer", "the server sends PING or SETTINGS frames and doesn't read the replies")
	}
	switch kind {
	case frameData:
		content, ok := unpad(flags, payload)
		if !ok || id == 0 {
			return bad()
		}
		c.data(id, content, len(payload), flags&flagEndStream != 0)
	case frameHeaders:
		content, ok := unpad(flags, payload)
		if flags&flagPriority != 0 && ok {
			if ok = len(content) >= 5; ok {
				content = content[5:]
			}
		}
		if !ok || id == 0 {
			return bad()
		}
		c.headers, c.ends, c.status = id, flags&flagEndStream != 0, answerStatus{}
		return c.fragment(content, flags&flagEndHeaders != 0)
	case frameContinuation:
		if c.headers == 0 {
			return bad()
		}
		return c.fragment(payload, flags&flagEndHeaders != 0)
	case frameReset:
		if len(payload) != 4 {
			return bad()
		}
		c.wasReset(id, binary.BigEndian.Uint32(payload))
	case frameSettings:
		if len(payload)%6 != 0 {
			return bad()
		}
		if flags&flagAck == 0 {
			return c.settings(payload)
		}
	case framePing:
		if len(payload) != 8 {
			return bad()
		}
		if flags&flagAck == 0 {
			c.mu.Lock()
			c.out = append(appendFrame(c.out, framePing, flagAck, 0, 8), payload...)
			c.stir()
			c.mu.Unlock()
		}
	case frameGoAway:
		if len(payload) < 8 {
			return bad()
		}
		c.goingAway(binary.BigEndian.Uint32(payload)&^(1<<31), binary.BigEndian.Uint32(payload[4:]), payload[8:])
	case frameWindow:
		if len(payload) != 4 {
			return bad()
		}
		return c.opened(id, int(binary.BigEndian.Uint32(payload)&^(1<<31)))
	case framePush:
		return bad() // it was told not to
	}
	return nil // others are to be ignored (RFC 9113, 5.5)
}

// data takes a piece of an answer. Size is what it counts against the windows.
func (c *reader) data(id uint32, content []byte, size int, ends bool) {
	c.mu.Lock()
	if c.taken += size; c.taken >= connWindow/2 {
		c.out = appendWindow(c.out, 0, c.taken)
		c.taken = 0
		c.stir()
	}
	k := c.streams[id]
	if k == nil {
		c.mu.Unlock() // of a call that was given up
		return
	}
	err := k.data(content, c.most)
	switch {
	case err != nil:
		c.remove(k, !ends)
	case ends:
		err = k.verdict()
		c.remove(k, len(k.rest) > 0)
	default:
		if k.taken += size; k.taken >= streamWindow/2 {
			c.out = appendWindow(c.out, id, k.taken)
			k.taken = 0
			c.stir()
		}
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	k.taker.take(k, err)
}

// fragment takes a part of the headers or trailers of an answer.
func (c *reader) fragment(b []byte, complete bool) error {
	_, err := c.dec.Write(b)
	if err == nil && complete {
		err = c.dec.Close()
	}
	if err != nil {
		return failure("bad answer", "invalid headers in the answer: %v", err)
	}
	if c.status.size > maxAnswerHeaders {
		return failure("bad answer", "the answer's headers are longer than %d bytes", maxAnswerHeaders)
	}
	if !complete {
		return nil
	}
	id := c.headers
	c.headers = 0
	c.mu.Lock()
	k := c.streams[id]
	if k == nil {
		c.mu.Unlock()
		return nil
	}
	k.status.merge(c.status)
	if !c.ends {
		c.mu.Unlock()
		return nil
	}
	err = k.verdict()
	c.remove(k, len(k.rest) > 0)
	c.mu.Unlock()
	k.taker.take(k, err)
	return nil
}

func (c *reader) wasReset(id, code uint32) {
	c.mu.Lock()
	k := c.streams[id]
	if k != nil {
		c.remove(k, false)
	}
	c.mu.Unlock()
	switch {
	case k == nil:
	case code == codeRefused:
		k.taker.take(k, errRefused)
	case code == codeCancel && !k.deadline.IsZero() && time.Now().Add(time.Millisecond).After(k.deadline):
		k.taker.take(k, errDeadline) // servers know the deadline, and this is what some say then
	default:
		k.taker.take(k, failure("stream reset", "the server reset the stream: %s", codeName(code)))
	}
}

func (c *reader) settings(payload []byte) error {
	c.mu.Lock()
	room := false
	for ; len(payload) > 0; payload = payload[6:] {
		value := binary.BigEndian.Uint32(payload[2:])
		switch binary.BigEndian.Uint16(payload) {
		case settingTableSize:
			c.enc.SetMaxDynamicTableSize(min(value, defaultTableSize))
			c.head = nil
		case settingStreams:
			room = int64(value) > c.limit.Load()
			c.limit.Store(int64(value))
		case settingWindow:
			if value > maxWindow {
				c.mu.Unlock()
				return failure("bad answer", "the server set an invalid window of %d bytes", value)
			}
			for _, k := range c.streams {
				k.window += int(value) - c.initial
			}
			c.initial = int(value)
		case settingFrameSize:
			if value < defaultFrameSize || value > 1<<24-1 {
				c.mu.Unlock()
				return failure("bad answer", "the server set an invalid frame size of %d bytes", value)
			}
			c.frameSize = int(value)
		}
	}
	c.out = appendFrame(c.out, frameSettings, flagAck, 0, 0)
	c.resume()
	c.stir()
	c.mu.Unlock()
	if room && c.ready != nil {
		c.ready()
	}
	return nil
}

// opened opens a window of the server's.
func (c *reader) opened(id uint32, by int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == 0 {
		if c.window += by; c.window > maxWindow {
			return failure("bad answer", "the server raised its window above %d bytes", maxWindow)
		}
		c.resume()
	} else if k := c.streams[id]; k != nil {
		k.window = min(k.window+by, math.MaxInt32)
		if k.blocked {
			c.resume()
		}
	}
	if len(c.out) > 0 {
		c.stir()
	}
	return nil
}

// goingAway ends calls that the server will not look at; the others are answered.
func (c *reader) goingAway(last, code uint32, text []byte) {
	var over []*call
	c.mu.Lock()
	if code != codeNone {
		c.goAway = failure("goaway", "the server went away: %s %q", codeName(code), text)
	}
	for id, k := range c.streams {
		if id > last {
			over = append(over, k)
			c.remove(k, false)
		}
	}
	c.drain()
	c.mu.Unlock()
	for _, k := range over {
		k.taker.take(k, errGoingAway)
	}
}

// open begins HTTP/2 on a connection: it waits for the server's settings.
func open(ctx context.Context, n net.Conn, most int) (*reader, error) {
	c := &reader{in: bufio.NewReaderSize(n, 4*defaultFrameSize), most: most, conn: newConn(n)}
	c.dec = hpack.NewDecoder(defaultTableSize, func(f hpack.HeaderField) {
		c.status.size += int(f.Size())
		c.status.field(f.Name, f.Value)
	})
	c.dec.SetMaxStringLength(maxAnswerHeaders)
	defer interruptible(ctx, n)()
	c.out = append(c.out, preface...)
	c.out = appendSettings(c.out, settingPush, 0, settingWindow, streamWindow)
	c.out = appendWindow(c.out, 0, connWindow-defaultWindow)
	c.flush()
	b, err := c.in.Peek(frameHeader)
	switch {
	case err == nil && b[3] != frameSettings:
		err = failure("not HTTP/2", "%s answers with %q, which is not HTTP/2", n.RemoteAddr(), b)
	case err == nil:
		err = c.next()
	}
	if err == nil {
		c.flush()
		err = c.writeErr
	}
	if err != nil {
		_ = n.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", n.RemoteAddr(), err)
	}
	return c, nil
}

// interruptible has reads and writes fail when ctx ends, until the returned function is called.
func interruptible(ctx context.Context, n net.Conn) (stop func()) {
	ended := make(chan struct{})
	after := context.AfterFunc(ctx, func() {
		_ = n.SetDeadline(longAgo)
		close(ended)
	})
	return func() {
		if !after() {
			<-ended
		}
		_ = n.SetDeadline(time.Time{})
	}
}

// run reads and writes until the connection ends.
func (c *reader) run() {
	go func() {
		for range c.wake {
			c.flush()
		}
	}()
	for {
		if err := c.next(); err != nil {
			c.fail(err)
			return
		}
	}
}

// next reads a frame and does what it says. After a timeout it may be called
// again. It returns an error if the connection is of no more use.
func (c *reader) next() error {
	b, err := c.in.Peek(frameHeader)
	if err != nil {
		return err
	}
	length := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
	if length > defaultFrameSize {
		return failure("bad answer", "the server sent a frame of %d bytes; the limit is %d", length, defaultFrameSize)
	}
	if b, err = c.in.Peek(frameHeader + length); err != nil {
		return err
	}
	kind, flags, id := b[3], b[4], binary.BigEndian.Uint32(b[5:])&^(1<<31)
	err = c.handle(kind, flags, id, b[frameHeader:])
	_, _ = c.in.Discard(frameHeader + length)
	return err
}
