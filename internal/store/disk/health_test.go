package disk

import (
	"errors"
	"log/slog"
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
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	s.health.Fatalf("the manifest is on fire: %d", 451)
	for range 2 {
		if err := s.Put(t.Context(), all[10:]); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "451") {
			t.Errorf("got %v", err)
		}
	}
	if err := s.Ready(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	wantSame(t, s, all[:10])
	s.db.Flush() // leads nowhere
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
	h := newHealth(slog.New(slog.DiscardHandler), &space{FS: vfs.NewMem()})
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
	s.jobs.Lock()
	s.o.MaxBytes, s.unclaimed = 1, true
	err := s.retain(t.Context())
	s.jobs.Unlock()
	if n := s.Stats().Profiles; err != nil || n != 300 {
		t.Errorf("%d profiles are left: %v", n, err)
	}
	closeStore(t, s)
}
