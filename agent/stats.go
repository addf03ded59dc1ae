package agent

import (
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Stats are counts since Start.
type Stats struct {
	Recorded  int64 // profiles taken
	Sent      int64 // profiles that the server has kept
	SentBytes int64 // their size as sent, compressed
	Failures  int64 // attempts to send that failed and are repeated
	Spooled   int64 // profiles that had to wait on disk
	Dropped   int64 // profiles lost: refused, too old, or no room
	Triggered int64 // of Recorded, those that a trigger asked for
	Busy      int64 // CPU profiles not taken because the program was taking one
	// Stretched are the rounds in which a kind was left out, to keep the budget
	// or because of MaxGoroutines.
	Stretched map[Kind]int64

	// SpoolFiles and SpoolBytes are what waits on disk now, that of other
	// processes with the same folder included.
	SpoolFiles int
	SpoolBytes int64

	// OwnCPU is the CPU time that the agent has used: measured on the thread
	// that does the work on Linux, the duration of the work elsewhere. Sampling
	// for CPU profiles is charged at 10 µs a sample, sending at 0.5 ms a profile,
	// and what the agent allocates at what the program's garbage collections
	// have cost per byte: these are estimates.
	OwnCPU time.Duration
	// Share is OwnCPU per second since Start: 0.01 is 1 % of one CPU.
	Share float64

	LastError string // "" if there was none
}

// statistics are Stats being counted. Its fields are guarded by mu.
type statistics struct {
	mu  sync.Mutex
	log *slog.Logger
	Stats
	start time.Time
}

func newStatistics(log *slog.Logger) *statistics {
	return &statistics{log: log, start: time.Now(), Stats: Stats{Stretched: make(map[Kind]int64)}}
}

func (s *statistics) add(counter *int64, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*counter += n
}

func (s *statistics) stretched(k Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Stretched[k]++
}

func (s *statistics) spent(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.OwnCPU += d
}

// fail remembers what went wrong and logs it unless that is no news.
func (s *statistics) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	news := text != s.LastError
	s.LastError = text
	s.mu.Unlock()
	if news {
		s.log.Warn("hone agent: " + text)
	}
}

func (s *statistics) drop(n int, why string) {
	if n == 0 {
		return
	}
	s.add(&s.Dropped, int64(n))
	s.fail("profiles were dropped: %s", why)
}
