package disk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// ServiceStats are figures of what is kept of a service.
type ServiceStats struct {
	Service     string `json:"service"`
	Profiles    int64  `json:"profiles"`
	SampleBytes int64  `json:"sampleBytes"` // size of their samples, as they are stored
	// DiskBytes is what all of the service takes: samples, labels, dictionaries and
	// roll-ups. It is an estimate: the share of the service in the data on disk.
	DiskBytes int64 `json:"diskBytes"`
}

// Services returns figures of every service, what takes most first.
func (s *Store) Services(ctx context.Context) ([]ServiceStats, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	by := make(map[string]*ServiceStats)
	for _, p := range s.partitions() {
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
			st.Profiles += int64(h.packed.Profiles) + int64(len(h.fresh.List))
			st.SampleBytes += int64(h.packed.Bytes) + h.bytes
		}
		p.mu.Unlock()
		for _, kind := range format.PerPartition {
			prefix := format.PartitionKey(kind, p.id)
			n, err := s.db.EstimateDiskUsage(prefix, format.After(prefix))
			if err != nil {
				return nil, err
			}
			st.DiskBytes += int64(n)
		}
	}
	// Pebble counts every block of a table that a range touches. Where ranges are
	// shorter than blocks, of which there are many in a small store, all of them
	// together come to more than there is.
	var sum int64
	for _, st := range by {
		sum += st.DiskBytes
	}
	live := s.size()
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
