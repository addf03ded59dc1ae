package load

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Quantiles of times. A failed request counts as slower than any other, so a quantile
// is nil if so many requests failed that it falls among them. Min, Mean and Max are
// those of the requests that succeeded.
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

// quantile returns the time that a share q of the requests did not exceed. The failed
// requests, which are not in h, count as slower than all in h. Of the requests in h,
// some turned out to be lost and are counted as failed; it isn't known which. The
// fastest are taken for them, so that no quantile improves by a loss.
func quantile(h *hdrhistogram.Histogram, failed, lost int64, q float64) *time.Duration {
	n := h.TotalCount() - lost
	rank := int64(math.Ceil(q * float64(n+failed))) // of the request, from 1
	if n <= 0 || rank > n {
		return nil
	}
	d := time.Duration(h.ValueAtQuantile(100 * float64(max(rank, 1)+lost) / float64(n+lost)))
	return &d
}
