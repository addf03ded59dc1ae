package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// smearBlock damages a block of a table.
func smearBlock(t *testing.T, path string, b tableBlock) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range min(16, b.size) {
		data[b.at+int64(b.size)/2+int64(k)] ^= 0x55
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each block of each table is lost: the profiles in it are lost, and what says how many, and
// all others are there.
func TestBlocksLost(t *testing.T) {
	sm := newSample(t)
	tables, err := filepath.Glob(filepath.Join(sm.dir, "*"+tableExt))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tables {
		name := filepath.Base(path)
		tab, err := openTable(vfs.Default, sm.dir, name, func(p string) { t.Fatal(p) }, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range tab.blocks {
			rows, err := tab.load(i)
			if err != nil {
				t.Fatal(err)
			}
			kinds := ""
			for _, v := range rows {
				if k := string(v.key[0]); !strings.Contains(kinds, k) {
					kinds += k
				}
			}
			t.Run(fmt.Sprintf("%s block %d %s %d rows %d bytes", name, i, kinds, len(rows), b.size), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "d")
				copyDir(t, sm.dir, dir)
				if err := os.Remove(filepath.Join(dir, parityName(name))); err != nil {
					t.Fatal(err)
				}
				smearBlock(t, filepath.Join(dir, name), b)
				var problems []string
				found, err := Verify(t.Context(), dir, nil, func(p string) { problems = append(problems, p) })
				if err != nil {
					t.Fatal(err)
				}
				s := open(t, dir, Options{})
				if _, err := s.Merge(t.Context(), store.Query{From: base + 1, By: []string{store.LabelKind}}); err != nil { // looks at blocks and roll-ups
					t.Fatal(err)
				}
				n := sm.wantParts(t, s, func(store.Record) bool { return false })
				var lost int64
				for _, l := range s.Losses() {
					lost += l.Profiles
				}
				aside := s.Stats().Aside
				t.Logf("verify: %v; %d served, %d lost, aside %v", found, n, lost, aside)
				if len(aside) == 0 && int64(n)+lost != int64(len(sm.records)) {
					t.Errorf("%d served and %d lost of %d", n, lost, len(sm.records))
				}
				if found.Profiles-found.Lost != int64(n) {
					t.Errorf("verify: %v, %q", found, problems)
				}
				if err := s.Compact(t.Context()); err != nil {
					t.Error(err)
				}
				sm.wantParts(t, s, func(store.Record) bool { return false })
				closeStore(t, s)
				for _, p := range verify(t, dir, nil) {
					if !strings.Contains(p, "missing") && !strings.Contains(p, "can't be read") {
						t.Errorf("afterwards: %s", p)
					}
				}
			})
		}
	}
}
