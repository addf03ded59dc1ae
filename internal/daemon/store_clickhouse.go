package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/store/clickhouse"
)

// clickHouseStore is a store in ClickHouse, which other servers may have open too.
type clickHouseStore struct {
	*clickhouse.Store
	retention time.Duration
}

func openClickHouse(ctx context.Context, cfg *Config, log *slog.Logger) (keeper, error) {
	c, err := cfg.remote()
	if err != nil {
		return nil, cfg.Blame("store.url", err)
	}
	c.Log = log
	st, err := clickhouse.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := st.MayInsert(ctx); err != nil {
		st.Close()
		return nil, err
	}
	return &clickHouseStore{st, c.Retention}, nil
}

// readyTime is how long the engine may take to say that it is there.
const readyTime = 5 * time.Second

func (s *clickHouseStore) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	return s.Ready(ctx)
}

func (s *clickHouseStore) memory() int64 { return 0 }

func (s *clickHouseStore) state() storeState {
	st := s.Stats()
	return storeState{figures: map[string]any{
		"put": st.Put, "duplicates": st.Duplicates, "expired": st.Expired, "full": st.Full, "unavailable": st.Unavailable, "waitingBytes": st.Waiting,
		"rolledUp": st.RolledUp, "rolledUpHoursUsed": st.RolledHours,
	}, retention: s.retention, full: st.Full, expired: st.Expired}
}

func (s *clickHouseStore) backup(context.Context, string) (string, error) {
	return "", fmt.Errorf("a store in ClickHouse is backed up with ClickHouse's own tools, see doc/cluster.md: %w", errors.ErrUnsupported)
}

var (
	descWaiting   = prometheus.NewDesc("hone_store_waiting_bytes", "Size of the profiles that wait to be put.", nil, nil)
	descRolledUp  = prometheus.NewDesc("hone_store_rollups_written_total", "Hours of a fleet that were added up for later questions.", nil, nil)
	descRollsUsed = prometheus.NewDesc("hone_store_rollup_hours_used_total", "Hours that questions have taken from roll-ups.", nil, nil)
)

func (*clickHouseStore) Describe(ch chan<- *prometheus.Desc) {
	ch <- descPut
	ch <- descWaiting
	ch <- descRolledUp
	ch <- descRollsUsed
}

func (s *clickHouseStore) Collect(ch chan<- prometheus.Metric) {
	st, metric := s.Stats(), metricsTo(ch)
	metric(descPut, prometheus.CounterValue, st.Put, "kept")
	metric(descPut, prometheus.CounterValue, st.Duplicates, "duplicate")
	metric(descPut, prometheus.CounterValue, st.Expired, "expired")
	metric(descPut, prometheus.CounterValue, st.Full, "full")
	metric(descPut, prometheus.CounterValue, st.Unavailable, "unavailable")
	metric(descWaiting, prometheus.GaugeValue, st.Waiting)
	metric(descRolledUp, prometheus.CounterValue, st.RolledUp)
	metric(descRollsUsed, prometheus.CounterValue, st.RolledHours)
}
