package lsp

import (
	"io"
	"sync"
	"time"
)

// An outbox writes messages in the order they come in. Whoever sends doesn't wait for the client to read: it may itself be waiting for the
// server to read.
type outbox struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting [][]byte
	size    int // of waiting, in bytes
	closed  bool
	done    chan struct{} // closed when all is written
}

const (
	maxOutbox = 64 << 20        // bytes that may wait; then whoever sends does
	lastWrite = 2 * time.Second // for what waits when the client leaves
)

func newOutbox(w io.Writer) *outbox {
	o := &outbox{done: make(chan struct{})}
	o.changed.L = &o.mu
	go o.run(w)
	return o
}

func (o *outbox) run(w io.Writer) {
	defer close(o.done)
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.waiting) == 0 {
			o.mu.Unlock()
			return
		}
		body := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.mu.Unlock()
		err := writeMessage(w, body)
		o.mu.Lock()
		o.size -= len(body)
		if err != nil { // the client is gone, and reading ends, too
			o.closed, o.waiting, o.size = true, nil, 0
		}
		o.changed.Broadcast()
		o.mu.Unlock()
	}
}

// send adds a message.
func (o *outbox) send(body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > maxOutbox && !o.closed {
		o.changed.Wait()
	}
	if o.closed {
		return
	}
	o.waiting = append(o.waiting, body)
	o.size += len(body)
	o.changed.Broadcast()
}

// close takes no more messages, and waits a little until the client has read those that wait.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-time.After(lastWrite):
	}
}
