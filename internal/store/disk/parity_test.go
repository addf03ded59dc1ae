package disk

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A smear of up to a page of a table costs nothing, wherever it is: in the data, in the
// index, at the end, at the border of blocks or of strips.
func TestSmears(t *testing.T) {
	sm := newSample(t)
	tables, err := filepath.Glob(filepath.Join(sm.dir, "*"+tableExt))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, path := range tables {
		want := readAll(t, path)
		data := []byte(contents(t, sm.dir)[filepath.Base(path)])
		size := int64(len(data))
		for trial := range 40 {
			n := min([]int64{16, 512, page - 1, page}[trial%4], size)
			at := r.Int64N(size - n + 1)
			switch trial / 4 {
			case 0:
				at = size - n
			case 1:
				at = 0
			case 2:
				at = max(0, min(minStrip-n/2, size-n))
			}
			hurt := slices.Clone(data)
			for i := at; i < at+n; i++ {
				switch trial % 3 {
				case 0:
					hurt[i] = byte(r.Uint32())
				case 1:
					hurt[i] = 0
				default:
					hurt[i] ^= 0x55
				}
			}
			if err := os.WriteFile(path, hurt, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, path); !slices.EqualFunc(got, want, func(a, b version) bool {
				return a.seq == b.seq && a.kind == b.kind && bytes.Equal(a.key, b.key) && bytes.Equal(a.value, b.value)
			}) {
				t.Fatalf("%s, %d bytes at %d of %d: %d keys, want %d", filepath.Base(path), n, at, size, len(got), len(want))
			}
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readAll returns all that a table has.
func readAll(t *testing.T, path string) (out []version) {
	t.Helper()
	tab, err := openTable(vfs.Default, filepath.Dir(path), filepath.Base(path), func(p string) { t.Error(p) }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tab.blocks {
		rows, err := tab.load(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rows...)
	}
	for _, d := range tab.tombs {
		out = append(out, version{key: d.start, value: d.end, seq: d.seq})
	}
	return out
}

// Several smears cost nothing if they are not at the same place of their strips, and what a
// parity file can't put right is left alone.
func TestWounds(t *testing.T) {
	const size = 100_000
	data := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	c := combiner{sum: make([]byte, maxStrip)}
	for part := range slices.Chunk(data, 777) {
		c.Write(part)
	}
	mem := vfs.NewMem()
	if err := writeFile(mem, "000001.parity", bytes.NewReader(c.parity())); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		smears [][2]int64
		healed bool
	}{
		"none":                        {nil, false},
		"one byte":                    {[][2]int64{{99_999, 1}}, true},
		"a page":                      {[][2]int64{{50_001, page}}, true},
		"over the border of a strip":  {[][2]int64{{2*minStrip - 7, 20}}, true},
		"two apart":                   {[][2]int64{{100, 100}, {2*minStrip + 1000, 100}}, true},
		"two near each other":         {[][2]int64{{100, 100}, {300, 100}}, true},
		"two at one place of strips":  {[][2]int64{{100, 100}, {2*minStrip + 100, 100}}, false},
		"longer than a strip":         {[][2]int64{{100, minStrip + 1}}, false},
		"many":                        {[][2]int64{{10, 20}, {minStrip + 200, 30}, {3*minStrip + 1000, 40}, {9*minStrip + 2000, 10}}, true},
		"one at the end and one more": {[][2]int64{{10 * minStrip, 50}, {12*minStrip - 50, 50}}, true},
	} {
		hurt := bytes.Clone(data)
		for _, s := range c.smears {
			for i := range s[1] {
				hurt[s[0]+i] ^= byte(1 + (s[0]+i)%255)
			}
		}
		if err := writeFile(mem, "000001.sst", bytes.NewReader(bytes.Clone(hurt))); err != nil {
			t.Fatal(err)
		}
		f, err := openTableFile(mem, "000001.sst")
		if err != nil {
			t.Fatal(err)
		}
		w, err := findWound(mem, "000001.sst", f.File)
		if err != nil || w == nil {
			t.Fatalf("%s: %v, %v", name, w, err)
		}
		for _, s := range c.smears {
			from := max(0, s[0]-100)
			to := min(s[0]+s[1]+100, size)
			got, want := bytes.Clone(hurt[from:to]), data[from:to]
			if len(c.smears) > 1 { // the others are in blocks of their own
				from, to = s[0], s[0]+s[1]
				got, want = bytes.Clone(hurt[from:to]), data[from:to]
			}
			before := bytes.Clone(got)
			wrong := w.heal(got, from, func() bool { return bytes.Equal(got, want) })
			if (wrong > 0) != c.healed || !c.healed && !bytes.Equal(got, before) || c.healed && int64(wrong) != s[1] {
				t.Errorf("%s: %d bytes at %d: %d are put right", name, s[1], s[0], wrong)
			}
		}
		f.Close()
	}
	for i, b := range [][]byte{nil, {1}, c.parity()[1:], make([]byte, 100)} {
		if err := writeFile(mem, "000001.parity", bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		if strip, _, err := readParity(mem, "000001.parity"); strip != nil || err == nil {
			t.Errorf("damaged file %d is taken for a good one", i)
		}
	}
}

// badDisk is a file system with a page that can't be read, as a disk with a bad sector has.
type badDisk struct {
	vfs.FS
	name string
	at   int64
}

func (d badDisk) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.Open(name, opts...)
	if err == nil && filepath.Base(name) == d.name {
		f = badFile{f, d.at}
	}
	return f, err
}

type badFile struct {
	vfs.File
	at int64
}

func (f badFile) ReadAt(p []byte, at int64) (int, error) {
	if at < f.at+page && f.at < at+int64(len(p)) {
		return 0, &os.PathError{Op: "read", Path: "table", Err: syscall.EIO}
	}
	return f.File.ReadAt(p, at)
}

// A sector that the disk can't read costs nothing.
func TestBadSector(t *testing.T) {
	sm := newSample(t)
	for name, data := range contents(t, sm.dir) {
		if !strings.HasSuffix(name, tableExt) {
			continue
		}
		for at := int64(0); at < int64(len(data)); at += 4 * page {
			disk := badDisk{vfs.Default, name, at}
			tab, err := openTable(disk, sm.dir, name, func(p string) { t.Errorf("page at %d: %s", at, p) }, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			for i := range tab.blocks {
				if _, err := tab.load(i); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A parity file that a kill left missing or torn is written after the next start.
func TestParityWrittenLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := open(t, dir, Options{})
	for n := range 3 {
		put(t, s, killRecord(n+1))
		if err := s.kv.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	tables, err := filepath.Glob(filepath.Join(dir, "*"+tableExt))
	if err != nil || len(tables) < 3 {
		t.Fatalf("%q, %v", tables, err)
	}
	whole := contents(t, dir)
	for i, err := range []error{os.Remove(parityName(tables[0])), os.Truncate(parityName(tables[1]), 100), os.WriteFile(parityName(tables[2]), nil, 0o644)} {
		if err != nil {
			t.Fatal(i, err)
		}
	}
	s = open(t, dir, Options{PackAfter: time.Hour})
	for range 2 { // the second time it has nothing to do
		if err := s.upkeep.maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	now := contents(t, dir)
	for _, path := range tables {
		if name := filepath.Base(parityName(path)); now[name] != whole[name] {
			t.Errorf("%s has %d bytes, want %d as before", name, len(now[name]), len(whole[name]))
		}
	}
	closeStore(t, s)
}

// lowestRead is a file that notes the lowest offset that is read of it.
type lowestRead struct {
	vfs.File
	at int64
}

func (f *lowestRead) ReadAt(p []byte, at int64) (int, error) {
	f.at = min(f.at, at)
	return f.File.ReadAt(p, at)
}

// Opening a whole table reads its index and what is behind it, and none of its data: a start
// opens all tables.
func TestCheckIndexReadsNoData(t *testing.T) {
	sm := newSample(t)
	tables, err := filepath.Glob(filepath.Join(sm.dir, "*"+tableExt))
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables", err)
	}
	for _, path := range tables {
		tab, err := openTable(vfs.Default, sm.dir, filepath.Base(path), func(p string) { t.Error(p) }, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		data := int64(0) // its end
		for _, b := range tab.blocks {
			data = max(data, b.at+int64(b.size)+blockTrailer)
		}
		f, err := openTableFile(vfs.Default, path)
		if err != nil {
			t.Fatal(err)
		}
		read := &lowestRead{f.File, f.size}
		f.File = read
		if err := f.checkIndex(); err != nil {
			t.Error(err)
		}
		if read.at < data {
			t.Errorf("%s: read from byte %d on, its data ends at %d of %d", filepath.Base(path), read.at, data, f.size)
		}
		f.Close()
	}
}
