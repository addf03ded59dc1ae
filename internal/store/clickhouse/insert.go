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
	maxTogether = 256       // records that are numbered together
	maxWaiting  = 128 << 20 // bytes of rows that wait to be inserted; who comes then waits
	maxKnown    = 1 << 20   // words that are remembered, twice
)

// sentWords are the words that the store has, as far as this node remembers: the later ones
// and those before them.
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

// An inserter inserts what calls want, all that has come at once: first what numbers mean,
// then the profiles, then their ids. So what a profile refers to is in the store before it,
// and whose id is there is there.
type inserter struct {
	client  *client
	cfg     *Config
	key     *key
	sent    *sentWords
	encoder *encoder
	counts  insertCounts

	mu      sync.Mutex
	room    sync.Cond // of mu, when waiting becomes less
	queue   []*pending
	waiting int64 // bytes in queue and in the insert under way
	running bool
	last    time.Time // when the last insert began
	work    sync.WaitGroup
}

// insertCounts are profiles that were put, by what became of them.
type insertCounts struct{ put, duplicates, full, unavailable atomic.Int64 }

func newInserter(c *client, cfg *Config, k *key) *inserter {
	sent := newSentWords()
	in := &inserter{client: c, cfg: cfg, key: k, sent: sent, encoder: newEncoder(k, sent.knows, cfg.Now)}
	in.room.L = &in.mu
	return in
}

// wait waits for what runs. Nothing is put any more.
func (in *inserter) wait() { in.work.Wait() }

// waits returns how many bytes wait to be inserted.
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

// add adds to the queue, once there is room.
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

// run inserts what is in the queue until there is nothing.
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

// fresh returns the rows of records that the store doesn't have. Of several with
// one identity it is the first.
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

// insertWords inserts what the batch's numbers mean, as far as the store may not
// have it.
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
