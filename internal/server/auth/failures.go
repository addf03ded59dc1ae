package auth

import (
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Failed logins that an address, or an account, may have at once, and the time
// after which it may have one more.
const (
	maxFailures  = 20
	failureEvery = 6 * time.Second
	maxFailing   = 10_000 // addresses and accounts that are remembered
)

// failures counts failed logins. Tokens can't be guessed however often one tries;
// what this bounds is what trying costs the server, the log and the identity
// provider.
type failures struct {
	mu sync.Mutex
	// of has, for each address and account, when it will have no failures any more.
	of map[string]time.Time
	// swept is when those without failures were last forgotten.
	swept time.Time
}

// wait returns how long logins of any of these addresses and accounts are
// refused, 0 if they are not.
func (f *failures) wait(t time.Time, of ...string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	longest := time.Duration(0)
	for _, key := range of {
		if until, failed := f.of[key]; failed {
			longest = max(longest, until.Sub(t)-(maxFailures-1)*failureEvery)
		}
	}
	return longest
}

// add counts a failed login.
func (f *failures) add(t time.Time, of ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[string]time.Time{}
	}
	for _, key := range of {
		from := f.of[key]
		if from.Before(t) {
			from = t
		}
		if _, known := f.of[key]; !known && len(f.of) >= maxFailing {
			f.forget(t)
		}
		f.of[key] = from.Add(failureEvery)
	}
}

// forget makes room for one: who has no failures any more goes, else any. To look
// at all of them for each failure would cost more than what this is to bound.
func (f *failures) forget(t time.Time) {
	if t.Sub(f.swept) >= failureEvery {
		f.swept = t
		maps.DeleteFunc(f.of, func(_ string, until time.Time) bool { return until.Before(t) })
	}
	for key := range f.of {
		if len(f.of) < maxFailing {
			return
		}
		delete(f.of, key)
	}
}

// failingAddress is what failures of a request's address are counted as: of IPv6
// all of a /64 has one owner.
func failingAddress(r *http.Request) string {
	text := addressOf(r)
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() && !ip.Is4In6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			text = p.String()
		}
	}
	return "address " + text
}
