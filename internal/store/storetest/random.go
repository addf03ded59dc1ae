package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/store"
)

// Random does as many random things as ops says with an empty store and with the
// model, and fails where they differ. reopen, unless it is nil, opens the store
// again after it was closed. Random closes the store.
func Random(t *testing.T, s store.Store, seed uint64, ops int, reopen func() store.Store) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	model := NewModel()
	defer func() { s.Close() }()
	var kept []store.Record
	versions := map[string]map[uint64]uint64{}
	for op := 0; op < ops && !t.Failed(); op++ {
		switch n := r.IntN(10); {
		case n < 4:
			records := randomRecords(t, r, kept)
			put(t, s, records...)
			put(t, model, records...)
			kept = append(kept, records...)
		case n == 4 && reopen != nil:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = reopen()
		default:
			q := randomQuery(t, r, kept)
			wantAnswers(t, s, model, q)
			wantVersions(t, s, model, q, versions)
		}
		if t.Failed() {
			t.Errorf("seed %d: operation %d of %d", seed, op, ops)
		}
	}
}

// randomRecords returns records of which some have ids of known ones.
func randomRecords(t *testing.T, r *rand.Rand, known []store.Record) []store.Record {
	out := make([]store.Record, 1+r.IntN(15))
	for i := range out {
		program := []string{"cpu", "cpu", "cpu", "cpu-ms", "heap", "heap", "old-heap", "mutex", "goroutine"}[r.IntN(9)]
		kind := map[string]string{"cpu-ms": "cpu", "old-heap": "heap"}[program]
		if kind == "" {
			kind = program
		}
		ls := []string{"service", fmt.Sprint("s", r.IntN(3)), "kind", kind}
		if r.IntN(2) == 0 {
			ls = append(ls, "version", fmt.Sprint("v", r.IntN(3)))
		}
		if r.IntN(2) == 0 {
			ls = append(ls, "instance", fmt.Sprint("i", r.IntN(5)))
		}
		rec := store.Record{
			ID: newID(r.IntN(1<<16), r.IntN(1<<16)), Labels: labels(t, ls...), Profile: Generate(r, program, r.IntN(30)),
			Time: randomTime(r), Duration: r.Int64N(3) * 10 * second,
		}
		switch {
		case r.IntN(6) == 0 && len(known) > 0: // sent again, perhaps changed on the way
			old := known[r.IntN(len(known))]
			rec.ID, rec.Time = old.ID, old.Time
		case r.IntN(8) == 0 && i > 0:
			rec.ID, rec.Time = out[i-1].ID, out[i-1].Time
		case r.IntN(10) == 0 && len(known) > 0: // the same id at another time is another record
			rec.ID = known[r.IntN(len(known))].ID
		}
		out[i] = rec
	}
	return out
}

// randomTime is within three days as a rule, often on an edge.
func randomTime(r *rand.Rand) int64 {
	switch r.IntN(12) {
	case 0:
		return -r.Int64N(1000 * second)
	case 1:
		return base + 70*365*24*60*minute
	case 2:
		return base + r.Int64N(3)*24*60*minute
	case 3:
		return base + r.Int64N(100)*minute - r.Int64N(2)
	case 4:
		return base + r.Int64N(3*24*60*minute)
	}
	return base + r.Int64N(2*60)*minute + r.Int64N(3)*second
}

func randomQuery(t *testing.T, r *rand.Rand, kept []store.Record) store.Query {
	var q store.Query
	q.Selector = selector(t, []string{"{}", "{}", "{}", "cpu", "heap", "goroutine", `{service="s1"}`, `{service!="s1"}`,
		`{version=~"v[01]"}`, `heap{version=""}`, `cpu{instance=~"i.", service!~"s0|s2"}`, `{service="none"}`}[r.IntN(12)])
	if r.IntN(2) == 0 {
		q.From = randomTime(r)
	}
	if r.IntN(3) == 0 {
		q.To = randomTime(r)
	}
	if r.IntN(10) == 0 && len(kept) > 0 {
		q.ID = kept[r.IntN(len(kept))].ID
	}
	for _, name := range []string{"kind", "service", "instance", "version", "no-such"} {
		if r.IntN(3) == 0 || name == "kind" && r.IntN(4) > 0 {
			q.By = append(q.By, name)
		}
	}
	r.Shuffle(len(q.By), func(i, j int) { q.By[i], q.By[j] = q.By[j], q.By[i] })
	q.Step = []int64{0, 0, 0, second, 7 * second, minute, 10 * minute, 60 * minute, 24 * 60 * minute}[r.IntN(9)]
	q.SampleType = []string{"", "", "", "", "cpu", "samples", "inuse_space", "alloc_space", "inuse_goroutine", "1", "3", "none"}[r.IntN(12)]
	q.Top = []float64{0, 0, 0, 0.05, 0.5, 0.07, 1}[r.IntN(7)]
	q.Lasting = r.IntN(6) == 0
	q.Limit = []int{0, 0, 1, 5, 50}[r.IntN(5)]
	return q
}

