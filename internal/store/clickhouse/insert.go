package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store"
)

const (
	maxTogether = 256       // records that are encoded together
	maxWaiting  = 128 << 20 // bytes of rows that wait to be inserted; more calls of Put then block
	maxKnown    = 1 << 20   // dictionary entries in each half of sentWords
)

// sentWords remembers dictionary entries that are in the store. It forgets the older half when
// it is full.
type sentWords struct {
	mu         sync.RWMutex
	known, old map[uint64]struct{}
}

func newSentWords() *sentWords { return &sentWords{known: map[uint64]struct{}{}} }

func (w *sentWords) knows(k uint64) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if _, ok := w.known[k]; ok {
		return true
	}
	_, ok := w.old[k]
	return ok
}

func (w *sentWords) learn(keys []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known)+len(keys) > maxKnown {
		w.old, w.known = w.known, map[uint64]struct{}{}
	}
	for _, k := range keys {
		w.known[k] = struct{}{}
	}
}

// An inserter collects the records of concurrent calls and inserts them together: first
// dictionary entries, then profiles, then ids. So whatever a stored profile refers to is
// stored, and if an id is stored, so is its profile.
type inserter struct {
	client  *client
	cfg     *Config
	key     *key
	sent    *sentWords
	encoder *encoder
	counts  insertCounts

	mu      sync.Mutex
	room    sync.Cond // uses mu; signaled when waiting falls
	queue   []*pending
	waiting int64 // bytes in queue and in the insert under way
	running bool
	last    time.Time // when the last insert began
	work    sync.WaitGroup
}

// insertCounts counts the records passed to Put by their outcome.
type insertCounts struct{ put, duplicates, full, unavailable atomic.Int64 }

func newInserter(c *client, cfg *Config, k *key) *inserter {
	sent := newSentWords()
	in := &inserter{client: c, cfg: cfg, key: k, sent: sent, encoder: newEncoder(k, sent.knows, cfg.Now)}
	in.room.L = &in.mu
	return in
}

// wait waits until the running insert ends. There must be no more calls of put.
func (in *inserter) wait() { in.work.Wait() }

// waits returns the size of the rows that wait to be inserted, in bytes.
func (in *inserter) waits() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.waiting
}

