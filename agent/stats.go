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
	Sent      int64 // profiles that the server has accepted
	SentBytes int64 // size of these as sent, compressed
	Failures  int64 // failed attempts to send, each of which is repeated later
	Spooled   int64 // profiles that had to wait on disk
	Dropped   int64 // profiles that are lost: refused, too old, or no room
	Triggered int64 // profiles taken because of a trigger; also in Recorded
	Busy      int64 // CPU profiles not taken because the program was recording one
	// Stretched counts the rounds in which a kind was left out, to stay within the
	// budget or because of MaxGoroutines.
	Stretched map[Kind]int64

	// SpoolFiles and SpoolBytes are the number and size of the files in SpoolDir
	// now, including those of other processes.
	SpoolFiles int
	SpoolBytes int64

	// OwnCPU is the CPU time that the agent has used. On Linux it is measured on
	// the thread that does the work; elsewhere it is the duration of the work. It
	// includes estimates: 10 µs for each sample of a CPU profile, 0.5 ms for each
	// profile sent, and for the garbage that the agent makes what the program's
	// garbage collections have cost per byte.
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

// fail records an error, and logs it unless it was logged before.
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
