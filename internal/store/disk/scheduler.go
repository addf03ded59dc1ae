package disk

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// A scheduler lets Pebble compact, unless compactions are paused. It implements
// [pebble.CompactionScheduler] and the handle of a compaction.
type scheduler struct {
	health *health
	db     pebble.DBForCompaction
	mu     sync.Mutex
	active int // compactions
	poke   chan struct{}
	end    chan struct{}
	ended  chan struct{}
}

func newScheduler(h *health) *scheduler {
	return &scheduler{health: h, poke: make(chan struct{}, 1), end: make(chan struct{}), ended: make(chan struct{})}
}

func (s *scheduler) Register(_ int, db pebble.DBForCompaction) {
	s.db = db
	go func() {
		defer close(s.ended)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-tick.C:
			case <-s.poke:
			case <-s.end:
				tick.Stop()
				return
			}
			for s.take() {
				if waiting, _ := s.db.GetWaitingCompaction(); !waiting || !s.db.Schedule(s) {
					s.give()
					break
				}
			}
		}
	}()
}

func (s *scheduler) Unregister() {
	close(s.end)
	<-s.ended
}

// take reserves a slot for a compaction, unless none may begin.
func (s *scheduler) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.end:
		return false
	default:
	}
	if s.health.resting() || s.active >= s.db.GetAllowedWithoutPermission() {
		return false
	}
	s.active++
	return true
}

func (s *scheduler) give() {
	s.mu.Lock()
	s.active--
	s.mu.Unlock()
}

func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !s.take() {
		return false, nil
	}
	return true, s
}

func (s *scheduler) UpdateGetAllowedWithoutPermission() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

func (s *scheduler) Done() {
	s.give()
	s.UpdateGetAllowedWithoutPermission()
}

func (s *scheduler) Started()                                          {}
func (s *scheduler) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (s *scheduler) CumulativeStats(pebble.CompactionGrantHandleStats) {}
