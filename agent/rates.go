package agent

import (
	"runtime"
	"sync"
)

// recorder switches the recording of block or mutex events, of which the
// process has one each, on and off for several users. The finest rate that one
// of them asked for applies until the last one is done; then, what was before.
type recorder struct {
	set func(rate int) (before int)

	mu     sync.Mutex
	users  int
	rate   int // the finest; valid while there are users
	before int // to restore after the last user
}

var blockRecorder = &recorder{set: func(rate int) int {
	runtime.SetBlockProfileRate(rate)
	return 0 // the runtime does not tell
}}

var mutexRecorder = &recorder{set: runtime.SetMutexProfileFraction}

// on switches recording on, until the caller calls off.
func (r *recorder) on(rate int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.users == 0:
		r.before = r.set(rate)
		r.rate = rate
	case rate < r.rate: // records more
		r.set(rate)
		r.rate = rate
	}
	r.users++
}

func (r *recorder) off() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users--
	if r.users == 0 {
		r.set(r.before)
	}
}
