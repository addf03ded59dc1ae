package schedule

import (
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	for _, c := range []struct {
		name    string
		crowded bool
		rest    time.Duration
		used    []float64 // of two cores, look after look, each of a second; the last one for good
		looks   int
		told    string
	}{
		{"after a quiet sample", false, time.Hour, []float64{2}, 0, ""},
		{"it was hone's own", true, time.Hour, []float64{0.1}, 1, ""},
		{"a core is left", true, time.Hour, []float64{1.2}, 1, ""},
		{"until there is one", true, time.Hour, []float64{2, 1.8, 1}, 3, "1.8 of 2 cores are used by other processes; waiting for a free one, up to 59m58s"},
		{"as long as it may", true, 2 * time.Second, []float64{2}, 2, "2.0 of 2 cores are used by other processes; waiting for a free one, up to 0s"},
		{"switched off", true, -1, []float64{2}, 0, ""},
		{"nobody knows", true, time.Hour, nil, 1, ""},
	} {
		w, looks, told := waiter{rest: c.rest, crowded: c.crowded}, 0, ""
		for w.looks() && looks < 10 {
			looks++
			used, cores := 0.0, 0.0
			if c.used != nil {
				used, cores = c.used[min(looks, len(c.used))-1], 2
			}
			if what := w.looked(used, cores, time.Second); what != "" {
				told = what
			}
		}
		if looks != c.looks || told != c.told {
			t.Errorf("%s: %d looks, told %q; want %d, %q", c.name, looks, told, c.looks, c.told)
		}
		if (w.waited > 0) != (c.told != "") {
			t.Errorf("%s: waited %v", c.name, w.waited)
		}
	}
}

// By default the time is a fifth of what measuring takes, and a minute at most.
func TestDefaultWait(t *testing.T) {
	for _, c := range []struct{ wait, left, want time.Duration }{
		{0, time.Minute, 12 * time.Second}, {0, time.Hour, DefaultWait}, {-1, time.Hour, -1}, {time.Hour, time.Minute, time.Hour},
	} {
		w := waiter{rest: c.wait}
		w.begin(c.wait, c.left)
		if w.rest != c.want {
			t.Errorf("-wait %v of %v: waits %v, want %v", c.wait, c.left, w.rest, c.want)
		}
		w.begin(c.wait, c.left/2)
		if w.rest != c.want {
			t.Errorf("-wait %v of %v: later it waits %v", c.wait, c.left, w.rest)
		}
	}
}
