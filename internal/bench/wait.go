package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/hone-go/hone/internal/workspace"
)

// DefaultWait is how long a measurement waits for a quiet machine in all, but no longer
// than a fifth of the time that it takes itself.
const DefaultWait = time.Minute

const (
	waitPart = 5
	// coreLeft is what has to be idle of one core for a benchmark to run on.
	coreLeft = 0.5
)

// A waiter waits while others leave no core to measure on, as long as it may in all.
//
// It looks when nothing of hone's runs, so that nobody waits for himself, and only after
// a sample that others disturbed: looking takes time, too. What counts are ticks and
// stolen time, and not /proc/pressure: that also tells of processes which wait though
// there are cores, since a quota holds them back.
type waiter struct {
	rest    time.Duration // that it may still wait
	waited  time.Duration
	crowded bool // the last sample was
	// look returns, after a while, how many cores anything uses, and of how many; 0 of
	// 0: that isn't known.
	look func(context.Context) (used, cores float64, err error)
}

func newWaiter(rest time.Duration) waiter { return waiter{rest: rest, look: workspace.OtherPrograms} }

// wait waits until there is a core. tell is called while it does.
func (w *waiter) wait(ctx context.Context, tell func(what string)) error {
	if !w.crowded {
		return nil
	}
	w.crowded = false
	for w.rest > 0 {
		begin := time.Now()
		used, cores, err := w.look(ctx)
		if err != nil || cores == 0 || cores-used >= coreLeft {
			return err
		}
		took := time.Since(begin)
		w.rest -= took
		w.waited += took
		tell(fmt.Sprintf("%.1f of %.0f cores are in use by others; waiting up to %v", used, cores, max(0, w.rest).Round(time.Second)))
	}
	return nil
}

// waitFor waits before a block of samples.
func (m *bencher) waitFor(ctx context.Context) error {
	if m.Wait == 0 && m.waiter.rest == 0 && m.waiter.waited == 0 {
		m.waiter.rest = min(DefaultWait, m.left()/waitPart)
	}
	return m.waiter.wait(ctx, func(what string) {
		m.event(Event{Stage: "wait", What: what, Done: m.forecast.finished, Total: m.forecast.total(), Left: m.left()})
	})
}

// noteWaiting says in the run how long that took.
func (m *bencher) noteWaiting() error {
	if m.waiter.waited < time.Second {
		return nil
	}
	return m.run.Note(fmt.Sprintf("waited %v in all for others to leave a core", m.waiter.waited.Round(time.Second)))
}
