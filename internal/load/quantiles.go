package load

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Quantiles of times. A quantile is nil where so many requests failed that it is
// one of theirs: a failed request counts as slower than any. Min, Mean and Max
// are of those that succeeded.
type Quantiles struct {
	Min   *time.Duration `json:"min"`
	Mean  *time.Duration `json:"mean"`
	P50   *time.Duration `json:"p50"`
	P90   *time.Duration `json:"p90"`
	P99   *time.Duration `json:"p99"`
	P999  *time.Duration `json:"p99.9"`
	P9999 *time.Duration `json:"p99.99"`
	Max   *time.Duration `json:"max"`
}

func quantiles(h *hdrhistogram.Histogram, failed, lost int64) Quantiles {
	if h.TotalCount() <= lost {
		return Quantiles{}
	}
	at := func(q float64) *time.Duration { return quantile(h, failed, lost, q) }
	of := func(v int64) *time.Duration { d := time.Duration(v); return &d }
	return Quantiles{
		Min: of(h.Min()), Mean: of(int64(math.Round(h.Mean()))), Max: of(h.Max()),
		P50: at(.5), P90: at(.9), P99: at(.99), P999: at(.999), P9999: at(.9999),
	}
}

// quantile returns the time that a share q of the requests did not exceed, of
// those in h and of failed ones above them all. Some in h are lost: they are among the
// failed, and nobody knows which they are. The fastest are taken for them, so that a
// quantile is no better than it was.
func quantile(h *hdrhistogram.Histogram, failed, lost int64, q float64) *time.Duration {
	n := h.TotalCount() - lost
	rank := int64(math.Ceil(q * float64(n+failed))) // of the request, from 1
	if n <= 0 || rank > n {
		return nil
	}
	d := time.Duration(h.ValueAtQuantile(100 * float64(max(rank, 1)+lost) / float64(n+lost)))
	return &d
}
