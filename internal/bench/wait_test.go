package bench

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name    string
		crowded bool
		rest    time.Duration
		used    []float64 // of two cores, look after look; the last one for good
		err     error
		looks   int
		told    string
	}{
		{"after a quiet sample", false, time.Hour, []float64{2}, nil, 0, ""},
		{"it was hone's own", true, time.Hour, []float64{0.1}, nil, 1, ""},
		{"a core is left", true, time.Hour, []float64{1.2}, nil, 1, ""},
		{"until there is one", true, time.Hour, []float64{2, 1.8, 1}, nil, 3, "1.8 of 2 cores are in use by others; waiting up to 1h0m0s"},
		{"as long as it may", true, time.Millisecond, []float64{2}, nil, 1, "2.0 of 2 cores are in use by others; waiting up to 0s"},
		{"switched off", true, -1, []float64{2}, nil, 0, ""},
		{"nobody knows", true, time.Hour, nil, nil, 1, ""},
		{"interrupted", true, time.Hour, []float64{2}, boom, 1, ""},
	} {
		looks, told := 0, ""
		w := waiter{rest: c.rest, crowded: c.crowded, look: func(context.Context) (float64, float64, error) {
			looks++
			if c.used == nil || c.err != nil {
				return 0, 0, c.err
			}
			time.Sleep(2 * time.Millisecond)
			return c.used[min(looks, len(c.used))-1], 2, nil
		}}
		err := w.wait(t.Context(), func(what string) { told = what })
		if !errors.Is(err, c.err) || looks != c.looks || told != c.told {
			t.Errorf("%s: %v after %d looks, told %q; want %v after %d, %q", c.name, err, looks, told, c.err, c.looks, c.told)
		}
		if (w.waited > 0) != (c.told != "") || w.crowded {
			t.Errorf("%s: waited %v, still crowded %v", c.name, w.waited, w.crowded)
		}
	}
}

// By default the time is a fifth of what measuring takes, and a minute at most.
func TestDefaultWait(t *testing.T) {
	for _, c := range []struct{ wait, left, want time.Duration }{
		{0, time.Minute, 12 * time.Second}, {0, time.Hour, DefaultWait}, {-1, time.Hour, -1}, {time.Hour, time.Minute, time.Hour},
	} {
		m := &bencher{Bench: &Bench{Wait: c.wait}, waiter: newWaiter(c.wait)}
		m.forecast.will(sampleOf(new(target)), 1, c.left)
		if err := m.waitFor(t.Context()); err != nil || m.waiter.rest != c.want {
			t.Errorf("-wait %v of %v: waits %v, %v; want %v", c.wait, c.left, m.waiter.rest, err, c.want)
		}
	}
}
