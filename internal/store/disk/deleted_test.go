package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
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
			if err := s.kv.db.Flush(); err != nil {
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
					if len(s.rewrites.deleted) > 0 {
						t.Errorf("partitions %d are still known to be deleted", s.rewrites.deleted)
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

// Each file of a store is missing in turn after a service was deleted. The service doesn't come
// back, and only what was in that file is lost. The deletion is in a table, or in the log alone.
func TestDeletionFileMissing(t *testing.T) {
	for _, flushed := range []bool{true, false} {
		t.Run(fmt.Sprintf("flushed=%v", flushed), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			s := open(t, dir, Options{PackAfter: -1})
			all := records(t, 60)
			put(t, s, all[:40]...)
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			put(t, s, all[40:]...)
			if err := s.kv.db.Flush(); err != nil {
				t.Fatal(err)
			}
			n, err := s.DeleteService(t.Context(), "s1", false)
			if err != nil || n == 0 {
				t.Fatalf("%d, %v", n, err)
			}
			if flushed {
				if err := s.kv.db.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			crashed := dir + "2"
			copyInUse(t, dir, crashed)
			closeStore(t, s)
			left := len(all) - int(n)
			names := slices.Sorted(maps.Keys(contents(t, crashed)))
			if !slices.Contains(names, deletionsFile) {
				t.Fatalf("the deletion is not written twice: %q", names)
			}
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					hurt := filepath.Join(t.TempDir(), "d")
					copyDir(t, crashed, hurt)
					if err := os.Remove(filepath.Join(hurt, name)); err != nil {
						t.Fatal(err)
					}
					want := readable(t, vfs.Default, hurt)
					if ext := filepath.Ext(name); want > left || want < left && ext != tableExt && ext != ".log" {
						t.Errorf("verify: %d profiles can be read, want %d", want, left)
					}
					for start := range 3 {
						s := open(t, hurt, Options{Recover: true, PackAfter: -1})
						recovered(t, s)
						wantDeleted(t, s, "s1", want)
						if start == 1 {
							if err := s.Compact(t.Context()); err != nil {
								t.Fatal(err)
							}
							if len(s.rewrites.deleted) > 0 {
								t.Errorf("partitions %d are still known to be deleted", s.rewrites.deleted)
							}
						}
						closeStore(t, s)
						if t.Failed() {
							t.Fatalf("at start %d", start)
						}
					}
					if _, err := os.Stat(filepath.Join(hurt, deletionsFile)); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("the file of deletions is still there, and nothing is left of the service: %v", err)
					}
				})
			}
		})
	}
}

// wantDeleted fails unless a store has profiles of other services than that one, as many as that.
func wantDeleted(t *testing.T, s *Store, service string, profiles int) {
	t.Helper()
	services, err := s.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(services, func(s ServiceStats) bool { return s.Service == service }) {
		t.Errorf("%s is back: %+v", service, services)
	}
	st := s.Stats()
	if st.Profiles != int64(profiles) {
		t.Errorf("%d profiles, want %d", st.Profiles, profiles)
	}
	// One whose dictionary is lost as a whole is not known by name.
	if slices.ContainsFunc(st.Aside, func(a Aside) bool { return a.Service != "" }) || len(st.Aside) > 0 && profiles > 0 {
		t.Errorf("set aside: %v", st.Aside)
	}
}

// A partition that is made after a deletion may get a number that was deleted before. A file of
// deletions that names it no more must not come back.
func TestDeletionForgotten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := open(t, dir, Options{})
	all := records(t, 30)
	put(t, s, all...)
	for _, service := range []string{"s0", "s1"} {
		if _, err := s.DeleteService(t.Context(), service, false); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := readDeletions(vfs.Default, dir); err != nil || len(ids) != 2 {
		t.Fatalf("the file of deletions has %d, %v", ids, err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, err := readDeletions(vfs.Default, dir); err != nil || len(ids) > 0 {
		t.Fatalf("the file of deletions has %d, %v", ids, err)
	}
	for range 2 {
		closeStore(t, s)
		s = open(t, dir, Options{})
		put(t, s, all...)
		if st := s.Stats(); st.Profiles != int64(len(all)) {
			t.Errorf("%d profiles, want %d", st.Profiles, len(all))
		}
	}
	closeStore(t, s)
}

// A damaged file of deletions never keeps a store from opening, and one of a later version does.
func TestDeletionsDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := open(t, dir, Options{})
	all := records(t, 30)
	put(t, s, all...)
	n, err := s.DeleteService(t.Context(), "s1", false)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	path := filepath.Join(dir, deletionsFile)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range sound {
		bad := slices.Clone(sound)
		bad[at] ^= 0x10
		for _, bad := range [][]byte{bad, sound[:at]} {
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := readable(t, vfs.Default, dir); got != len(all)-int(n) {
				t.Errorf("%x: verify: %d profiles can be read, want %d", bad, got, len(all)-int(n))
			}
			s := open(t, dir, Options{})
			wantDeleted(t, s, "s1", len(all)-int(n))
			closeStore(t, s)
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, sound) {
				t.Errorf("%x: the file is not written again: %x, %v", bad, now, err)
			}
			if kept, err := os.ReadFile(filepath.Join(dir, keptPrefix+deletionsFile)); err != nil || !bytes.Equal(kept, bad) {
				t.Errorf("%x: the damaged file is not kept: %x, %v", bad, kept, err)
			}
		}
	}
	later := append([]byte{deletionsVersion + 1}, sound[1:len(sound)-4]...)
	if err := os.WriteFile(path, binary.LittleEndian.AppendUint32(later, crc(later)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, format.ErrVersion) {
		t.Errorf("a file of a later version: %v", err)
	}
}

// A kill comes ahead of each change of a file while a service is deleted, while the deletion is
// forgotten, and while the service comes again with the number it had. All of its profiles are
// there, or none, and none comes back or goes once that was acknowledged.
func TestDeletionKilled(t *testing.T) {
	c := newCrashFS(t)
	const dir = "/data/store"
	o := Options{FS: c, PackAfter: -1}
	all := records(t, 20)
	s := open(t, dir, o)
	put(t, s, all...)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	few, many := 0, len(all) // how many profiles there may be
	kills := 0
	c.before = func(op string) {
		kills++
		disk := cloneTree(t, c.FS)
		s := open(t, dir, Options{FS: disk, PackAfter: -1})
		if n := int(s.Stats().Profiles); n != few && n != many {
			t.Errorf("killed ahead of %q: %d profiles, want %d or %d", op, n, few, many)
		}
		closeStore(t, s)
	}
	dry, err := s.DeleteService(t.Context(), "s1", true)
	if err != nil {
		t.Fatal(err)
	}
	few = many - int(dry)
	if n, err := s.DeleteService(t.Context(), "s1", false); err != nil || n != dry {
		t.Fatalf("%d of %d, %v", n, dry, err)
	}
	many = few
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.rewrites.listed) > 0 {
		t.Fatalf("the deletion of %d is not forgotten", s.rewrites.listed)
	}
	closeStore(t, s)
	s = open(t, dir, o)
	many = len(all)
	put(t, s, all...)
	few = many
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	c.stop(t)
	if kills < 50 {
		t.Errorf("only %d kills", kills)
	}
}
