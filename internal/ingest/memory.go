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
	// DefaultMemory and DefaultCallMemory are in force when nothing is said.
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

// Memory is what all requests may hold at a time: what is being sent, what is
// decompressed of it, and what that is decoded to, each as it comes; and answers
// while they are made and sent.
//
// What pushes hold together stays below the crowd, a small part of the total, however
// many come at the same time. When that is used up, one push after another has its turn
// to take more. The others wait for it, even those that hold much: the one whose turn
// it is never waits for them. Pushes that hold up to patience don't need a turn.
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

// step is by how much what is in use has to change for Moved to tell.
const step = 16 << 20

// NewMemory returns a Memory of so many bytes, or of DefaultMemory for 0.
func NewMemory(total int64) *Memory {
	if total == 0 {
		total = DefaultMemory
	}
	crowd := max(usualCrowd, crowdPerProcessor*int64(runtime.GOMAXPROCS(0)))
	return &Memory{total: total, crowd: min(total/2, crowd), moved: make(chan struct{}, 1)}
}

// Moved returns a channel that has an element when what is in use has changed by some
// megabytes since the last one was put there. It has one reader.
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

// Share returns what making or sending one answer may use of the memory: most bytes, or
// all of it if that is 0 or more. The caller has to Close it.
func (m *Memory) Share(ctx context.Context, most int64) *Share {
	if most <= 0 || most > m.total {
		most = m.total
	}
	return &Share{m: m, ctx: ctx, most: most}
}

// Push is Share for a call that takes profiles in.
func (m *Memory) Push(ctx context.Context, most int64) *Share {
	s := m.Share(ctx, most)
	s.push = true
	return s
}

// A Share is one call's part of a Memory, and a profile.Budget. It is of one
// goroutine at a time.
type Share struct {
	m          *Memory
	ctx        context.Context
	push       bool
	hurries    bool // it doesn't wait for a turn
	most, used int64
}

// Hurry has the share fail where it would wait for its turn, or wait again.
func (s *Share) Hurry(on bool) { s.hurries = on }

// Take implements profile.Budget. Its errors are of type *Error.
func (s *Share) Take(n int64) error {
	if n > s.most-s.used {
		if !s.push {
			return Errorf(TooLarge, "the answer takes more than %d bytes of memory to make, the limit (half of in_flight): ask for less, such as shorter times, "+
				"fewer services, or stacks through some functions (focus)", s.most)
		}
		return Errorf(TooLarge, "the request takes more than %d bytes of memory, the limit", s.most)
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
	short := "too many profiles are being sent at this moment"
	if !s.push {
		short = "the server has too little memory for this answer at the moment: ask again in a moment"
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

// BudgetOf returns the share of a call as a budget, nil without one.
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
