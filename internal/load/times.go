package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Times collects times that a driver measures beside those of a Result. It is for
// one goroutine at a time.
type Times struct{ h *hdrhistogram.Histogram }

// NewTimes returns an empty collection.
func NewTimes() *Times { return &Times{newHistogram()} }

// Add adds a time; below 1 µs and above an hour it counts as those.
func (t *Times) Add(d time.Duration) { record(t.h, d, 1) }

// Quantiles returns the quantiles of the times and of missing ones, which are
// slower than any.
func (t *Times) Quantiles(missing int64) Quantiles { return quantiles(t.h, missing, 0) }