// put inserts records and waits until they are durable.
func (in *inserter) put(ctx context.Context, records []store.Record) error {
	p := in.encoder.encode(records)
	if err := in.add(ctx, p); err != nil {
		return err
	}
	select {
	case err := <-p.done:
		for i := range p.rows {
			records[i].Known = err == nil && p.rows[i].known
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add appends p to the queue. It blocks while the queue is full.
func (in *inserter) add(ctx context.Context, p *pending) error {
	stop := context.AfterFunc(ctx, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.room.Broadcast()
	})
	defer stop()
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.waiting > 0 && in.waiting+p.size > maxWaiting {
		if err := ctx.Err(); err != nil {
			return err
		}
		in.room.Wait()
	}
	in.queue = append(in.queue, p)
	in.waiting += p.size
	if !in.running {
		in.running = true
		in.work.Go(in.run)
	}
	return nil
}

// run inserts batches until the queue is empty.
func (in *inserter) run() {
	for {
		in.mu.Lock()
		if len(in.queue) == 0 {
			in.running = false
			in.mu.Unlock()
			return
		}
		// Who comes alone is served at once; of a stream, what comes in an interval
		// goes together.
		pause := in.cfg.Interval - time.Since(in.last)
		if pause > 0 && in.waiting < maxInsert {
			in.mu.Unlock()
			time.Sleep(pause)
			in.mu.Lock()
		}
		n, size := 0, int64(0)
		for n < len(in.queue) && size < maxInsert {
			size += in.queue[n].size
			n++
		}
		batch := slices.Clone(in.queue[:n])
		in.queue = slices.Delete(in.queue, 0, n)
		in.last = time.Now()
		in.mu.Unlock()

		// Callers may have gone; the others wait for this.
		ctx, cancel := context.WithTimeout(context.Background(), 3*in.cfg.Timeout)
		err := in.insert(ctx, batch)
		cancel()
		for _, p := range batch {
			p.done <- err
		}
		in.mu.Lock()
		in.waiting -= size
		in.room.Broadcast()
		in.mu.Unlock()
	}
}

// insert makes a batch durable.
func (in *inserter) insert(ctx context.Context, batch []*pending) error {
	all := int64(0)
	for _, p := range batch {
		all += int64(len(p.rows))
	}
	counts := &in.counts
	rows, err := in.fresh(ctx, batch)
	if err == nil && len(rows) > 0 {
		err = in.insertRows(ctx, batch, rows)
	}
	if err == nil {
		counts.put.Add(int64(len(rows)))
		counts.duplicates.Add(all - int64(len(rows)))
		return nil
	}
	var refused *Error
	if errors.As(err, &refused) && refused.full() {
		counts.full.Add(all)
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	counts.unavailable.Add(all)
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

func (in *inserter) insertRows(ctx context.Context, batch []*pending, rows []*profileRow) error {
	if err := in.insertWords(ctx, batch); err != nil {
		return err
	}
	profiles, ids := rowsOf("profiles"), rowsOf("ids")
	for _, r := range rows {
		r.appendTo(profiles)
		ids.col("day").int32(dayOf(r.time))
		ids.col("time").int64(r.time)
		ids.col("id").fixed(r.id[:])
	}
	if _, err := in.client.exec(ctx, insertInto("profiles", profiles)); err != nil {
		return err
	}
	_, err := in.client.exec(ctx, insertInto("ids", ids))
	return err
}

// fresh returns the rows of the records that aren't stored yet. Among records with the same
// identity, it returns the first.
func (in *inserter) fresh(ctx context.Context, batch []*pending) ([]*profileRow, error) {
	seen := map[identity]bool{}
	var rows []*profileRow
	asked := newBlock("time", "Int64", "id", "FixedString(16)")
	for _, p := range batch {
		for i := range p.rows {
			r := &p.rows[i]
			if seen[r.identity] {
				r.known = true
				continue
			}
			seen[r.identity] = true
			rows = append(rows, r)
			asked.col("time").int64(r.time)
			asked.col("id").fixed(r.id[:])
		}
	}
	a, err := in.client.exec(ctx, &statement{
		out:    outputs("time", "id"),
		sql:    "FROM ids WHERE (time, id) IN (SELECT time, id FROM asked)",
		tables: []tempTable{{"asked", asked}},
	})
	if err != nil {
		return nil, err
	}
	there := make(map[identity]bool, a.rows)
	for i := range a.rows {
		there[identity{a.col("time").int64(i), store.ID([]byte(a.col("id").texts[i]))}] = true
	}
	return slices.DeleteFunc(rows, func(r *profileRow) bool {
		r.known = there[r.identity]
		return r.known
	}), nil
}

// insertWords inserts the dictionary entries of a batch that the store may not have.
func (in *inserter) insertWords(ctx context.Context, batch []*pending) error {
	rows := rowsOf("dictionary")
	key := in.key
	noted := map[uint64]bool{}
	var keys []uint64
	for _, p := range batch {
		for i := range p.words {
			w := &p.words[i]
			k := key.known(w.week, w.what, key.text(w.service), w.number)
			if noted[k] || in.sent.knows(k) {
				continue
			}
			noted[k] = true
			keys = append(keys, k)
			rows.col("week").int32(w.week)
			rows.col("what").uint8(w.what)
			rows.col("service").string(w.service)
			rows.col("number").uint64(w.number)
			rows.col("sum").uint64(contentSum(w.what, w.content))
			rows.col("content").bytes(w.content)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := in.client.exec(ctx, insertInto("dictionary", rows))
	if err == nil {
		in.sent.learn(keys)
	}
	return err
}
