package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// An expiry drops expired profiles.
type expiry struct {
	client *client
	cfg    *Config
}

// oldest returns the time before which profiles have expired, in ns since 1970.
func (r expiry) oldest() int64 {
	if r.cfg.Retention <= 0 {
		return -1 << 63
	}
	return r.cfg.Now().Add(-r.cfg.Retention).UnixNano()
}

// retainEvery is the time between two checks for expired profiles.
const retainEvery = time.Hour

// run drops expired profiles until ctx is done. All nodes do that independently; dropping twice
// does no harm.
func (r expiry) run(ctx context.Context) {
	wait := time.Duration(rand.Int64N(int64(time.Minute)))
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		wait = retainEvery
		if err := r.drop(ctx); err != nil && ctx.Err() == nil {
			r.cfg.Log.Warn("could not drop expired profiles; hone will try again", "error", err, "after", wait)
		}
	}
}

// drop drops the days whose profiles have all expired, and the weeks of the dictionary without
// other days. Days are partitions, so the engine removes files and rewrites none.
func (r expiry) drop(ctx context.Context) error {
	if r.cfg.Retention <= 0 {
		return nil
	}
	if r.cfg.Cluster != "" && !r.client.engine.modern() {
		return errOldCluster
	}
	oldest := r.oldest()
	for i := range tables {
		t := &tables[i]
		before := dayOf(oldest)
		if t.partition == "week" {
			before = weekOf(oldest)
		}
		a, err := r.client.exec(ctx, &statement{out: outputs(t.partition), distinct: true, sql: fmt.Sprintf("FROM %s WHERE %s < %d", t.name, t.partition, before)})
		if err != nil {
			return err
		}
		for row := range a.rows {
			name, on := t.name, ""
			if r.cfg.Cluster != "" {
				name, on = t.local(), " ON CLUSTER "+r.cfg.Cluster
			}
			if _, err := r.client.run(ctx, fmt.Sprintf("ALTER TABLE %s.%s%s DROP PARTITION %d", r.cfg.Database, name, on, a.col(t.partition).int64(row))); err != nil {
				return err
			}
		}
	}
	return nil
}

// errOldCluster is returned so that a cluster of version 18.16 stays readable. Its servers
// remember the last part of each partition that a quorum has, even after it was dropped. Then
// they refuse to read with select_sequential_consistency.
var errOldCluster = errors.New("a ClickHouse cluster before version 21 can't be read after days were dropped: expired profiles stay until you upgrade it")
