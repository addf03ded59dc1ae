// Package clickhouse keeps profiles in ClickHouse: one server, or a cluster of
// shards and replicas. Its stores have no state but caches, so any number of them
// may be open on the same tables.
//
// From the bottom up, a file needs those above it in this list only:
//
//	config      where a store is, and how it is used
//	content     what the dictionary keeps of a number, in bytes
//	frame       the frames that statements and answers are sent in
//	native      the format of rows
//	tables      the tables and their columns
//	statement   a statement with the data that goes along
//	refused     errors of the engine
//	lexicon     what numbers mean, as far as it is in memory
//	copy        a profile out of the lexicon
//	client      statements over HTTP: addresses, what is tried again, what the engine can do
//	lookup      what numbers mean, from the dictionary into the lexicon
//	number      what names a place in a program
//	catalogue   the series that a question may select
//	plan        what a question is of, and the conditions on its profiles
//	heads       totals, and the series of them
//	coverage    which hours are read from roll-ups
//	merge       sums of profiles
//	rollup      hours that are summed up once; roller does so in the background
//	row         profiles as rows
//	insert      rows on their way in
//	retain      profiles that have expired; sizes says what is left
//	schema      makes the tables
//	clickhouse  a store of all that; delete forgets a service
//
// A question goes one way: catalogue, plan, coverage, heads, groups, sums, profiles. Each is a
// value that the next one is made from.
//
// doc/design/0015-clickhouse.md says why it is as it is.
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
	fewSeriesHours int64        // see the constant
	expired        atomic.Int64 // profiles that were refused
	rolledHours    atomic.Int64 // that questions have taken from roll-ups

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

// connect learns what the servers and the tables are, and returns the client for them and
// the key of their numbers.
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
	s.inserter.wait()
	s.client.close()
	return nil
}

// Put keeps records; see [store.Store]. They become rows in the caller's goroutine.
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	if err := s.begin(ctx); err != nil {
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
			return fmt.Errorf("%w: it is of %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
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
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	for try := 1; ; try++ {
		out, err := s.merge(ctx, q, try)
		if !errors.Is(err, errMoved) {
			return out, err
		}
	}
}

// merge tries for the nth time to answer Merge. The last try is of the very profiles that
// are there.
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
	// 18.16 takes five times as long to leave out what stands twice.
	sum := &summer{plan: p, coverage: c, exact: exact, final: exact || twice || try > 1}
	return mergeGroups(ctx, l, sum, groups)
}

// plan returns the plan of a question, nil if it selects nothing, and what looks up its
// numbers.
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

// cover says what of a plan is read from roll-ups; nothing where single profiles are asked for.
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
	if err := s.begin(ctx); err != nil {
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
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	_, p, err := s.plan(ctx, q)
	if err != nil || p == nil {
		return nil, err
	}
	return labelsOf(ctx, s.client, p)
}

// RollUp rolls up the hours of which q takes all, and which are not rolled up as they
// are now. Of its selector, only services and kinds count. It returns how many roll-ups
// it has written.
func (s *Store) RollUp(ctx context.Context, q store.Query) (int, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	l, p, err := s.plan(ctx, store.Query{Selector: fleetSelector(q.Selector), From: q.From, To: q.To})
	if err != nil || p == nil {
		return 0, err
	}
	return rollUpHours(ctx, l, p, &s.key)
}

// DropExpired drops the days of which all profiles have expired, and the weeks of the
// dictionary without such a day.
func (s *Store) DropExpired(ctx context.Context) error { return s.retention.drop(ctx) }

// Sizes asks what there is in the tables.
func (s *Store) Sizes(ctx context.Context) (*Sizes, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	return sizesOf(ctx, s.client)
}

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

// Stats returns what the store has done. It asks nobody.
func (s *Store) Stats() Stats {
	in := &s.inserter.counts
	return Stats{
		Put: in.put.Load(), Duplicates: in.duplicates.Load(), Expired: s.expired.Load(), Full: in.full.Load(), Unavailable: in.unavailable.Load(),
		Waiting: s.inserter.waits(), RolledUp: s.roller.written.Load(), RolledHours: s.rolledHours.Load(),
	}
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
	a, err := s.client.exec(ctx, &statement{out: []output{{"setting", "toString(value)"}}, sql: "FROM system.settings WHERE name = 'readonly'"})
	if err != nil {
		return err
	}
	if setting := a.col("setting"); a.rows == 1 && setting.texts[0] != "0" {
		return fmt.Errorf("the user of the database %s may only read: its setting readonly is %s, and has to be 0", s.cfg.Database, setting.texts[0])
	}
	return nil
}
