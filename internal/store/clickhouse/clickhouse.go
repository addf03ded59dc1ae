// Package clickhouse stores profiles in ClickHouse: on one server, or on a cluster of
// shards and replicas. Apart from caches, its stores have no state, so any number of
// them may use the same tables.
//
// The files from bottom to top; each uses only files listed before it:
//
//	config      address and options of a store
//	content     an entry of the dictionary, as bytes
//	frame       the frames of statements and answers
//	native      the format of rows
//	tables      the tables and their columns
//	statement   a statement with the data that goes along
//	refused     errors of the engine
//	lexicon     the meaning of numbers, in memory
//	copy        makes a profile from the lexicon
//	client      statements over HTTP: addresses, retries, what the engine can do
//	lookup      reads the meaning of numbers from the dictionary into the lexicon
//	number      numbers for places in a program
//	catalogue   the series that a query may select
//	plan        what a query reads, and the conditions on its profiles
//	heads       totals, and series of totals
//	coverage    which hours are read from roll-ups
//	merge       sums of profiles
//	rollup      sums up an hour once; roller does it in the background
//	row         profiles as rows
//	insert      inserts rows
//	retain      drops expired profiles; sizes counts the rest
//	schema      creates the tables
//	clickhouse  the store; delete deletes a service
//
// A query passes catalogue, plan, coverage, heads, groups, sums and profiles, in this
// order. Each makes a value for the next one.
//
// doc/design/0015-clickhouse.md has the reasons.
package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// A Store is a store in ClickHouse. It is a [store.Store].
type Store struct {
	cfg            Config
	client         *client
	key            key // of numbers
	inserter       *inserter
	words          lexicons
	roller         *roller
	retention      expiry
	fewSeriesHours int64        // see the constant of that name
	expired        atomic.Int64 // rejected profiles
	rolledHours    atomic.Int64 // hours that queries read from roll-ups

	calls store.Calls
	stop  context.CancelFunc // of what runs in the background
	done  sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// Open opens a store whose tables exist; see Create.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.normalize(); err != nil {
		return nil, err
	}
	client, key, err := connect(ctx, &cfg)
	if err != nil {
		return nil, fmt.Errorf("the store at %s: %w", strings.Join(cfg.Addresses, ", "), err)
	}
	background, stop := context.WithCancel(context.Background())
	s := &Store{cfg: cfg, client: client, key: key, fewSeriesHours: fewSeriesHours, stop: stop}
	s.inserter = newInserter(client, &s.cfg, &s.key)
	s.roller = newRoller(&cfg, s.RollUp)
	s.retention = expiry{client, &s.cfg}
	if !cfg.NoRollUps {
		s.done.Go(func() { s.roller.run(background) })
	}
	if cfg.Retention > 0 {
		s.done.Go(func() { s.retention.run(background) })
	}
	return s, nil
}

// connect reads the version of the servers and the schema, and returns a client for them and
// the key of the tables.
func connect(ctx context.Context, cfg *Config) (c *client, k key, err error) {
	c = newClient(cfg)
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	e, err := c.askEngine(ctx)
	if err != nil {
		return c, k, err
	}
	if k, err = c.schema(ctx); err != nil {
		return c, k, err
	}
	replicas := 0
	if cfg.Cluster != "" {
		if replicas, err = c.replicas(ctx); err != nil {
			return c, k, err
		}
	}
	return c.of(e, replicas), k, nil
}

// Close waits for running calls; see [store.Store].
func (s *Store) Close() error {
	if err := s.calls.Close(); err != nil {
		return err
	}
	s.stop()
	s.calls.Wait()
	s.done.Wait()
	s.inserter.wait()
	s.client.close()
	return nil
}

