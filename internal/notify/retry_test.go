package notify

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestBackoff checks the bounds of waiting.
func TestBackoff(t *testing.T) {
	for _, test := range []struct {
		failures int
		asked    time.Duration
		random   float64
		want     time.Duration
	}{
		{1, 0, 0, 750 * time.Millisecond}, {1, 0, 1, 1250 * time.Millisecond}, {2, 0, 0.5, 2 * time.Second}, {5, 0, 0.5, 16 * time.Second},
		{9, 0, 0.5, 256 * time.Second}, {10, 0, 0.5, 5 * time.Minute}, {1e6, 0, 1, 375 * time.Second}, {1, time.Minute, 1, time.Minute}, {9, time.Second, 0.5, 256 * time.Second},
	} {
		if got := backoff(test.failures, test.asked, test.random); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	at := time.Unix(0, now).UTC()
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "30": 30 * time.Second, "999999": time.Hour,
		at.Add(time.Minute).Format(time.RFC1123): 0, strings.Replace(at.Add(time.Minute).Format(time.RFC1123), "UTC", "GMT", 1): time.Minute,
	} {
		if got := retryAfter(header, at); got != want {
			t.Errorf("Retry-After: %q: %v, want %v", header, got, want)
		}
	}
}

// TestJudge checks what is done after answers.
func TestJudge(t *testing.T) {
	failed := errors.New("failed")
	for _, test := range []struct {
		a      answer
		events int
		want   verdict
	}{
		{answer{code: 200}, 9, taken}, {answer{code: 204}, 1, taken}, {answer{err: failed}, 9, again}, {answer{code: 500, err: failed}, 9, again},
		{answer{code: 429, err: failed}, 1, again}, {answer{code: 404, err: failed}, 1, again}, {answer{code: 401, err: failed}, 1, again}, {answer{code: 302, err: failed}, 1, again},
		{answer{code: 400, err: failed}, 9, single}, {answer{code: 400, err: failed}, 1, giveUp}, {answer{code: 413, err: failed}, 2, single}, {answer{code: 422, err: failed}, 1, giveUp},
	} {
		if got := judge(&test.a, test.events); got != test.want {
			t.Errorf("%d with %d events: %v, want %v", test.a.code, test.events, got, test.want)
		}
	}
}
