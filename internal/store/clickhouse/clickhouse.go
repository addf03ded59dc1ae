// Package clickhouse keeps profiles in ClickHouse: one server, or a cluster of
// shards and replicas. Its stores have no state but caches, so any number of them
// may be open on the same tables.
//
//	clickhouse  configuration, opening, closing
//	schema      the tables, and who makes them
//	client      statements over HTTP: addresses, errors, what is tried again
//	native      the format of rows
//	frame       the frames that they are sent in
//	number      what names a place in a program, and how it is written
//	lexicon     what numbers mean, as far as it is in memory
//	put         profiles on their way in
//	query       which profiles, their totals, series, labels
//	merge       sums of profiles
//	rollup      hours that are summed up once
//	retain      profiles that have expired, and what the store takes
//
// doc/design/0015-clickhouse.md says why it is as it is.
package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/store"
)

// A Store is a store in ClickHouse. It is a [store.Store].
type Store struct {
	cfg            Config
	client         *client
	key            key  // of numbers
	modern         bool // see engine
	replicas       int  // of each shard
	in             *inserter
	words          lexicons
	counts         counts
	roller         *roller
	fewSeriesHours int64 // see the constant

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
	stop   context.CancelFunc // of what runs in the background
	done   sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// Open opens the store whose tables Create has made.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.mend(); err != nil {
		return nil, err
	}
	s := &Store{cfg: cfg, client: newClient(&cfg), fewSeriesHours: fewSeriesHours}
	if err := s.setUp(ctx); err != nil {
		s.client.close()
		return nil, fmt.Errorf("the store at %s: %w", strings.Join(cfg.Addresses, ", "), err)
	}
	s.in = newInserter(s)
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.roller = newRoller()
	if !cfg.NoRollUps {
		s.done.Go(func() { s.rollUp(background) })
	}
	if cfg.Retention > 0 {
		s.done.Go(func() { s.retain(background) })
	}
	return s, nil
}

// setUp learns what the tables and the servers are.
func (s *Store) setUp(ctx context.Context) error {
	e, err := s.client.engine(ctx)
	if err != nil {
		return err
	}
	if s.key, err = s.client.schema(ctx); err != nil {
		return err
	}
	if s.cfg.Cluster != "" {
		if s.replicas, err = s.client.replicas(ctx); err != nil {
			return err
		}
	}
	s.client.read, s.client.insert = e.settings(s.replicas)
	s.modern, s.client.frames = e.modern(), e.modern()
	return nil
}

// begin begins a call; s.calls.Done ends it.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

// Close waits for calls under way; see [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.calls.Wait()
	s.done.Wait()
	s.in.wait()
	s.client.close()
	return nil
}

// exec runs a statement on the tables.
func (s *Store) exec(ctx context.Context, st *statement) (*answer, error) {
	return s.client.exec(ctx, st)
}

// Ready reports whether the engine answers, each shard of it, with an error that says
// why not.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	if _, err := s.client.schema(ctx); err != nil || s.cfg.Cluster == "" {
		return err
	}
	// Every server has the table of the schema. This asks one replica of each shard,
	// as inserts and questions do.
	answered, err := s.client.count(ctx, "count()", "cluster('"+s.cfg.Cluster+"', system, one)")
	if err != nil {
		return fmt.Errorf("a shard of the cluster %s doesn't answer: %w", s.cfg.Cluster, err)
	}
	shards, err := s.client.count(ctx, "max(shard_num)", "system.clusters WHERE cluster = '"+s.cfg.Cluster+"'")
	if err == nil && answered < shards {
		// The user's settings may have the engine leave out shards.
		err = fmt.Errorf("%d of %d shards of the cluster %s don't answer", shards-answered, shards, s.cfg.Cluster)
	}
	return err
}

// MayInsert returns why the user can't insert, as far as that can be told without inserting.
func (s *Store) MayInsert(ctx context.Context) error {
	a, err := s.exec(ctx, &statement{out: []output{{"setting", "toString(value)"}}, sql: "FROM system.settings WHERE name = 'readonly'"})
	if err != nil {
		return err
	}
	if setting := a.col("setting"); a.rows == 1 && setting.texts[0] != "0" {
		return fmt.Errorf("the user of the database %s may only read: its setting readonly is %s, and has to be 0", s.cfg.Database, setting.texts[0])
	}
	return nil
}
