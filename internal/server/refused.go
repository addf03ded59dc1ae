package server

import (
	"maps"
	"sync"
	"time"
)

// Refused senders are told to the operator once per refusedEvery, and at most maxRefused of them:
// anyone who connects can be one.
const (
	refusedEvery = time.Hour
	maxRefused   = 1000
)

// refused remembers which senders the operator was told of.
type refused struct {
	mu   sync.Mutex
	told map[string]time.Time // by address
}

// first reports whether the operator hasn't been told of a sender for refusedEvery.
func (f *refused) first(address string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if told, known := f.told[address]; known && now.Sub(told) < refusedEvery {
		return false
	}
	if len(f.told) >= maxRefused {
		maps.DeleteFunc(f.told, func(_ string, told time.Time) bool { return now.Sub(told) >= refusedEvery })
		if len(f.told) >= maxRefused {
			return false
		}
	}
	if f.told == nil {
		f.told = map[string]time.Time{}
	}
	f.told[address] = now
	return true
}
