package clickhouse_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// A server whose disk is full refuses profiles with the error that says so, answers
// questions, and takes profiles when there is room again.
func TestDiskFull(t *testing.T) {
	engine := t.TempDir()
	dir := filepath.Join(engine, "data") // the log and temporary files are elsewhere
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("SKIPPED, as this needs a file system that can be filled, and mounting one failed (%v): run it as root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	server, err := clickhousetest.StartSingle(engine)
	clickhousetest.SkipMissing(t, err)
	t.Cleanup(server.Kill)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: "hone"})
	s := open(t, cfg)
	defer s.Close()
	put(t, s, record(t, 1, base))
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 1<<16); len(b) > 0; {
		if _, err := f.Write(b); errors.Is(err, syscall.ENOSPC) {
			b = b[:len(b)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	err = s.Put(t.Context(), []store.Record{record(t, 2, base)})
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("Put on a full disk: got %v, want %v", err, store.ErrFull)
	}
	wantError(t, err, server.Addr)
	if n := kept(t, s); n != 1 {
		t.Errorf("there are %d profiles, want the one that was acknowledged", n)
	}
	if n := s.Stats().Full; n != 1 {
		t.Errorf("%d profiles were refused for want of room, want 1", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	put(t, s, record(t, 2, base))
	if n := kept(t, s); n != 2 {
		t.Errorf("there are %d profiles, want 2", n)
	}
}

// A question that takes more memory than the engine allows fails with what helps, and
// harms nothing.
func TestMemoryLimit(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	s := open(t, cfg)
	defer s.Close()
	from := newStream()
	for range 16 {
		records := make([]store.Record, 64)
		for i := range records {
			records[i] = from.next(t)
		}
		put(t, s, records...)
	}
	poor := cfg
	poor.User = clickhousetest.Poor
	p := open(t, poor)
	defer p.Close()
	_, err := p.Merge(t.Context(), store.Query{Step: 15e9}) // a window each, half a million sums
	wantError(t, err, server.Addr, "Memory limit", "query a shorter time", "max_memory_usage")
	if n := kept(t, s); n != 1024 {
		t.Errorf("there are %d profiles, want 1024", n)
	}
}