// wantVersions fails unless the versions in the answers to q change exactly when
// those of the model do. seen holds, per group, what the store's version was at
// each of the model's, over all calls.
func wantVersions(t *testing.T, s, model store.Store, q store.Query, seen map[string]map[uint64]uint64) {
	t.Helper()
	got, err := s.Merge(t.Context(), q)
	wanted, wantErr := model.Merge(t.Context(), q)
	if err != nil || wantErr != nil || len(got) != len(wanted) {
		return // wantAnswers tells
	}
	for i := range got {
		key := fmt.Sprint(describe(q), got[i].Labels, got[i].Time)
		if seen[key] == nil {
			seen[key] = map[uint64]uint64{}
		}
		for m, v := range seen[key] {
			if (m == wanted[i].Version) != (v == got[i].Version) {
				t.Errorf("%s: the version of %v is %x after %x: same profiles: %v", describe(q), got[i].Labels, got[i].Version, v, m == wanted[i].Version)
			}
		}
		seen[key][wanted[i].Version] = got[i].Version
	}
}

// testConcurrentUse puts and asks from several goroutines: nothing that was
// acknowledged may be missing in what is asked afterwards.
func testConcurrentUse(t *testing.T, s store.Store) {
	const writers, each = 6, 25
	errs := make(chan error, writers+2)
	var writing sync.WaitGroup
	for w := range writers {
		writing.Add(1)
		go func() {
			defer writing.Done()
			for i := range each {
				rec := record(t, w*each+i, base+int64(i)*second, "cpu", 1, "instance", fmt.Sprint(w))
				if err := s.Put(t.Context(), []store.Record{rec}); err != nil {
					errs <- err
					return
				}
				q := store.Query{Selector: store.Selector{{Name: "instance", Value: fmt.Sprint(w)}}}
				groups, err := s.Merge(t.Context(), q)
				if err == nil && (len(groups) != 1 || groups[0].Value != int64(i+1)) {
					err = fmt.Errorf("after %d profiles of one instance Merge says\n%s", i+1, groupLines(groups))
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	written := make(chan struct{}) // closed when all is put
	go func() {
		writing.Wait()
		close(written)
	}()
	for range 2 {
		go func() {
			last := int64(0)
			for over := false; !over; {
				select {
				case <-written:
					over = true // what is read now is all
				default:
				}
				all, err := s.Series(t.Context(), store.Query{Step: 60 * minute})
				if err != nil {
					errs <- err
					return
				}
				if len(all) == 0 {
					continue
				}
				now := all[0].Points[0].Value
				if now < last {
					errs <- fmt.Errorf("the total fell from %d to %d", last, now)
					return
				}
				last = now
			}
			if last != writers*each {
				errs <- fmt.Errorf("after all was put the total is %d, want %d", last, writers*each)
				return
			}
			errs <- nil
		}()
	}
	for range writers + 2 {
		if err := <-errs; err != nil {
			t.Error(err)
			return // others may never end: the store is broken
		}
	}
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{By: []string{"kind"}})), fmt.Sprintf(`{kind="cpu"} 0s %d of %d`, writers*each, writers*each))
}

// testCloseWaits closes the store while it is used: calls succeed or fail with
// ErrClosed, nothing else.
func testCloseWaits(t *testing.T, s store.Store) {
	errs := make(chan error)
	started := make(chan bool, 4)
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				err := s.Put(t.Context(), []store.Record{record(t, 1000*w+i, base, "cpu", 1)})
				if err == nil {
					_, err = s.Merge(t.Context(), store.Query{})
				}
				if i == 3 || err != nil && i < 3 {
					started <- true
				}
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	for range 4 {
		<-started
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 4 {
		if err := <-errs; !errors.Is(err, store.ErrClosed) {
			t.Errorf("got %v, want %v", err, store.ErrClosed)
		}
	}
}

// testReopen closes and opens the store: it says the same as before.
func testReopen(t *testing.T, s store.Store, reopen func() store.Store) {
	model := NewModel()
	r := rand.New(rand.NewPCG(1, 2))
	var kept []store.Record
	before := map[uint64]bool{}
	for round := range 4 {
		for range 3 {
			records := randomRecords(t, r, kept)
			put(t, s, records...)
			put(t, model, records...)
			kept = append(kept, records...)
		}
		q := store.Query{By: []string{"kind", "service"}}
		versions := func() (out []uint64) {
			for _, g := range merge(t, s, q) {
				out = append(out, g.Version)
			}
			return out
		}
		now := versions()
		for _, v := range now {
			before[v] = true
		}
		s = reopen()
		wantAnswers(t, s, model, q)
		wantAnswers(t, s, model, store.Query{By: []string{"kind"}, Step: 60 * minute})
		if again := versions(); !slices.Equal(again, now) {
			t.Errorf("round %d: versions %x became %x", round, now, again)
		}
		// What is sent again after a restart is known still.
		put(t, s, kept[len(kept)-1])
		if again := versions(); !slices.Equal(again, now) {
			t.Errorf("round %d: versions %x became %x by a record that was there", round, now, again)
		}
		put(t, s, store.Record{ID: newID(1, round), Labels: labels(t, "service", "s0", "kind", "cpu"), Time: base, Profile: one("cpu", "f", 1)})
		put(t, model, store.Record{ID: newID(1, round), Labels: labels(t, "service", "s0", "kind", "cpu"), Time: base, Profile: one("cpu", "f", 1)})
		g := mergeOne(t, s, store.Query{Selector: selector(t, `cpu{service="s0"}`)})
		if before[g.Version] {
			t.Errorf("round %d: version %x comes again for other profiles", round, g.Version)
		}
	}
}
