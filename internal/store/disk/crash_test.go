package disk

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A crashFS calls before ahead of each operation that changes what a kill leaves behind.
type crashFS struct {
	vfs.FS
	mu     sync.Mutex
	before func(op string)
}

// newCrashFS returns one in memory with the directory /data.
func newCrashFS(t *testing.T) *crashFS {
	t.Helper()
	c := &crashFS{FS: vfs.NewMem()}
	if err := c.MkdirAll("/data", 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// stop has before called no more, and returns what a kill leaves now.
func (c *crashFS) stop(t *testing.T) *vfs.MemFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = nil
	return cloneTree(t, c.FS)
}

func (c *crashFS) step(op string, args ...any) func() {
	c.mu.Lock()
	if c.before != nil {
		c.before(fmt.Sprintf(op, args...))
	}
	return c.mu.Unlock
}

func (c *crashFS) Unwrap() vfs.FS { return c.FS }

func (c *crashFS) file(f vfs.File, name string, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &crashFile{f, c, c.PathBase(name)}, nil
}

func (c *crashFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	defer c.step("create %s", name)()
	f, err := c.FS.Create(name, category)
	return c.file(f, name, err)
}

func (c *crashFS) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	defer c.step("open %s", name)()
	f, err := c.FS.OpenReadWrite(name, category, opts...)
	return c.file(f, name, err)
}

func (c *crashFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	defer c.step("reuse %s as %s", oldname, newname)()
	f, err := c.FS.ReuseForWrite(oldname, newname, category)
	return c.file(f, newname, err)
}

func (c *crashFS) Link(oldname, newname string) error {
	defer c.step("link %s as %s", oldname, newname)()
	return c.FS.Link(oldname, newname)
}

func (c *crashFS) Remove(name string) error {
	defer c.step("remove %s", name)()
	return c.FS.Remove(name)
}

func (c *crashFS) RemoveAll(name string) error {
	defer c.step("remove all of %s", name)()
	return c.FS.RemoveAll(name)
}

func (c *crashFS) Rename(oldname, newname string) error {
	defer c.step("rename %s to %s", oldname, newname)()
	return c.FS.Rename(oldname, newname)
}

func (c *crashFS) MkdirAll(dir string, perm fs.FileMode) error {
	defer c.step("mkdir %s", dir)()
	return c.FS.MkdirAll(dir, perm)
}

type crashFile struct {
	vfs.File
	disk *crashFS
	name string
}

func (f *crashFile) Write(p []byte) (int, error) {
	defer f.disk.step("write %s", f.name)()
	return f.File.Write(p)
}

func (f *crashFile) WriteAt(p []byte, at int64) (int, error) {
	defer f.disk.step("write %s", f.name)()
	return f.File.WriteAt(p, at)
}

