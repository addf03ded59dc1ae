package ingest

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultMemory and DefaultCallMemory are in force when nothing is said.
	DefaultMemory     = 1 << 30
	DefaultCallMemory = 512 << 20

	// Whoever holds up to patience waits for memory, for memoryWait at most. Who
	// holds more is refused at once: those who wait for each other hold little.
	patience   = 1 << 20
	memoryWait = 10 * time.Second
)

// Memory is what all requests may hold at a time: what is being sent, what is
// decompressed of it, and what that is decoded to, each as it comes; and answers
// while they are made and sent.
type Memory struct {
	total   int64
	refused atomic.Int64

	mu      sync.Mutex
	used    int64
	peak    int64         // the most that was in use
	changed chan struct{} // closed when memory is given back; nil if nobody waits
}

// NewMemory returns a Memory of so many bytes, or of DefaultMemory for 0.
func NewMemory(total int64) *Memory {
	if total == 0 {
		total = DefaultMemory
	}
	return &Memory{total: total}
}

// Total returns the size of the memory, Used what is in use of it, and Refused
// how often there was too little.
func (m *Memory) Total() int64   { return m.total }
func (m *Memory) Refused() int64 { return m.refused.Load() }
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Peak returns the most that was in use.
func (m *Memory) Peak() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peak
}

// take takes n bytes if there are any; otherwise it returns what to wait for.
func (m *Memory) take(n int64) (wait <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n <= m.total-m.used {
		m.used += n
		m.peak = max(m.peak, m.used)
		return nil
	}
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}

func (m *Memory) give(n int64) {
	if n == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= n
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// Share returns what one call may use of the memory: most bytes, or all of it if
// that is 0 or more. The call has to Close it.
func (m *Memory) Share(ctx context.Context, most int64) *Share {
	if most <= 0 || most > m.total {
		most = m.total
	}
	return &Share{m: m, ctx: ctx, most: most}
}

// A Share is one call's part of a Memory, and a profile.Budget. It is of one
// goroutine at a time.
type Share struct {
	m          *Memory
	ctx        context.Context
	most, used int64
}

// Take implements profile.Budget. Its errors are of type *Error.
func (s *Share) Take(n int64) error {
	if n > s.most-s.used {
		return Errorf(TooLarge, "the request takes more than %d bytes of memory, the limit", s.most)
	}
	wait := s.m.take(n)
	if wait == nil {
		s.used += n
		return nil
	}
	if s.used <= patience {
		timeout := time.NewTimer(memoryWait)
		defer timeout.Stop()
		for wait != nil {
			select {
			case <-wait:
				if wait = s.m.take(n); wait == nil {
					s.used += n
					return nil
				}
			case <-timeout.C:
				wait = nil
			case <-s.ctx.Done():
				wait = nil
			}
		}
	}
	s.m.refused.Add(1)
	return &Error{Reason: Unavailable, RetryAfter: time.Second, Err: errors.New("too many profiles are being sent at this moment")}
}

// Give implements profile.Budget.
func (s *Share) Give(n int64) {
	s.used -= n
	s.m.give(n)
}

// Charged returns r, whose bytes take memory: theirs, and as much again, as the
// buffer that they are read into grows by copies. A nil Share counts nothing.
func (s *Share) Charged(r io.Reader) io.Reader {
	if s == nil {
		return r
	}
	return &charged{r, s}
}

type charged struct {
	io.Reader
	share *Share
}

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if n > 0 {
		if err := c.share.Take(int64(2 * n)); err != nil {
			return 0, err
		}
	}
	return n, err
}

// Used returns what the share has now.
func (s *Share) Used() int64 { return s.used }

// Close gives everything back.
func (s *Share) Close() { s.Give(s.used) }

type shareKey struct{}

// WithShare returns a context of a call with a share of the memory.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// ShareOf returns the share of a call, or nil.
func ShareOf(ctx context.Context) *Share {
	s, _ := ctx.Value(shareKey{}).(*Share)
	return s
}
