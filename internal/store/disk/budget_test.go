package disk

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/internal/store/storetest"
)

// deep returns a record of 100 stacks of 2,000 frames: see [storetest.Deep].
func deep(t testing.TB, n int, service string) store.Record {
	r := record(t, n, service, "a", 0)
	r.Profile = storetest.Deep(service, n, 2000, 100)
	return r
}

// What Merge answers takes its memory before, and the call fails where there is none.
func TestMergeBudget(t *testing.T) {
	s := open(t, "d", Options{FS: vfs.NewMem()})
	defer closeStore(t, s)
	for n := range 10 {
		put(t, s, deep(t, n, "api"), deep(t, n+10, "web"))
	}
	for _, packed := range []bool{false, true} {
		if packed {
			if err := s.Pack(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for name, q := range map[string]store.Query{
			"one service": {Selector: store.Selector{{Name: store.LabelService, Op: store.Equal, Value: "api"}}},
			"both":        {},
		} {
			free := &storetest.Budget{Limit: 1 << 40}
			q.Budget = free
			groups, err := s.Merge(t.Context(), q)
			if err != nil || len(groups) != 1 {
				t.Fatalf("%s: %d groups, %v", name, len(groups), err)
			}
			if size := format.Bytes(groups[0].Profile); free.Now < size*9/10 || free.Now > 2*size || free.Most > 5*size {
				t.Errorf("%s: the profile takes %d bytes, taken are %d, and %d before", name, size, free.Now, free.Most)
			}
			q.Budget = &storetest.Budget{Limit: free.Most - 1}
			if _, err := s.Merge(t.Context(), q); !errors.Is(err, storetest.ErrBudget) {
				t.Errorf("%s, with a byte less: %v", name, err)
			}
		}
	}
}