// Put stores records; see [store.Store]. They are converted to rows in the caller's goroutine.
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	if err := s.calls.Begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	oldest := s.retention.oldest()
	for i := range records {
		r := &records[i]
		if err := checkRecord(r); err != nil {
			return err
		}
		if r.Time < oldest {
			s.expired.Add(1)
			return fmt.Errorf("%w: its time is %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
		}
	}
	for chunk := range slices.Chunk(records, maxTogether) {
		if err := s.inserter.put(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// Merge returns merged profiles; see [store.Store].
func (s *Store) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	for try := 1; ; try++ {
		out, err := s.merge(ctx, q, try)
		if !errors.Is(err, errChanged) {
			return out, err
		}
	}
}

// merge answers Merge. From the last of the tries on, it selects the profiles one by one, so
// that profiles that arrive in between don't matter.
func (s *Store) merge(ctx context.Context, q store.Query, try int) ([]store.Group, error) {
	exact := q.OneByOne() || try >= tries
	l, p, err := s.plan(ctx, q)
	if err != nil || p == nil {
		return nil, err
	}
	c, err := s.cover(ctx, l, p, exact)
	if err != nil {
		return nil, err
	}
	heads, twice, err := findHeads(ctx, l, p, c, exact)
	if err != nil {
		return nil, err
	}
	groups := groupsOf(&q, heads)
	// Version 18.16 takes five times as long to remove duplicates.
	sum := &summer{plan: p, coverage: c, exact: exact, final: exact || twice || try > 1}
	return mergeGroups(ctx, l, sum, groups)
}

// plan returns the plan of a query and a lookup for its numbers. The plan is nil if the query
// selects nothing.
func (s *Store) plan(ctx context.Context, q store.Query) (*lookup, *plan, error) {
	lx := s.words.get()
	c, err := catalogueOf(ctx, s.client, lx, &q)
	if err != nil {
		return nil, nil, err
	}
	p := newPlan(q, c)
	if p == nil {
		return nil, nil, nil
	}
	return &lookup{s.client, lx, p.span}, p, nil
}

// cover decides what is read from roll-ups: nothing if single profiles are asked for.
func (s *Store) cover(ctx context.Context, l *lookup, p *plan, single bool) (*coverage, error) {
	if single {
		return &coverage{rest: p.everything()}, nil
	}
	c, err := coverOf(ctx, l, p, &s.key, s.fewSeriesHours)
	if err != nil {
		return nil, err
	}
	s.rolledHours.Add(int64(c.hours()))
	if !s.cfg.NoRollUps && c.lacks(s.roller.settled()) {
		s.roller.want(&p.query)
	}
	return c, nil
}

// Series returns totals over time; see [store.Store].
func (s *Store) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	l, p, err := s.plan(ctx, q)
	if err != nil || p == nil {
		return nil, err
	}
	switch {
	case q.OneByOne() || q.Step == 0 && q.Limit == 0:
		heads, err := eachHead(ctx, l, p, eachStatement(p.everything()))
		return seriesOf(p, heads), err
	case q.Step == 0:
		return latestPoints(ctx, l, p)
	}
	c, err := s.cover(ctx, l, p, false)
	if err != nil {
		return nil, err
	}
	heads, _, err := findHeads(ctx, l, p, c, false)
	return seriesOf(p, heads), err
}

// Labels returns names and values of labels; see [store.Store].
func (s *Store) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	_, p, err := s.plan(ctx, q)
	if err != nil || p == nil {
		return nil, err
	}
	return labelsOf(ctx, s.client, p)
}

// RollUp rolls up the hours that q covers completely, unless their roll-ups are up to
// date. It uses only the services and kinds of the selector. It returns the number of
// roll-ups that it has written.
func (s *Store) RollUp(ctx context.Context, q store.Query) (int, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	l, p, err := s.plan(ctx, store.Query{Selector: fleetSelector(q.Selector), From: q.From, To: q.To})
	if err != nil || p == nil {
		return 0, err
	}
	return rollUpHours(ctx, l, p, &s.key)
}

// DropExpired drops the days whose profiles have all expired, and the weeks of the
// dictionary that no remaining day uses.
func (s *Store) DropExpired(ctx context.Context) error { return s.retention.drop(ctx) }

// Sizes returns the sizes of the tables.
func (s *Store) Sizes(ctx context.Context) (*Sizes, error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	return sizesOf(ctx, s.client)
}

// Stats counts what this store has done since it was opened. Other stores on the same tables
// count separately.
type Stats struct {
	Put         int64 // stored profiles
	Duplicates  int64 // profiles that were stored already
	Expired     int64 // profiles refused because they were too old
	Full        int64 // profiles refused because the disk was full
	Unavailable int64 // profiles that the engine refused for another reason
	Waiting     int64 // bytes that are waiting to be inserted
	RolledUp    int64 // roll-ups written
	RolledHours int64 // hours that queries read from roll-ups
}

// Stats returns the counts so far. It sends no request.
func (s *Store) Stats() Stats {
	in := &s.inserter.counts
	return Stats{
		Put: in.put.Load(), Duplicates: in.duplicates.Load(), Expired: s.expired.Load(), Full: in.full.Load(), Unavailable: in.unavailable.Load(),
		Waiting: s.inserter.waits(), RolledUp: s.roller.written.Load(), RolledHours: s.rolledHours.Load(),
	}
}

// Ready returns an error unless every shard of the engine answers.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.calls.Begin(ctx); err != nil {
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

// MayInsert returns an error if the user lacks a right to insert, as far as hone can tell
// without inserting.
func (s *Store) MayInsert(ctx context.Context) error {
	a, err := s.client.exec(ctx, &statement{out: []output{{"setting", "toString(value)"}}, sql: "FROM system.settings WHERE name = 'readonly'"})
	if err != nil {
		return err
	}
	if setting := a.col("setting"); a.rows == 1 && setting.texts[0] != "0" {
		return fmt.Errorf("the user of the database %s can only read: its setting readonly is %s, and must be 0", s.cfg.Database, setting.texts[0])
	}
	return nil
}
