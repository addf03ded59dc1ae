package disk

import (
	"fmt"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestHourAgain drops an hour whose blocks are in memory, and has other profiles of the same hour packed: the
// new blocks have the numbers of the old ones.
func TestHourAgain(t *testing.T) {
	s := open(t, t.TempDir(), Options{PackAfter: -1})
	defer s.Close()
	first := records(t, 60) // two hours
	put(t, s, first...)
	pack(t, s)
	part := store.Query{From: base + int64(10*time.Minute), To: base + int64(50*time.Minute)}
	if _, err := s.Merge(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	dropHour(t, s, format.HourOf(base))
	var again []store.Record
	for i := range 30 {
		again = append(again, record(t, 1000+i, fmt.Sprint("s", i%2), fmt.Sprint("i", i/2%2), time.Duration(i)*2*time.Minute))
	}
	put(t, s, again...)
	pack(t, s)
	model := storetest.NewModel()
	put(t, model, again...)
	wantMerged(t, s, model, part)
}

func pack(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func dropHour(t testing.TB, s *Store, h format.Hour) {
	t.Helper()
	s.rewrites.Lock()
	defer s.rewrites.Unlock()
	if _, err := s.retention.dropHour(h); err != nil {
		t.Fatal(err)
	}
}

// wantMerged fails unless both stores merge the same for a question with one group.
func wantMerged(t testing.TB, s, model store.Store, q store.Query) {
	t.Helper()
	got, err := s.Merge(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want, err := model.Merge(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(want) != 1 {
		t.Fatalf("%d groups, want %d, one", len(got), len(want))
	}
	if d := storetest.Diff(got[0].Profile, want[0].Profile); d != "" {
		t.Fatal(d)
	}
}
