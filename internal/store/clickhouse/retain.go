package clickhouse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// oldest is the time before which profiles have expired.
func (s *Store) oldest() int64 {
	if s.cfg.Retention <= 0 {
		return -1 << 63
	}
	return s.cfg.Now().Add(-s.cfg.Retention).UnixNano()
}

// retainEvery is how often expired profiles are looked for.
const retainEvery = time.Hour

// retain drops what has expired, until ctx is done. Every node does, at times of its
// own: what is gone can't go again.
func (s *Store) retain(ctx context.Context) {
	wait := time.Duration(rand.Int64N(int64(time.Minute)))
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		wait = retainEvery
		if err := s.DropExpired(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.Warn("profiles that have expired could not be dropped; it is tried again", "error", err, "after", wait)
		}
	}
}

// DropExpired drops the days of which all profiles have expired, and the weeks of the
// dictionary without such a day. Days are partitions, so the engine removes
// files and rewrites none.
func (s *Store) DropExpired(ctx context.Context) error {
	if s.cfg.Retention <= 0 {
		return nil
	}
	oldest := s.oldest()
	for i := range tables {
		t := &tables[i]
		before := dayOf(oldest)
		if t.partition == "week" {
			before = weekOf(oldest)
		}
		a, err := s.exec(ctx, &statement{sql: fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %s < %d", t.partition, t.name, t.partition, before)})
		if err != nil {
			return err
		}
		for row := range a.rows {
			name, on := t.name, ""
			if s.cfg.Cluster != "" {
				name, on = t.local(), " ON CLUSTER "+s.cfg.Cluster
			}
			if _, err := s.client.run(ctx, fmt.Sprintf("ALTER TABLE %s.%s%s DROP PARTITION %d", s.cfg.Database, name, on, a.cols[0].int64(row))); err != nil {
				return err
			}
		}
	}
	return nil
}

// A TableStats is what a table takes on one server's disks, or on those of a cluster
// that the asked server knows of.
type TableStats struct {
	Name  string
	Rows  int64
	Bytes int64 // compressed
	Parts int64
}

// Stats returns what the store's tables take on the disks of the server that is asked.
func (s *Store) Stats(ctx context.Context) ([]TableStats, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	a, err := s.exec(ctx, &statement{sql: "SELECT table, toInt64(sum(rows)), toInt64(sum(bytes_on_disk)), toInt64(count()) FROM system.parts" +
		" WHERE active AND database = '" + s.cfg.Database + "' GROUP BY table ORDER BY table"})
	if err != nil {
		return nil, err
	}
	out := make([]TableStats, a.rows)
	for i := range out {
		out[i] = TableStats{a.cols[0].texts[i], a.cols[1].int64(i), a.cols[2].int64(i), a.cols[3].int64(i)}
	}
	return out, nil
}
