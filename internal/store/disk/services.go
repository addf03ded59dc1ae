package disk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// ServiceStats describe the stored profiles of a service.
type ServiceStats struct {
	Service     string `json:"service"`
	Profiles    int64  `json:"profiles"`
	SampleBytes int64  `json:"sampleBytes"` // stored size of their samples
	// DiskBytes estimates the size of all data of the service on disk: samples,
	// labels, dictionaries and roll-ups.
	DiskBytes int64 `json:"diskBytes"`
}

// Services describes every service, the largest first.
func (s *Store) Services(ctx context.Context) ([]ServiceStats, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	by := make(map[string]*ServiceStats)
	for _, p := range s.catalogue.all() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		st := by[p.Service]
		if st == nil {
			st = &ServiceStats{Service: p.Service}
			by[p.Service] = st
		}
		p.mu.Lock()
		for _, h := range p.hours {
			st.Profiles += h.profiles()
			st.SampleBytes += int64(h.packed.Bytes) + h.bytes
		}
		p.mu.Unlock()
		for _, kind := range format.PerPartition {
			prefix := format.PartitionKey(kind, p.id)
			n, err := s.kv.db.EstimateDiskUsage(prefix, format.After(prefix))
			if err != nil {
				return nil, err
			}
			st.DiskBytes += int64(n)
		}
	}
	// Pebble counts every block of a table that a range touches. In a small store many
	// ranges are shorter than a block, so their sum is more than the store has.
	var sum int64
	for _, st := range by {
		sum += st.DiskBytes
	}
	live := s.kv.size()
	out := make([]ServiceStats, 0, len(by))
	for _, st := range by {
		if sum > live {
			st.DiskBytes = int64(float64(st.DiskBytes) / float64(sum) * float64(live))
		}
		out = append(out, *st)
	}
	slices.SortFunc(out, func(a, b ServiceStats) int {
		return cmp.Or(cmp.Compare(b.DiskBytes, a.DiskBytes), cmp.Compare(b.SampleBytes, a.SampleBytes), strings.Compare(a.Service, b.Service))
	})
	return out, nil
}
