package srcfind

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMemoryIsBounded looks for as many names as two profiles of 0.8 MB may have,
// none of which are there: what is kept of that has a bound, and files that were
// found stay.
func TestMemoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20
	f := New(Config{SearchPath: dir, Confined: true, CacheBytes: most, Dir: dir})
	if _, err := f.Find("x.go"); err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	f.Find("first.go") // which asks for GOROOT
	before := heap()
	for i := range 50_000 {
		if _, err := f.Find(fmt.Sprintf("/%08d%s.go", i, strings.Repeat("x", 300))); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 2*most {
		t.Errorf("50,000 names take %d bytes, %d are allowed", grown, most)
	}
	f.kept.mu.Lock()
	defer f.kept.mu.Unlock()
	if n := f.kept.missed.bytes; n > most/missShare || f.kept.found.list.Len() != 1 || len(f.kept.of) != f.kept.missed.list.Len()+1 {
		t.Errorf("%d bytes of failures, %d files found, %d names", n, f.kept.found.list.Len(), len(f.kept.of))
	}
}

// TestKeptTexts checks that texts that have no room leave, who was not asked for
// longest first, and are read again.
func TestKeptTexts(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat(strings.Repeat("x", 99)+"\n", 1000) // 116 kB in memory
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.go", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := New(Config{SearchPath: dir, CacheBytes: 1 << 20})
	first := map[int]*Text{}
	for i := range 20 {
		got, err := f.Find(fmt.Sprintf("%d.go", i))
		if err != nil || len(got.Lines) != 1000 {
			t.Fatalf("%d lines, %v", len(got.Lines), err)
		}
		first[i] = got
		f.Find("0.go") // asked for again and again
	}
	if n := f.kept.found.bytes; n > 1<<20 {
		t.Errorf("%d bytes of text are kept", n)
	}
	for _, test := range []struct {
		i    int
		same bool
	}{{0, true}, {19, true}, {1, false}} {
		got, err := f.Find(fmt.Sprintf("%d.go", test.i))
		if err != nil || (got == first[test.i]) != test.same {
			t.Errorf("%d.go: kept is %t, want %t; %v", test.i, got == first[test.i], test.same, err)
		}
	}
}

// TestMissesAreForgotten checks that a file that comes later is found.
func TestMissesAreForgotten(t *testing.T) {
	dir := t.TempDir()
	f := New(Config{SearchPath: dir})
	now := time.Now()
	f.kept.now = func() time.Time { return now }
	if _, err := f.Find("later.go"); err == nil {
		t.Fatal("found")
	}
	if err := os.WriteFile(filepath.Join(dir, "later.go"), []byte("package later\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find("later.go"); err == nil {
		t.Error("looked for at once")
	}
	now = now.Add(missAge + time.Second)
	if _, err := f.Find("later.go"); err != nil {
		t.Error(err)
	}
	if _, err := f.Find(strings.Repeat("x", maxName+1) + ".go"); !errors.Is(err, fs.ErrNotExist) || len(err.Error()) > 500 {
		t.Errorf("a name that is too long: %v", err)
	}
}
