package notify

import (
	"net/http"
	"strconv"
	"time"
)

// Bounds of the time between attempts.
const (
	firstWait     = time.Second
	longestWait   = 5 * time.Minute
	longestAsked  = time.Hour // that a target may ask for
	shortestAsked = firstWait
)

// backoff returns how long to wait after so many failures in a row: twice as long each time,
// with a quarter more or less at random, so that servers don't all try at the same time.
// random is from 0 to 1. asked is the Retry-After of the target; it isn't shortened.
func backoff(failures int, asked time.Duration, random float64) time.Duration {
	wait := longestWait
	if doubled := firstWait << min(failures-1, 20); failures > 0 && doubled < longestWait {
		wait = doubled
	}
	return max(time.Duration(float64(wait)*(0.75+random/2)), asked)
}

// retryAfter returns what the header Retry-After asks for: seconds or a date. It is 0 without
// the header, or if it means nothing.
func retryAfter(header string, now time.Time) time.Duration {
	var asked time.Duration
	if n, err := strconv.Atoi(header); err == nil {
		asked = time.Duration(min(n, int(longestAsked/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		asked = at.Sub(now)
	}
	if asked <= 0 {
		return 0
	}
	return min(max(asked, shortestAsked), longestAsked)
}

// A verdict says what to do after an answer.
type verdict int

const (
	taken  verdict = iota
	again          // later
	single         // now, with one event only: it may be one of them that the target refuses
	giveUp         // the target refuses this event
)

// judge returns what to do after an answer to a request with so many events.
func judge(a *answer, events int) verdict {
	switch {
	case a.err == nil:
		return taken
	case a.code != http.StatusBadRequest && a.code != http.StatusRequestEntityTooLarge && a.code != http.StatusUnprocessableEntity:
		return again
	case events > 1:
		return single
	}
	return giveUp
}
