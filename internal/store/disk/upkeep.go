package disk

import (
	"context"
	"sync/atomic"
	"time"
)

// An upkeep is the background job: it packs fresh profiles, drops old ones, and reclaims disk
// space.
type upkeep struct {
	*kv
	o         *Options
	catalogue *catalogue
	healer    *healer
	packer    *packer
	retention *retention
	rewrites  *rewrites
	dicts     *dictionaries
	wake      <-chan struct{} // there is much to pack
	busy      atomic.Bool     // it is at work
	// unprotected are tables that were there at the start, and whose parity files were not
	// looked at yet.
	unprotected []string
}

// run does the work that is due, regularly and whenever it is woken, until closing is done.
func (x *upkeep) run(closing context.Context) {
	pause := time.Second
	if x.o.PackAfter > 0 {
		pause = min(pause, x.o.PackAfter)
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	failures := 0
	var again time.Time // what failed is tried again, later each time
	for {
		select {
		case <-closing.Done():
			return
		case <-tick.C:
		case <-x.wake:
		}
		if x.o.PackAfter < 0 || time.Now().Before(again) {
			continue
		}
		x.busy.Store(true)
		if err := x.maintain(closing); err == nil {
			failures = 0
		} else if closing.Err() == nil {
			wait := min(minRest<<min(failures, 20), maxRest)
			failures, again = failures+1, time.Now().Add(wait)
			x.o.Log.Error("background work of the store failed; hone will try again", "error", err, "after", wait)
		}
		x.busy.Store(false)
	}
}

// maintain does all work that is due.
func (x *upkeep) maintain(ctx context.Context) error {
	select {
	case <-x.space.noRoom():
		return nil // it would only wait, too
	default:
	}
	if err := x.checkUsable(); err != nil {
		return err
	}
	if len(x.health.suspects()) > 0 { // as compactions found
		x.rewrites.Lock()
		_, err := x.healer.heal()
		x.rewrites.Unlock()
		if err != nil {
			return err
		}
	}
	if err := x.packer.pack(ctx, func(h *hourData) bool { return h.ripe(x.o) }); err != nil {
		return err
	}
	x.rewrites.Lock()
	defer x.rewrites.Unlock()
	if err := x.rewrites.listDeletions(); err != nil {
		return err
	}
	if err := x.retention.retain(ctx); err != nil {
		return err
	}
	x.dicts.trim(x.catalogue)
	x.protect()
	if x.health.resting() {
		return nil
	}
	if x.rewrites.due() {
		return x.rewrites.reclaim(ctx)
	}
	return nil
}

// paritiesPerRound limits how many bytes of tables one round of the background job reads to
// write parity files. A store from an earlier version has none at all.
const paritiesPerRound = 16 << 20

// protect writes missing parity files for tables that existed when the store was opened.
func (x *upkeep) protect() {
	for left := int64(paritiesPerRound); left > 0 && len(x.unprotected) > 0; {
		if err := x.space.check(); err != nil {
			return // later
		}
		file := x.unprotected[0]
		x.unprotected = x.unprotected[1:]
		if x.health.isDamaged(file) {
			continue
		}
		n, err := ensureParity(x.space.FS, x.space.FS.PathJoin(x.space.dir, file))
		if err != nil {
			x.o.Log.Warn("the parity file of a table could not be written", "table", file, "error", err)
		}
		left -= n
	}
}
