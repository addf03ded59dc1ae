package daemon

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/store"
)

// A keeper is a store as a server has it, which also tells how it fares: the one in the
// data directory, or one in ClickHouse.
type keeper interface {
	store.Store
	prometheus.Collector
	// ready returns why profiles can't be taken.
	ready() error
	state() storeState
	// memory returns the bytes that it keeps in memory.
	memory() int64
	// backup copies the store to a place of the name and returns where that is.
	backup(ctx context.Context, name string) (where string, err error)
}

// storeState is how a store fares.
type storeState struct {
	figures       map[string]any // by name
	retention     time.Duration  // how long profiles are kept, 0 for good
	full, expired int64          // profiles refused since the start: there was no room, or they were too old
	aside         []api.Aside    // what is not served
	notices       []api.Notice   // what somebody has to look after
}

// metricsTo returns what sends figures to Prometheus.
func metricsTo(ch chan<- prometheus.Metric) func(d *prometheus.Desc, kind prometheus.ValueType, n int64, labels ...string) {
	return func(d *prometheus.Desc, kind prometheus.ValueType, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, kind, float64(n), labels...)
	}
}
