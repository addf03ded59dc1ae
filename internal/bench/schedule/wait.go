package schedule

import (
	"fmt"
	"time"
)

// DefaultWait limits the total time that a measurement waits for a free core. A fifth of its
// expected duration limits it as well.
const DefaultWait = time.Minute

const (
	waitPart = 5
	// coreLeft is what has to be idle of one core for a benchmark to run on.
	coreLeft = 0.5
)

// A waiter waits while others leave no core to measure on, as long as it may in all.
//
// It has the machine looked at when nothing of hone's runs, so that nobody waits for
// himself, and only after a sample that others disturbed: looking takes time, too. What
// counts are ticks and stolen time, and not /proc/pressure: that also tells of processes
// which wait though there are cores, since a quota holds them back.
type waiter struct {
	rest    time.Duration // that it may still wait
	waited  time.Duration
	crowded bool // the last sample was
}

// begin settles how long it may wait by default, of a measurement that takes so long.
func (w *waiter) begin(asked, rest time.Duration) {
	if asked == 0 && w.rest == 0 && w.waited == 0 {
		w.rest = min(DefaultWait, rest/waitPart)
	}
}

// looks reports whether to look at the machine before the next sample.
func (w *waiter) looks() bool { return w.crowded && w.rest > 0 }

// looked takes what a look of a time shows, and returns what is waited for: "" for nothing.
func (w *waiter) looked(used, cores float64, took time.Duration) string {
	if w.crowded = cores > 0 && cores-used < coreLeft; !w.crowded {
		return ""
	}
	w.rest -= took
	w.waited += took
	return fmt.Sprintf("%.1f of %.0f cores are used by other processes; waiting for a free one, up to %v", used, cores, max(0, w.rest).Round(time.Second))
}