// cloneTree copies the files of a file system in memory, as a kill leaves them.
func cloneTree(t *testing.T, from vfs.FS) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	var dir func(path string)
	dir = func(path string) {
		names, err := from.List(path)
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			name = from.PathJoin(path, name)
			info, err := from.Stat(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if info.IsDir() {
				if err := to.MkdirAll(name, 0o755); err != nil {
					t.Error(err)
				}
				dir(name)
				continue
			}
			f, err := from.Open(name)
			if err != nil {
				t.Error(err)
				continue
			}
			data, err := io.ReadAll(f)
			if err == nil {
				err = writeFile(to, name, bytes.NewReader(data))
			}
			if f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	dir("/")
	return to
}

// readMem returns the content of a file.
func readMem(t *testing.T, fsys vfs.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wipeLists leaves nothing of the lists of tables but their copies.
func wipeLists(t *testing.T, fsys vfs.FS, dir string) {
	t.Helper()
	l, err := listFiles(fsys, dir)
	if err != nil || len(l.manifests) == 0 || len(l.copies) == 0 {
		t.Fatal(l, err)
	}
	for _, name := range l.manifests {
		path := fsys.PathJoin(dir, name)
		if err := writeFile(fsys, path, bytes.NewReader(bytes.Repeat([]byte{0x55}, len(readMem(t, fsys, path))))); err != nil {
			t.Fatal(err)
		}
	}
}

// dropCopies removes the copies of the lists of tables, as a store of an earlier version has none.
func dropCopies(t *testing.T, fsys vfs.FS, dir string) {
	t.Helper()
	l, err := listFiles(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range l.copies {
		if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// smearList is smearManifest in a file system in memory.
func smearList(t *testing.T, fsys vfs.FS, dir string) bool {
	t.Helper()
	name, err := currentManifest(fsys, dir)
	if err != nil || name == "" {
		return false
	}
	path := fsys.PathJoin(dir, name)
	data := readMem(t, fsys, path)
	if len(data) < 16 {
		return false
	}
	for i := 8; i < min(24, len(data)); i++ {
		data[i] ^= 0x55
	}
	if err := writeFile(fsys, path, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return true
}

// restored returns a store whose list of tables can't be read, and has no copy, with files that
// were removed.
func restored(t *testing.T, disk vfs.FS, dir string, files map[string][]byte) *vfs.MemFS {
	t.Helper()
	to := cloneTree(t, disk)
	for name, data := range files {
		if err := writeFile(to, name, bytes.NewReader(bytes.Clone(data))); err != nil {
			t.Fatal(err)
		}
	}
	if !smearList(t, to, dir) {
		t.Fatal("the list of tables is missing")
	}
	dropCopies(t, to, dir)
	return to
}

// readable returns how many profiles Verify can read.
func readable(t *testing.T, disk vfs.FS, dir string) int {
	t.Helper()
	v, err := Verify(t.Context(), dir, disk, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return int(v.Profiles - v.Lost)
}

// A kill leaves tables and logs that were replaced, any of them: without the list of tables,
// the newest version of each key counts all the same.
func TestReplacedTables(t *testing.T) {
	c := newCrashFS(t)
	replaced := map[string][]byte{}
	c.before = func(op string) {
		if name, ok := strings.CutPrefix(op, "remove "); ok && (strings.HasSuffix(name, tableExt) || strings.HasSuffix(name, ".log")) {
			replaced[name] = readMem(t, c.FS, name)
		}
	}
	const dir, all = "/data/store", 64
	s := open(t, dir, Options{FS: c})
	n := 0
	putSome := func(k int) {
		for range k {
			n++
			put(t, s, killRecord(n))
		}
	}
	for round := range 4 {
		putSome(all / 8)
		if err := s.kv.db.Flush(); err != nil {
			t.Fatal(err)
		}
		snap := s.kv.db.NewSnapshot() // versions before it keep their numbers
		putSome(all / 8)
		err := s.Pack(t.Context())
		if round%2 == 1 {
			err = s.Compact(t.Context())
		}
		if err := cmp.Or(err, snap.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.kv.db.TestOnlyWaitForCleaning() // tables are removed in the background
	disk := c.stop(t)
	closeStore(t, s)
	names := slices.Sorted(maps.Keys(replaced))
	if len(names) < 6 {
		t.Fatalf("only %q were replaced", names)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var err error
	for i := range len(names) + 16 {
		some := map[string][]byte{}
		for k, name := range names {
			if i == k || i >= len(names) && r.IntN(2) == 0 {
				some[name] = replaced[name]
			}
		}
		if got := readable(t, restored(t, disk, dir, some), dir); got != all {
			t.Errorf("with %q of %q: %d profiles can be read, want %d", slices.Sorted(maps.Keys(some)), names, got, all)
		}
		// Nothing is left of the lists but their copies.
		wiped := cloneTree(t, disk)
		for name, data := range some {
			if err := writeFile(wiped, name, bytes.NewReader(bytes.Clone(data))); err != nil {
				t.Fatal(err)
			}
		}
		wipeLists(t, wiped, dir)
		found, problems := Verified{}, []string{}
		if found, err = Verify(t.Context(), dir, wiped, func(p string) { problems = append(problems, p) }); err != nil || found != (Verified{Profiles: all}) {
			t.Errorf("by copies, with %q of %q: %+v, %v, %q", slices.Sorted(maps.Keys(some)), names, found, err, problems)
		}
	}
}

// A kill leaves a table that is half written. What it has is in the log, too, with what it
// doesn't have.
func TestHalfFlushed(t *testing.T) {
	c := newCrashFS(t)
	const dir, all = "/data/store", 60
	s := open(t, dir, Options{FS: c})
	for n := range all {
		put(t, s, killRecord(n+1))
	}
	disk := cloneTree(t, c.FS)
	if err := s.kv.db.Flush(); err != nil {
		t.Fatal(err)
	}
	l, err := listFiles(c.FS, dir)
	if err != nil || len(l.tables) != 1 {
		t.Fatalf("%v, %v", l, err)
	}
	for _, name := range l.tables {
		path := c.PathJoin(dir, name)
		data := readMem(t, c.FS, path)
		for part := range 8 {
			half := map[string][]byte{path: data[:len(data)*part/8]}
			if got := readable(t, restored(t, disk, dir, half), dir); got != all {
				t.Errorf("with %d/8 of a table: %d profiles can be read, want %d", part, got, all)
			}
		}
	}
	closeStore(t, s)
}

// The list of tables as it was at an earlier time is not taken for that of now, unless the logs
// have all that came since.
func TestEarlierList(t *testing.T) {
	c := newCrashFS(t)
	const dir = "/data/store"
	lists := map[string]bool{} // as they were written
	points := 0
	c.before = func(string) {
		points++
		l, err := listFiles(c.FS, dir)
		if err != nil {
			return // it is being made
		}
		name, err := currentManifest(c.FS, dir)
		if err != nil || name == "" {
			return
		}
		// A kill at any time leaves a list that logs go on from.
		if m := readManifest(c.FS, dir, name); m.problem == nil && l.logs[m.minLog] != "" && !m.covers(c.FS, dir, l) {
			t.Errorf("logs don't go on from the list: %+v", m)
		}
		lists[string(readMem(t, c.FS, c.PathJoin(dir, name)))] = true
	}
	s := open(t, dir, Options{FS: c})
	n := 0
	for round := range 6 {
		for range 2 {
			n++
			put(t, s, killRecord(n))
		}
		err := s.kv.db.Flush()
		if round%3 == 2 {
			err = s.Compact(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := c.stop(t)
	closeStore(t, s)
	name, err := currentManifest(killed, dir)
	if err != nil {
		t.Fatal(err)
	}
	dropCopies(t, killed, dir)
	dropCopies(t, c.FS, dir)
	refused := 0
	for how, disk := range map[string]vfs.FS{"killed": killed, "closed": c.FS} {
		for list := range lists {
			for _, rest := range []string{"12345678", "1234\x05\x00\x0112345"} { // is torn, and can't be read
				if err := writeFile(disk, disk.PathJoin(dir, name), strings.NewReader(list+rest)); err != nil {
					t.Fatal(err)
				}
				l, err := listFiles(disk, dir)
				if err != nil {
					t.Fatal(err)
				}
				if readManifest(disk, dir, name).uncertain(disk, dir, l) != nil {
					refused++
				}
				if got := readable(t, disk, dir); got != n {
					t.Errorf("%s, a list of %d bytes: %d profiles can be read, want %d", how, len(list), got, n)
				}
			}
		}
	}
	if refused < 4 || points < 50 {
		t.Errorf("%d lists of %d were refused, at %d points", refused, len(lists), points)
	}
}

// A list of tables that was cut, wherever that is, is not taken for that of a store with fewer
// tables.
func TestCutList(t *testing.T) {
	c := newCrashFS(t)
	const dir, all = "/data/store", 8
	s := open(t, dir, Options{FS: c})
	for n := range all {
		put(t, s, killRecord(n+1))
	}
	if err := cmp.Or(s.kv.db.Flush(), s.Compact(t.Context())); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	name, err := currentManifest(c.FS, dir)
	if err != nil {
		t.Fatal(err)
	}
	dropCopies(t, c.FS, dir)
	path := c.PathJoin(dir, name)
	list := readMem(t, c.FS, path)
	for size := range list {
		if err := writeFile(c.FS, path, bytes.NewReader(bytes.Clone(list[:size]))); err != nil {
			t.Fatal(err)
		}
		l, err := listFiles(c.FS, dir)
		if err != nil {
			t.Fatal(err)
		}
		if readManifest(c.FS, dir, name).uncertain(c.FS, dir, l) != nil && size%16 != 0 {
			continue
		}
		if got := readable(t, c.FS, dir); got != all {
			t.Errorf("cut to %d bytes of %d: %d profiles can be read, want %d", size, len(list), got, all)
		}
	}
}

// A recovery is killed ahead of each thing that it changes on the disk: the next start brings
// all back, also where the list of the new store's tables is damaged then, too.
func TestKilledAtEachStep(t *testing.T) {
	const dir, before = "/data/store", 12
	c := newCrashFS(t)
	s := open(t, dir, Options{FS: c})
	for n := range before {
		put(t, s, killRecord(n+1))
		if n == before/2 {
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c = &crashFS{FS: restored(t, c.stop(t), dir, nil)}
	closeStore(t, s)
	type point struct {
		op    string
		disk  *vfs.MemFS
		acked int64
	}
	var points []point
	var acked atomic.Int64
	acked.Store(before)
	c.before = func(op string) { points = append(points, point{op, cloneTree(t, c.FS), acked.Load()}) }
	s = open(t, dir, Options{FS: c, Recover: true})
	for n := range 4 {
		put(t, s, killRecord(before+n+1))
		acked.Add(1)
	}
	recovered(t, s)
	c.stop(t)
	closeStore(t, s)
	for i, p := range points {
		again := i%2 == 1 && smearList(t, p.disk, dir)
		s, err := Open(dir, Options{FS: p.disk, Recover: true, PackAfter: -1})
		if err != nil {
			t.Errorf("killed before %s: %v", p.op, err)
			continue
		}
		recovered(t, s)
		if st := s.Stats(); st.Profiles < p.acked || len(st.Aside) > 0 {
			t.Errorf("killed before %s (damaged again: %v): %d profiles are there of %d; set aside: %v", p.op, again, st.Profiles, p.acked, st.Aside)
		}
		closeStore(t, s)
	}
	if len(points) < 40 {
		t.Errorf("there are only %d steps", len(points))
	}
}
