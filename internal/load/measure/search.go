package measure

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// A Search looks for the highest rate at which a service meets goals.
type Search struct {
	Load     func(load.Pacing) Load // returns the load at a pacing
	Pacing   load.Pacing            // of the first try; later ones have other rates
	Warmup   time.Duration          // before the first try
	Duration time.Duration          // of each try
	Options  load.Options
	Goals    []load.Goal

	Window func(rate float64, w load.Window) // is told how a try goes
	Tried  func(load.Try)                    // is told how it ended
}

// precision is how close to the highest rate a search comes, as a share of it.
const precision = .05

// Find returns the highest rate that meets the goals, and all tries. Errors are those of
// [load.Find].
func (s *Search) Find(ctx context.Context) (best *load.Try, tries []load.Try, err error) {
	first := true
	try := func(ctx context.Context, rate float64) (*load.Result, error) {
		opts := s.Options
		if first {
			opts.Warmup, first = s.Warmup, false
		}
		opts.Window = func(w load.Window) string {
			s.Window(rate, w)
			return ""
		}
		return s.Load(s.Pacing.At(rate))(ctx, Period, opts.Warmup+s.Duration, opts)
	}
	return load.Find(ctx, s.Pacing.Rate(), precision, s.Goals, try, s.Tried)
}
