package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// DeleteService deletes all profiles of a service and returns their number; see
// [store.Deleter]. The engine rewrites the affected files on all servers of a cluster
// before it answers. The dictionary stays, because servers cache it; its weeks are
// dropped when all their profiles have expired.
//
// Ids are deleted first, profiles last. So Put never takes a deleted record for a stored one,
// and after a failure another call still finds the profiles, and with them the rest.
func (s *Store) DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error) {
	if err := s.calls.Begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	if !s.client.engine.modern() && s.cfg.Cluster != "" {
		return 0, errOldDelete
	}
	of := "service = " + quoted(service)
	a, err := s.client.exec(ctx, &statement{out: []output{{"counted", "count()"}}, sql: "FROM (SELECT DISTINCT time, id FROM profiles WHERE " + of + ")"})
	if err != nil {
		return 0, err
	}
	if a.rows == 1 {
		profiles = int64(a.col("counted").words[0])
	}
	if dry {
		return profiles, nil
	}
	name := func(table string) string { return s.cfg.Database + "." + table }
	on := ""
	if s.cfg.Cluster != "" {
		name = func(table string) string { return s.cfg.Database + "." + table + "_local" }
		on = " ON CLUSTER " + s.cfg.Cluster
	}
	// An id is on the shard that its profile is on.
	ids := fmt.Sprintf("(day, time, id) IN (SELECT day, time, id FROM %s WHERE %s)", name("profiles"), of)
	for _, d := range [][2]string{{"ids", ids}, {"rollups", of}, {"profiles", of}} {
		sql := fmt.Sprintf("ALTER TABLE %s%s DELETE WHERE %s", name(d[0]), on, d[1])
		if s.client.engine.modern() {
			sql += " SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1"
		}
		if _, err := s.client.run(ctx, sql); err != nil {
			return 0, err
		}
		if err := s.awaitMutations(ctx, d[0]); err != nil {
			return 0, err
		}
	}
	return profiles, nil
}

// awaitMutations waits until all changes of a table have been applied. Old servers answer a
// DELETE before that.
func (s *Store) awaitMutations(ctx context.Context, table string) error {
	for !s.client.engine.modern() {
		a, err := s.client.exec(ctx, &statement{
			out: []output{{"counted", "count()"}},
			sql: fmt.Sprintf("FROM system.mutations WHERE database = %s AND table = %s AND NOT is_done", quoted(s.cfg.Database), quoted(table)),
		})
		if err != nil {
			return err
		}
		if a.rows == 1 && a.col("counted").words[0] == 0 {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

var errOldDelete = errors.New("a ClickHouse cluster before version 21 can't wait until a service is deleted: upgrade it")

// quoted returns text as a string literal.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

var _ store.Deleter = (*Store)(nil)
