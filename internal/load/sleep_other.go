//go:build !linux

package load

import "time"

// A sleeper waits for a time as exactly as the system lets it.
type sleeper struct{}

func newSleeper() (*sleeper, error) { return &sleeper{}, nil }

func (*sleeper) sleep(d time.Duration) { time.Sleep(d) }
func (*sleeper) close()                {}
