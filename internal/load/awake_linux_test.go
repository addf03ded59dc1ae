package load

import (
	"runtime"
	"testing"
)

// TestKeepAwake: however many runs there are at once, they add one processor, and the
// last one takes it away.
func TestKeepAwake(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	first, second := keepAwake(), keepAwake()
	first()
	first() // once is enough
	if n := runtime.GOMAXPROCS(0); n != before+1 {
		t.Errorf("%d processors during a run, want %d", n, before+1)
	}
	second()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d processors after the runs, want %d", n, before)
	}
}
