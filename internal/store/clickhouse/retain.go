package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
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
	if s.cfg.Cluster != "" && !s.modern {
		return errOldCluster
	}
	oldest := s.oldest()
	for i := range tables {
		t := &tables[i]
		before := dayOf(oldest)
		if t.partition == "week" {
			before = weekOf(oldest)
		}
		a, err := s.exec(ctx, &statement{out: outputs(t.partition), distinct: true, sql: fmt.Sprintf("FROM %s WHERE %s < %d", t.name, t.partition, before)})
		if err != nil {
			return err
		}
		for row := range a.rows {
			name, on := t.name, ""
			if s.cfg.Cluster != "" {
				name, on = t.local(), " ON CLUSTER "+s.cfg.Cluster
			}
			if _, err := s.client.run(ctx, fmt.Sprintf("ALTER TABLE %s.%s%s DROP PARTITION %d", s.cfg.Database, name, on, a.col(t.partition).int64(row))); err != nil {
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

// Stats are what this store has done, which is not what others on the same tables
// have done.
type Stats struct {
	Put         int64 // profiles that were kept
	Duplicates  int64 // profiles that were there already
	Expired     int64 // profiles that were refused as too old
	Full        int64 // profiles that were refused for want of room
	Unavailable int64 // profiles that were refused for another reason of the engine's
	Waiting     int64 // bytes that wait to be inserted now
	RolledUp    int64 // roll-ups that were written
	RolledHours int64 // hours that questions have taken from roll-ups
}

// counts are Stats as they grow.
type counts struct{ put, duplicates, expired, full, unavailable, rolledUp, rolledHours atomic.Int64 }

// Stats returns what the store has done. It asks nobody.
func (s *Store) Stats() Stats {
	c := &s.counts
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	return Stats{c.put.Load(), c.duplicates.Load(), c.expired.Load(), c.full.Load(), c.unavailable.Load(), s.in.waiting, c.rolledUp.Load(), c.rolledHours.Load()}
}

// Sizes are what there is in the tables.
type Sizes struct {
	Profiles int64            // counted once each
	First    int64            // earliest time of a profile, in ns since 1970 UTC
	Last     int64            // latest time of one
	Services map[string]int64 // profiles
	Tables   []TableSize
}

// A TableSize is what a table takes on the disks of all servers, replicas included.
type TableSize struct {
	Name  string
	Rows  int64
	Bytes int64
	Parts int64
}

// Sizes asks what there is in the tables.
func (s *Store) Sizes(ctx context.Context) (*Sizes, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	a, err := s.exec(ctx, &statement{
		out: []output{{name: "service"}, {"counted", "toInt64(count())"}, {"first_time", "min(time)"}, {"last_time", "max(time)"}},
		sql: "FROM profiles FINAL GROUP BY service",
	})
	if err != nil {
		return nil, err
	}
	out := &Sizes{Services: map[string]int64{}}
	for i := range a.rows {
		n, first, last := a.col("counted").int64(i), a.col("first_time").int64(i), a.col("last_time").int64(i)
		if i == 0 {
			out.First, out.Last = first, last
		}
		out.Services[a.col("service").texts[i]] = n
		out.Profiles += n
		out.First, out.Last = min(out.First, first), max(out.Last, last)
	}
	parts := &statement{
		out: []output{{name: "table"}, {"all_rows", "toInt64(sum(rows))"}, {"all_bytes", "toInt64(sum(bytes_on_disk))"}, {"parts", "toInt64(count())"}},
		sql: "FROM system.parts WHERE active AND database = '" + s.cfg.Database + "' GROUP BY table ORDER BY table",
	}
	all := []*client{s.client}
	if s.cfg.Cluster != "" {
		// Each server tells its own. Those that are not among the addresses are
		// not asked.
		all = s.client.each()
	}
	sizes := map[string]*TableSize{}
	for _, c := range all {
		a, err := c.exec(ctx, parts)
		if err != nil {
			return nil, err
		}
		for i := range a.rows {
			name := strings.TrimSuffix(a.col("table").texts[i], "_local")
			if sizes[name] == nil {
				sizes[name] = &TableSize{Name: name}
			}
			t := sizes[name]
			t.Rows += a.col("all_rows").int64(i)
			t.Bytes += a.col("all_bytes").int64(i)
			t.Parts += a.col("parts").int64(i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		out.Tables = append(out.Tables, *sizes[name])
	}
	return out, nil
}
