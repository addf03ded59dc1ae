package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// An expiry drops profiles that have expired.
type expiry struct {
	client *client
	cfg    *Config
}

// oldest is the time before which profiles have expired.
func (r expiry) oldest() int64 {
	if r.cfg.Retention <= 0 {
		return -1 << 63
	}
	return r.cfg.Now().Add(-r.cfg.Retention).UnixNano()
}

// retainEvery is how often expired profiles are looked for.
const retainEvery = time.Hour

// run drops what has expired, until ctx is done. Every node does, at times of its
// own: what is gone can't go again.
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
			r.cfg.Log.Warn("profiles that have expired could not be dropped; it is tried again", "error", err, "after", wait)
		}
	}
}

// drop drops the days of which all profiles have expired, and the weeks of the
// dictionary without such a day. Days are partitions, so the engine removes
// files and rewrites none.
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

// errOldCluster keeps a cluster of 18.16 readable: its servers remember for each
// partition the last part that a quorum has, also when that was dropped, and then refuse
// to read with select_sequential_consistency.
var errOldCluster = errors.New("a cluster of ClickHouse before version 21 can't be read any more when days were dropped; profiles that have expired stay until it is a newer one")
