package disk

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// When Pebble can't go on, the process does, and nothing is acknowledged.
func TestPebbleCannotGoOn(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem})
	all := records(t, 20)
	put(t, s, all[:10]...)
	if err := s.kv.db.Flush(); err != nil {
		t.Fatal(err)
	}
	s.kv.health.Fatalf("the manifest is on fire: %d", 451)
	for range 2 {
		if err := s.Put(t.Context(), all[10:]); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "451") {
			t.Errorf("got %v", err)
		}
	}
	if err := s.Ready(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	wantSame(t, s, all[:10])
	s.kv.db.Flush() // leads nowhere
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = open(t, "d", Options{FS: mem})
	put(t, s, all...)
	wantSame(t, s, all)
	closeStore(t, s)
	if p := verify(t, "d", mem); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

func TestCompactionsRest(t *testing.T) {
	h := newHealth(slog.New(slog.DiscardHandler))
	var rests []time.Duration
	for range 14 {
		h.compacted(errors.New("a table is damaged"))
		rests = append(rests, time.Until(h.rest).Round(time.Second))
	}
	if rests[0] != minRest || rests[1] != 2*minRest || rests[13] != maxRest || !h.resting() {
		t.Errorf("rests of %v", rests)
	}
	h.compacted(nil)
	if h.resting() {
		t.Error("it rests after one that succeeded")
	}
}

// Compactions that fail don't go on for ever, and drop no hours for room that they
// don't make.
func TestNoRoomOfDamagedTables(t *testing.T) {
	mem := vfs.NewMem()
	now := time.Unix(0, base).Add(30 * time.Hour)
	s := open(t, "d", Options{FS: mem, Now: func() time.Time { return now }})
	put(t, s, records(t, 300)...)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.rewrites.Lock()
	s.o.MaxBytes, s.rewrites.unclaimed = 1, true
	err := s.retention.retain(t.Context())
	s.rewrites.Unlock()
	if n := s.Stats().Profiles; err != nil || n != 300 {
		t.Errorf("%d profiles are left: %v", n, err)
	}
	closeStore(t, s)
}

// A table that is missing costs the profiles in it, and sets nothing aside. So it does for a start
// that is killed when it has made an empty table in its place.
func TestTableMissing(t *testing.T) {
	for _, killed := range []bool{false, true} {
		mem := vfs.NewMem()
		s := open(t, "d", Options{FS: mem, PackAfter: -1})
		all := records(t, 60)
		put(t, s, all[:40]...)
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		put(t, s, all[40:]...)
		if err := s.kv.db.Flush(); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
		l, err := listFiles(mem, "d")
		if err != nil {
			t.Fatal(err)
		}
		if err := mem.Remove(mem.PathJoin("d", l.tables[slices.Max(slices.Collect(maps.Keys(l.tables)))])); err != nil {
			t.Fatal(err)
		}
		if killed {
			r := newSpace(t.Context(), mem, "d", 0, newHealth(slog.New(slog.DiscardHandler)))
			if _, err := inspect(r); err != nil {
				t.Fatal(err)
			}
		}
		s = open(t, "d", Options{FS: mem, PackAfter: -1})
		if st := s.Stats(); len(st.Aside) > 0 || len(st.Damaged) != 1 {
			t.Errorf("killed: %v: set aside: %v; damaged: %q", killed, st.Aside, st.Damaged)
		}
		wantSame(t, s, all[:40])
		put(t, s, all[40:]...) // they are not taken for ones that are there
		wantSame(t, s, all)
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)
		if p := verify(t, "d", mem); len(p) > 0 {
			t.Errorf("killed: %v: afterwards: %q", killed, p)
		}
	}
}
