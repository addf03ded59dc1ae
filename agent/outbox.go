package agent

import (
	"errors"
	"sync"
)

// queueBytes bounds the profiles that wait in memory: for their turn, and
// without a spool for the server.
const queueBytes = 8 << 20

// An outbox keeps profiles until they are sent: in memory while all goes well,
// on disk from the first failure on.
type outbox struct {
	spool *spool // nil: none
	stats *statistics
	wake  chan struct{} // holds a token when there may be something to send

	mu      sync.Mutex
	queue   []*parcel // the oldest first
	bytes   int
	sending *parcel // what next has returned, until done or failed
	waiting bool    // for a server that took nothing the last time
}

func newOutbox(s *spool, stats *statistics) *outbox {
	return &outbox{spool: s, stats: stats, wake: make(chan struct{}, 1)}
}

// add takes a profile in.
func (o *outbox) add(p *parcel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.waiting || !o.toSpool(p) {
		o.queue = append(o.queue, p)
		o.bytes += len(p.body)
	}
	for o.bytes > queueBytes {
		oldest := 0
		if o.queue[0] == o.sending { // it may arrive, and would be sent again
			oldest = 1
		}
		if oldest == len(o.queue) {
			break
		}
		if !o.toSpool(o.remove(oldest)) {
			o.stats.drop(1, "the queue is full: the server accepts no profiles, and no spool directory is set")
		}
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next returns a profile to send, nil if there is none. What is in memory goes
// first: it is lost with the process.
func (o *outbox) next() *parcel {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) > 0 {
		o.sending = o.queue[0]
		return o.sending
	}
	if o.spool == nil {
		return nil
	}
	p, dropped := o.spool.next()
	o.stats.drop(dropped, "too old, or damaged in the spool")
	return p
}

// done removes a profile that was sent, or that will never be.
func (o *outbox) done(p *parcel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting, o.sending = false, nil
	if p.spooled {
		o.spool.remove(p)
	} else {
		o.remove(0)
	}
}

// failed keeps everything for later. Another profile is the next one, so that
// one that the server cannot digest does not hold up the rest.
func (o *outbox) failed(p *parcel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting, o.sending = true, nil
	if o.spool == nil {
		if len(o.queue) > 1 && o.queue[0] == p {
			o.queue = append(o.queue[1:], p)
		}
		return
	}
	for len(o.queue) > 0 {
		if !o.toSpool(o.queue[0]) {
			return
		}
		o.remove(0)
	}
}

// empty drops what is still in memory when the agent ends.
func (o *outbox) empty() (lost int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		if !o.toSpool(o.queue[0]) {
			lost++
		}
		o.remove(0)
	}
	o.stats.drop(lost, "the agent was stopped before the server accepted them, and no spool directory is set")
	return lost
}

func (o *outbox) remove(i int) *parcel {
	p := o.queue[i]
	o.queue = append(o.queue[:i:i], o.queue[i+1:]...)
	o.bytes -= len(p.body)
	return p
}

// toSpool reports whether the profile is in the spool now, or gone because it
// is larger than the spool.
func (o *outbox) toSpool(p *parcel) bool {
	if o.spool == nil {
		return false
	}
	dropped, err := o.spool.put(p)
	o.stats.drop(dropped, "the spool is full, or they were too old")
	if errors.Is(err, errSpoolTooSmall) {
		o.stats.drop(1, err.Error())
		return true
	}
	if err != nil {
		o.stats.fail("spool: %v", err)
		return false
	}
	o.stats.add(&o.stats.Spooled, 1)
	return true
}
