package disk

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The table that deletes a service is damaged: only its index, or everything after its data.
// The service doesn't come back, at no start, nor by verify or repair.
func TestDeletionDamaged(t *testing.T) {
	for _, how := range []string{"index", "all behind the data", "cut"} {
		t.Run(how, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			s := open(t, dir, Options{})
			all := records(t, 60)
			put(t, s, all...)
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			n, err := s.DeleteService(t.Context(), "s1", false)
			if err != nil || n == 0 {
				t.Fatalf("%d, %v", n, err)
			}
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
			crashed := dir + "2"
			copyInUse(t, dir, crashed)
			closeStore(t, s)
			l, err := listFiles(vfs.Default, crashed)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range l.parities {
				if err := os.Remove(filepath.Join(crashed, name)); err != nil {
					t.Fatal(err)
				}
			}
			list, err := currentManifest(vfs.Default, crashed)
			if err != nil {
				t.Fatal(err)
			}
			newest, hurt := uint64(0), func() error { return nil }
			for n := range readManifest(vfs.Default, crashed, list).tables {
				name := l.tables[n]
				path := filepath.Join(crashed, name)
				tab, err := openTable(vfs.Default, crashed, name, func(p string) { t.Error(p) }, func(string) {})
				if err != nil {
					t.Fatal(err)
				}
				if len(tab.tombs) == 0 || tab.maxSeq < newest {
					continue
				}
				newest = tab.maxSeq
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				behind := int64(0)
				for _, b := range tab.blocks {
					behind = b.at + int64(b.size) + blockTrailer
				}
				switch how {
				case "index":
					data[behind] ^= 0x55
					data[behind+9] ^= 0x55
				case "cut":
					data = data[:behind]
				default:
					for i := range data[behind:] {
						data[behind+int64(i)] ^= 0x55
					}
				}
				hurt = func() error { return os.WriteFile(path, data, 0o644) }
			}
			if err := hurt(); err != nil || newest == 0 {
				t.Fatal(newest, err)
			}
			if got := readable(t, vfs.Default, crashed); got != len(all)-int(n) {
				t.Errorf("verify: %d profiles can be read, want %d", got, len(all)-int(n))
			}
			for start := range 3 {
				s = open(t, crashed, Options{})
				services, err := s.Services(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(services, func(s ServiceStats) bool { return s.Service == "s1" }) {
					t.Errorf("start %d: s1 is back: %+v", start, services)
				}
				if st := s.Stats(); st.Profiles != int64(len(all))-n || len(st.Aside) > 0 {
					t.Errorf("start %d: %d profiles, want %d; set aside: %v", start, st.Profiles, int64(len(all))-n, st.Aside)
				}
				if start == 1 {
					if err := s.Compact(t.Context()); err != nil {
						t.Fatal(err)
					}
					if len(s.deleted) > 0 {
						t.Errorf("partitions %d are still known to be deleted", s.deleted)
					}
				}
				closeStore(t, s)
			}
			if p := verify(t, crashed, nil); len(p) > 0 {
				t.Errorf("verify: %q", p)
			}
		})
	}
}
