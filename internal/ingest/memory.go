package ingest

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/profile"
)

const (
	// DefaultMemory is the default size of a Memory in bytes, and DefaultCallMemory
	// what one request may take of it.
	DefaultMemory     = 1 << 30
	DefaultCallMemory = 320 << 20

	// Whoever holds up to patience waits for memory, for memoryWait at most. Whoever
	// holds more is refused at once, so that those who wait for each other hold little.
	patience   = 1 << 20
	memoryWait = 10 * time.Second

	// turnWait is how long a push waits for its turn.
	turnWait = 30 * time.Second

	// usualCrowd is what pushes may hold together on a machine with few processors.
	usualCrowd        = 64 << 20
	crowdPerProcessor = 16 << 20
)

// A Memory limits the bytes that all requests hold at the same time: what was sent so
// far, what was decompressed and decoded of it, and answers while they are made and sent.
//
// All pushes together hold at most the crowd, a small part of the total, however many
// come at the same time. When the crowd is used up, one push at once has its turn to
// take more. The others wait until it has ended, however much they hold; it never waits
// for them. Pushes that hold no more than patience don't need a turn.
type Memory struct {
	total, crowd int64
	refused      atomic.Int64

	mu      sync.Mutex
	used    int64
	pushed  int64         // the part of used that pushes hold
	turn    *Share        // the push that may take more than the crowd; nil is none
	peak    int64         // the most that was in use
	told    int64         // what was in use when Moved last told
	changed chan struct{} // closed when memory is given back; nil if nobody waits
	moved   chan struct{}
}

// step is how many bytes the use has to change by until Moved tells.
const step = 16 << 20

// NewMemory returns a Memory of total bytes; 0 stands for DefaultMemory.
func NewMemory(total int64) *Memory {
	if total == 0 {
		total = DefaultMemory
	}
	crowd := max(usualCrowd, crowdPerProcessor*int64(runtime.GOMAXPROCS(0)))
	return &Memory{total: total, crowd: min(total/2, crowd), moved: make(chan struct{}, 1)}
}

// Moved returns a channel that gets an element whenever the use has changed by some
// megabytes. It is for one reader.
func (m *Memory) Moved() <-chan struct{} { return m.moved }

// tell tells the reader of Moved. The caller holds m.mu.
func (m *Memory) tell() {
	if m.used-m.told < step && m.told-m.used < step {
		return
	}
	m.told = m.used
	select {
	case m.moved <- struct{}{}:
	default:
	}
}

// Total returns the size of the memory in bytes, Used how much of it is in use, and
// Refused how many requests for memory failed.
func (m *Memory) Total() int64   { return m.total }
func (m *Memory) Refused() int64 { return m.refused.Load() }
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Peak returns the largest use so far, in bytes.
func (m *Memory) Peak() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peak
}

// take takes n bytes for a share if there are any; otherwise it returns what to wait
// for, and whether only other pushes are in the way.
func (m *Memory) take(s *Share, n int64) (wait <-chan struct{}, crowded bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fits := n <= m.total-m.used
	crowded = s.push && s.used+n > patience && n > m.crowd-m.pushed && m.turn != s
	if fits && crowded && m.turn == nil {
		m.turn, crowded = s, false
	}
	if fits && !crowded {
		s.used += n
		m.used += n
		if s.push {
			m.pushed += n
		}
		m.peak = max(m.peak, m.used)
		m.tell()
		return nil, false
	}
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed, fits
}

func (m *Memory) give(s *Share, n int64) {
	if n == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.used -= n
	m.used -= n
	if s.push {
		m.pushed -= n
	}
	m.tell()
	if m.turn == s && s.used <= patience {
		m.turn = nil
	}
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// Share returns a share of the memory for making and sending one answer: at most most
// bytes, or without a limit of its own if that is 0 or more than there are. The caller
// closes it.
func (m *Memory) Share(ctx context.Context, most int64) *Share {
	if most <= 0 || most > m.total {
		most = m.total
	}
	return &Share{m: m, ctx: ctx, most: most}
}

// Push is like Share, for a call that receives profiles.
func (m *Memory) Push(ctx context.Context, most int64) *Share {
	s := m.Share(ctx, most)
	s.push = true
	return s
}

// A Share is one call's part of a Memory. It implements profile.Budget. Only one goroutine
// may use it at the same time.
type Share struct {
	m          *Memory
	ctx        context.Context
	push       bool
	hurries    bool // it doesn't wait for a turn
	most, used int64
}

// Hurry sets whether Take fails instead of waiting for a turn.
func (s *Share) Hurry(on bool) { s.hurries = on }

// Take implements profile.Budget. Its errors are of type *Error.
func (s *Share) Take(n int64) error {
	if n > s.most-s.used {
		if !s.push {
			return Errorf(TooLarge, "the answer needs more than %d bytes of memory, the limit (half of in_flight): ask for less, such as a shorter time range, "+
				"fewer services, or only stacks through some functions (focus)", s.most)
		}
		return Errorf(TooLarge, "the request needs more than %d bytes of memory, which is the limit", s.most)
	}
	wait, crowded := s.m.take(s, n)
	if wait == nil {
		return nil
	}
	most := memoryWait
	if crowded {
		most = turnWait
	}
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	for crowded && !s.hurries || s.used <= patience {
		select {
		case <-wait:
			if wait, crowded = s.m.take(s, n); wait == nil {
				return nil
			}
			continue
		case <-timeout.C:
		case <-s.ctx.Done():
		}
		break
	}
	s.m.refused.Add(1)
	short := "too many profiles are being sent right now: try again later"
	if !s.push {
		short = "the server has too little free memory for this answer: try again in a moment"
	}
	return &Error{Reason: Unavailable, RetryAfter: time.Second, Err: errors.New(short)}
}

// hasTurn tells whether others wait for what the share has taken.
func (s *Share) hasTurn() bool {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.m.turn == s
}

// Give implements profile.Budget.
func (s *Share) Give(n int64) { s.m.give(s, n) }

// Charged returns a reader that takes memory for what it reads from r: twice its size,
// since the buffer that it is read into grows by copying. A nil Share counts nothing.
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

// Used returns the bytes that the share holds.
func (s *Share) Used() int64 { return s.used }

// Close gives everything back.
func (s *Share) Close() { s.Give(s.used) }

type shareKey struct{}

// WithShare returns a context for a call that has a share of the memory.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// BudgetOf returns the share of a call as a budget, nil if it has none.
func BudgetOf(ctx context.Context) profile.Budget {
	if s := ShareOf(ctx); s != nil {
		return s
	}
	return nil
}

// TakeFor takes n bytes of memory for a call, if it has a share.
func TakeFor(ctx context.Context, n int64) error {
	if s := ShareOf(ctx); s != nil {
		return s.Take(n)
	}
	return nil
}

// ShareOf returns the share of a call, or nil.
func ShareOf(ctx context.Context) *Share {
	s, _ := ctx.Value(shareKey{}).(*Share)
	return s
}
