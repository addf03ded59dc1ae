package disk

import (
	"context"
	"time"
)

// run packs and drops profiles.
func (s *Store) run() {
	defer s.backdrops.Done()
	pause := time.Second
	if s.o.PackAfter > 0 {
		pause = min(pause, s.o.PackAfter)
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	failures := 0
	var again time.Time // what failed is tried again, later each time
	for {
		select {
		case <-s.closing.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
		if s.o.PackAfter < 0 || time.Now().Before(again) {
			continue
		}
		s.busy.Store(true)
		if err := s.maintain(s.closing); err == nil {
			failures = 0
		} else if s.closing.Err() == nil {
			wait := min(minRest<<min(failures, 20), maxRest)
			failures, again = failures+1, time.Now().Add(wait)
			s.o.Log.Error("the store's background work failed, and is tried again", "error", err, "after", wait)
		}
		s.busy.Store(false)
	}
}

// maintain does all background work that is due.
func (s *Store) maintain(ctx context.Context) error {
	select {
	case <-s.space.noRoom():
		return nil // it would only wait, too
	default:
	}
	if err := s.checkUsable(); err != nil {
		return err
	}
	if s.health.suspects() { // as compactions found
		s.rewrites.Lock()
		_, err := s.heal()
		s.rewrites.Unlock()
		if err != nil {
			return err
		}
	}
	if err := s.pack(ctx, s.ripe); err != nil {
		return err
	}
	s.rewrites.Lock()
	defer s.rewrites.Unlock()
	if err := s.listDeletions(); err != nil {
		return err
	}
	if err := s.retain(ctx); err != nil {
		return err
	}
	s.trim()
	s.protect()
	if s.health.resting() {
		return nil
	}
	if s.unclaimed || s.garbage.Load() > maxGarbage || len(s.dead) > maxDead {
		return s.reclaim(ctx)
	}
	return nil
}

// paritiesPerRound limits how many bytes of tables one round of the background job reads to
// write parity files. A store from an earlier version has none at all.
const paritiesPerRound = 16 << 20

// protect writes parity files that are missing, of tables that were there when the store was
// opened. s.jobs is locked.
func (s *Store) protect() {
	for left := int64(paritiesPerRound); left > 0 && len(s.health.unprotected) > 0; {
		if err := s.space.check(); err != nil {
			return // later
		}
		file := s.health.unprotected[0]
		s.health.unprotected = s.health.unprotected[1:]
		if s.health.isDamaged(file) {
			continue
		}
		n, err := ensureParity(s.o.FS, s.o.FS.PathJoin(s.dir, file))
		if err != nil {
			s.o.Log.Warn("the parity file of a table could not be written", "table", file, "error", err)
		}
		left -= n
	}
}
