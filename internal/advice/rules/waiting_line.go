package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
)

var waitingLine = &advice.Rule{
	ID:    "waiting-line",
	Title: "goroutines wait at a line, and no rule knows a pattern there",
	Doc: `Much of the waiting in a block profile, or in an execution trace, is at this line, and no other rule reports it. The
finding says what goroutines wait for, how often, and how long on average.

A wait of milliseconds or more to receive is mostly for work: the goroutine has nothing to do, and costs nothing. Many
waits of microseconds mean that goroutines hand over small pieces of work. Long waits to send mean that the receivers
are slower. A WaitGroup waits for its slowest goroutine.

The rule reports lines with at least 3 % of the waiting (-hot changes that), one per function, and only without a CPU
profile: with one, what waits isn't what is slow. It has no rewrite and promises no gain.`,
	Class: advice.Look,
	Rest:  true,
	Waits: true,
	Match: matchWaitingLine,
}

// waitingFor are the functions that wait, and for what.
var waitingFor = []struct{ prefix, what string }{
	{"runtime.chansend", "to send on a channel"},
	{"runtime.chanrecv", "to receive from a channel"},
	{"runtime.selectgo", "in a select"},
	{"sync.(*WaitGroup)", "for a WaitGroup"},
	{"sync.(*Cond)", "for a Cond"},
	{"sync.(*Mutex)", "for a mutex"},
	{"sync.(*RWMutex)", "for an RWMutex"},
	{"sync.(*Once)", "for a Once"},
	{"runtime.Gosched", "to let others run"},
}

func matchWaitingLine(s *advice.Site) []advice.Match {
	if s.HasCPUProfile() {
		return nil
	}
	waits := s.Waits()
	if len(waits) == 0 {
		return nil
	}
	most := slices.MaxFunc(waits, func(a, b advice.WaitIn) int { return cmp.Compare(a.Time, b.Time) })
	what := "in " + advice.ShortName(most.Function)
	for _, w := range waitingFor {
		if strings.HasPrefix(most.Function, w.prefix) {
			what = w.what
			break
		}
	}
	why := fmt.Sprintf("Goroutines wait here %s: %v in all.", what, roughly(most.Time))
	if most.Times > 0 {
		mean := most.Time / time.Duration(most.Times)
		why = fmt.Sprintf("Goroutines wait here %s: %s, %v on average.", what, timesOf(most.Times), roughly(mean))
		passes := strings.HasPrefix(most.Function, "runtime.chan") || most.Function == "runtime.selectgo"
		switch {
		case passes && mean <= briefWait:
			why += " Waits this short come from goroutines that pass small pieces of work."
		case passes && !strings.HasPrefix(most.Function, "runtime.chansend") && mean >= time.Millisecond:
			why += " Waits this long are mostly for work: they cost nothing."
		}
	}
	return []advice.Match{{Node: lineStart(s), Title: "goroutines wait here " + what, Why: why}}
}
