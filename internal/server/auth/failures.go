package auth

import (
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// The number of failed logins that an address or an account may have in a row, and
// the time after which it may have one more.
const (
	maxFailures  = 20
	failureEvery = 6 * time.Second
	maxFailing   = 10_000 // number of addresses and accounts that are remembered
)

// failures counts failed logins. Tokens can't be guessed, however often someone
// tries. The limit is for the load on the server, the log and the identity provider.
type failures struct {
	mu sync.Mutex
	// of has the time at which an address or an account has no failures any more.
	of map[string]time.Time
	// swept is the time when entries without failures were last removed.
	swept time.Time
}

// wait returns how long logins of any of these addresses and accounts are refused;
// 0 if they aren't.
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

// forget makes room for an entry. It removes entries without failures, or else any
// one. It doesn't look at all entries for each failure, because that would cost more
// than a login.
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

// failingAddress returns the address or network for which a request's failures are
// counted. For IPv6 that is the /64, which has one owner.
func failingAddress(r *http.Request) string {
	text := addressOf(r)
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() && !ip.Is4In6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			text = p.String()
		}
	}
	return "address " + text
}
