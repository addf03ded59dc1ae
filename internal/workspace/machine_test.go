package workspace

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDisturbance: CPU time of other programs counts as a Disturbance, that of hone and its programs doesn't.
func TestDisturbance(t *testing.T) {
	cores := int64(runtime.NumCPU())
	const seconds = 10
	all := cores * seconds * int64(time.Second/tick)
	busy := func(share float64, own time.Duration) Disturbance {
		n := int64(share * float64(all))
		return Disturbance{machine: machine{busy: n, idle: all - n}, own: own}
	}
	used := time.Duration(cores) * seconds * time.Second
	for _, c := range []struct {
		name string
		now  Disturbance
		want int // warnings
	}{
		{"quiet", busy(0.01, 0), 0},
		{"hone builds on all cores", busy(1, used), 0},
		{"hone and a little besides", busy(1, used*4/5), 0},
		{"others", busy(0.5, 0), 1},
		{"others beside hone", busy(1, used/2), 1},
		{"more of its own than there were ticks", busy(0.5, used), 0},
		{"too short to tell", Disturbance{machine: machine{busy: 1}}, 0},
		{"other virtual machines", Disturbance{machine: machine{idle: all, stolen: all / 10}}, 1},
		{"unknown", Disturbance{}, 0},
	} {
		if got := (Disturbance{}).Warnings(c.now); len(got) != c.want {
			t.Errorf("%s: %q, want %d", c.name, got, c.want)
		}
	}
}

// TestOwnTime: the counter moves with what hone does.
func TestOwnTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is counted there")
	}
	before := ownTime()
	words := slices.Repeat([]int{3, 1, 2}, 100)
	for ownTime() == before { // ends as soon as the counter moves
		slices.Sort(slices.Clone(words))
	}
}

// What the machine is asked, it knows, or says that it doesn't.
func TestOtherPrograms(t *testing.T) {
	used, cores, err := CoresInUse(t.Context())
	if err != nil || used < 0 || cores < used {
		t.Errorf("%v of %v cores, %v", used, cores, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := CoresInUse(ctx); err == nil || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("interrupted: %v", err)
	}
}
