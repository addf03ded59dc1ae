package clickhouse_test

import (
	"errors"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/storetest"
)

// deep returns a record of 60 stacks, and how many frames they have.
func deep(t testing.TB, n int) (r store.Record, frames int) {
	t.Helper()
	const depth, leaves = 1000, 60
	r = record(t, n+1, base+int64(n))
	r.Profile = storetest.Deep("main.deep", n, depth, leaves)
	return r, depth * leaves
}

// What Merge answers takes its memory before, and the call fails where there is none.
func TestMergeBudget(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		s := open(t, create(t, config(t)))
		defer s.Close()
		frames := int64(0)
		for n := range 6 {
			r, more := deep(t, n)
			if err := s.Put(t.Context(), []store.Record{r}); err != nil {
				t.Fatal(err)
			}
			frames += int64(more)
		}
		free := &storetest.Budget{Limit: 1 << 40}
		groups, err := s.Merge(t.Context(), store.Query{Budget: free})
		if err != nil || len(groups) != 1 || int64(len(groups[0].Profile.Frames)) != frames {
			t.Fatalf("%d groups, %v", len(groups), err)
		}
		if free.Now < 4*frames || free.Now > 8*frames || free.Most > 12*frames {
			t.Errorf("the profile has %d frames, taken are %d bytes, and %d before", frames, free.Now, free.Most)
		}
		for _, limit := range []int64{0, 1000, free.Most / 2, free.Most - 1} {
			q := store.Query{Budget: &storetest.Budget{Limit: limit}}
			if _, err := s.Merge(t.Context(), q); !errors.Is(err, storetest.ErrBudget) {
				t.Errorf("with %d of %d bytes: %v", limit, free.Most, err)
			}
			if now := q.Budget.(*storetest.Budget).Now; now != 0 {
				t.Errorf("with %d of %d bytes: %d are taken when it has failed", limit, free.Most, now)
			}
		}
		again := &storetest.Budget{Limit: free.Most}
		if _, err := s.Merge(t.Context(), store.Query{Budget: again}); err != nil {
			t.Errorf("with as many bytes as before: %v", err)
		}
	})
}
