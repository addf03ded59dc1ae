package measure

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// TestSearch finds the highest rate of a service that stops above 100 requests per second. Only the first try has a warm-up.
func TestSearch(t *testing.T) {
	pacing, err := load.ParsePacing("10", false, 1)
	if err != nil {
		t.Fatal(err)
	}
	var warmups, lengths []time.Duration
	var told []load.Try
	windows := 0
	s := &Search{
		Pacing: pacing, Warmup: time.Second, Duration: 5 * time.Second,
		Load: func(p load.Pacing) Load {
			return func(ctx context.Context, stage Stage, d time.Duration, opts load.Options) (*load.Result, error) {
				if stage != Period {
					t.Errorf("stage %v", stage)
				}
				warmups, lengths = append(warmups, opts.Warmup), append(lengths, d)
				opts.Window(load.Window{})
				r, err := load.RunUsers(ctx, service{}, load.Users{Users: 1, Requests: 1, Rounds: 1}, load.Options{}, nil)
				if err == nil && p.Rate() > 100 {
					r.Stopped = "too many"
				}
				return r, err
			}
		},
		Window: func(float64, load.Window) { windows++ },
		Tried:  func(try load.Try) { told = append(told, try) },
	}
	best, tries, err := s.Find(t.Context())
	if err != nil || best == nil || best.Rate < 95 || best.Rate > 100 {
		t.Fatalf("%+v, %v", best, err)
	}
	if tries[0].Rate != 10 || len(told) != len(tries) || windows != len(tries) {
		t.Errorf("%d tries, the first at %v; told of %d and %d windows", len(tries), tries[0].Rate, len(told), windows)
	}
	if warmups[0] != time.Second || lengths[0] != 6*time.Second || slices.Max(warmups[1:]) != 0 || slices.Max(lengths[1:]) != 5*time.Second {
		t.Errorf("warm-ups %v of %v", warmups, lengths)
	}
}

func TestNewPprof(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:6060": "http://localhost:6060/debug/pprof", "http://api/": "http://api/debug/pprof", "https://api/app/pprof/": "https://api/app/pprof",
		"localhost:6060/debug/pprof": "http://localhost:6060/debug/pprof",
	} {
		if got := NewPprof(address, "").URL; got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
