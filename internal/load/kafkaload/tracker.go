package kafkaload

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// A Delivery is what a consumer saw of the messages, including those of the warm-up.
type Delivery struct {
	Arrived     int64 `json:"arrived"`     // different messages
	Lost        int64 `json:"lost"`        // messages that were acknowledged, or sent without acknowledgement, but are not in the topic
	Doubled     int64 `json:"doubled"`     // arrivals of messages that had arrived before
	Unconfirmed int64 `json:"unconfirmed"` // messages that arrived though they count as failed: their acknowledgement was missed

	// Time is the time from when messages were due until the consumer had them. Lost
	// messages count as slower than any other.
	Time load.Quantiles `json:"time"`

	Incomplete string `json:"incomplete,omitempty"` // why not all was read
	Unread     int64  `json:"unread,omitempty"`     // in that case: missing messages that may be in the unread part; they are not in Lost
}

// A mark is the header by which the consumer knows a message:
//
//	0    1                   9                   17                  25
//	+----+-------------------+-------------------+-------------------+
//	| 1  | sender, random    | number, from 0    | due, ns from 1970 |
//	+----+-------------------+-------------------+-------------------+
//
// Version first; integers are big-endian. A message of the warm-up has no time: 0.
// Times are the sender's, from a clock that does not go back.
const (
	markName    = "hone"
	markSize    = 25
	markVersion = 1
)

// A tracker records which messages were sent, acknowledged and seen.
type tracker struct {
	sender [8]byte
	epoch  time.Time
	warmup time.Duration
	sent   uint64 // of the sending goroutine

	mu      sync.Mutex
	chunks  []*chunk // of all messages that were sent
	doubled int64
	times   *load.Times
}

// A chunk is what is known of 65536 messages, a bit each. One whose messages were
// all acknowledged and seen is replaced by complete, so that memory does not grow
// with what is sent.
type chunk struct {
	acked, seen bitset
	settled     int // messages that are both
}

const chunkSize = 1 << 16

var complete = &chunk{settled: chunkSize}

type bitset [chunkSize / 64]uint64

// set sets a bit, and reports whether it was set before.
func (b *bitset) set(i uint64) bool {
	word, bit := &b[i/64%uint64(len(b))], uint64(1)<<(i%64)
	was := *word&bit != 0
	*word |= bit
	return was
}

func (b *bitset) has(i uint64) bool { return b[i/64%uint64(len(b))]&(1<<(i%64)) != 0 }

func newTracker(warmup time.Duration) *tracker {
	t := &tracker{epoch: time.Now(), warmup: warmup, times: load.NewTimes()}
	_, _ = rand.Read(t.sender[:]) // it never fails
	return t
}

// at returns a time as marks have it.
func (t *tracker) at(when time.Time) int64 { return t.epoch.UnixNano() + int64(when.Sub(t.epoch)) }

// appendMark appends the mark of the next message, which is due after a run's start.
func (t *tracker) appendMark(dst []byte, start time.Time, due time.Duration) (marked []byte, number uint64) {
	number = t.sent
	t.sent++
	if number%chunkSize == 0 {
		t.mu.Lock()
		t.chunks = append(t.chunks, new(chunk))
		t.mu.Unlock()
	}
	dst = append(dst, markVersion)
	dst = append(dst, t.sender[:]...)
	dst = binary.BigEndian.AppendUint64(dst, number)
	at := int64(0)
	if due >= t.warmup {
		at = t.at(start.Add(due))
	}
	return binary.BigEndian.AppendUint64(dst, uint64(at)), number
}

// acked notes that a message was acknowledged.
func (t *tracker) acked(number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.chunks[number/chunkSize]; c != complete && !c.acked.set(number) && c.seen.has(number) {
		t.settle(c, number)
	}
}

// arrived notes that a message with a mark arrived now, as at tells times. Marks of
// others are not counted. The caller holds the lock.
func (t *tracker) arrived(mark []byte, now int64) {
	if len(mark) != markSize || mark[0] != markVersion || [8]byte(mark[1:9]) != t.sender {
		return
	}
	number, due := binary.BigEndian.Uint64(mark[9:]), int64(binary.BigEndian.Uint64(mark[17:]))
	if number/chunkSize >= uint64(len(t.chunks)) {
		return // It is not what was written.
	}
	c := t.chunks[number/chunkSize]
	if c == complete || c.seen.set(number) {
		t.doubled++
		return
	}
	if due != 0 {
		t.times.Add(time.Duration(now - due))
	}
	if c.acked.has(number) {
		t.settle(c, number)
	}
}

func (t *tracker) settle(c *chunk, number uint64) {
	if c.settled++; c.settled == chunkSize {
		t.chunks[number/chunkSize] = complete
	}
}

func (t *tracker) delivery() *Delivery {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := &Delivery{Doubled: t.doubled}
	for _, c := range t.chunks {
		d.Arrived += int64(c.settled)
		if c == complete {
			continue
		}
		for i, seen := range c.seen {
			acked := c.acked[i]
			d.Arrived += int64(bits.OnesCount64(seen &^ acked))
			d.Unconfirmed += int64(bits.OnesCount64(seen &^ acked))
			d.Lost += int64(bits.OnesCount64(acked &^ seen))
		}
	}
	d.Time = t.times.Quantiles(d.Lost)
	return d
}

// incomplete notes why not all was read. What was not seen may be there.
func (d *Delivery) incomplete(why string) {
	d.Incomplete, d.Unread, d.Lost = why, d.Lost, 0
}
