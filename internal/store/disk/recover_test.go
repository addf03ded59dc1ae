package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	pebblerec "github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// A log that is damaged in its middle costs what can't be read of it, and no more:
// the rest is served at once, and what comes after the damage a little later.
func TestLogGap(t *testing.T) {
	sm := newSample(t)
	logs, err := filepath.Glob(filepath.Join(sm.dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(slices.Max(logs))
	before := contents(t, sm.dir)
	for _, how := range []string{"smeared", "missing", "headers smeared near its end"} {
		t.Run(how, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			copyDir(t, sm.dir, dir)
			path := filepath.Join(dir, name)
			data := []byte(before[name])
			// In the middle of one record, or of a block, which is of many.
			switch how {
			case "smeared":
				data[2000] ^= 5
			case "missing":
				clear(data[chunkBlock/4 : chunkBlock/2])
			default:
				// No block begins behind it.
				end := endOfLog(t, name, data)
				for i := range 1500 {
					data[int(end)-8000+i] ^= 0x55
				}
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			damaged := contents(t, dir)
			// Nothing is thrown away by who only looks.
			if _, err := Open(dir, Options{PackAfter: -1}); !errors.Is(err, errRepair) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v", err)
			}
			wantKept(t, damaged, dir)
			s := open(t, dir, Options{Recover: true})
			dirs := recovered(t, s)
			if len(dirs) != 1 || dirs[0] != dir+".damaged" {
				t.Fatalf("moved to %q", dirs)
			}
			wantKept(t, damaged, dirs[0])
			r := s.Recoveries()[0]
			if !strings.Contains(r.Problem, name) || strings.Contains(r.Problem, "repair") || r.Lost == 0 && how != "smeared" {
				t.Errorf("%+v", r)
			}
			n := sm.wantParts(t, s, func(rec store.Record) bool { return !sm.inLog[rec.ID] })
			inLog := 0
			for _, is := range sm.inLog {
				if is {
					inLog++
				}
			}
			if lost := len(sm.records) - n; lost == 0 || lost > map[string]int{"smeared": 1, "missing": inLog / 2, "headers smeared near its end": inLog / 20}[how] {
				t.Errorf("%d profiles of %d in the log are lost", lost, inLog)
			}
			if aside := s.Stats().Aside; len(aside) > 0 {
				t.Errorf("set aside: %+v", aside)
			}
			closeStore(t, s)
			if p := verify(t, dir, nil); len(p) > 0 {
				t.Errorf("afterwards: %q", p)
			}
			// It is brought back once.
			s = open(t, dir, Options{Recover: true})
			if r := s.Recoveries(); len(r) > 0 {
				t.Errorf("again: %+v", r)
			}
			closeStore(t, s)
		})
	}
}

// endOfLog returns where a log ends. It is written over an older one.
func endOfLog(t *testing.T, name string, data []byte) (end int64) {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimSuffix(name, ".log"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	r := newChunkReader(bytes.NewReader(data), n)
	for {
		if _, err := r.next(); err != nil {
			if end == 0 || end%chunkBlock < 8000 {
				t.Fatalf("%s: the log ends at byte %d, %v", name, end, err)
			}
			return end
		}
		end = r.start + int64(r.at)
	}
}

// One wrong bit of a log or of the list of tables costs nothing, wherever it is.
func TestBitsOfLogs(t *testing.T) {
	sm := newSample(t)
	whole := contents(t, sm.dir)
	var names []string
	for name := range whole {
		if strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "MANIFEST") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(8, 9))
	for _, name := range names {
		for trial := range 8 {
			if testing.Short() && trial%3 != 1 {
				continue
			}
			data := []byte(whole[name])
			// Logs are longer than what is in them.
			end := len(bytes.TrimRight(data, "\x00"))
			at := r.IntN(end)
			switch trial {
			case 0, 1: // the header of the first chunk
				at = r.IntN(chunkHeader)
			case 2: // the length
				at = 4 + r.IntN(2)
			case 3: // the end
				at = end - 1 - r.IntN(chunkHeader)
			}
			data[at] ^= 1 << r.IntN(8)
			dir := filepath.Join(t.TempDir(), "d")
			copyDir(t, sm.dir, dir)
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
			at2 := fmt.Sprintf("%s, byte %d of %d", name, at, end)
			all := int64(len(sm.records))
			if found, err := Verify(t.Context(), dir, nil, func(string) {}); err != nil || found != (Verified{Profiles: all}) {
				t.Errorf("%s: verify says %+v, %v", at2, found, err)
			}
			s := open(t, dir, Options{Recover: true})
			if r := s.Recoveries(); len(r) > 0 {
				t.Errorf("%s: it was moved aside: %+v", at2, r)
			}
			if st := s.Stats(); st.Profiles != all || len(st.Aside) > 0 {
				t.Errorf("%s: %d profiles of %d, set aside: %v", at2, st.Profiles, all, st.Aside)
			}
			for _, text := range s.Stats().Damaged {
				kept := "damaged-" + name
				if b, err := os.ReadFile(filepath.Join(dir, kept)); !strings.Contains(text, kept) || err != nil || string(b) != string(data) {
					t.Errorf("%s: %s, %v", at2, text, err)
				}
			}
			if trial == 7 {
				sm.wantParts(t, s, func(store.Record) bool { return true })
			}
			closeStore(t, s)
			s = open(t, dir, Options{})
			if st := s.Stats(); st.Profiles != all || len(st.Damaged) > 0 {
				t.Errorf("%s: afterwards: %d profiles of %d, damaged: %q", at2, st.Profiles, all, st.Damaged)
			}
			closeStore(t, s)
		}
	}
}

// A recovery goes on at the next start, whenever it was interrupted, and what comes in
// meanwhile is kept.
func TestRecoveryInterrupted(t *testing.T) {
	sm := newSample(t)
	manifests, err := filepath.Glob(filepath.Join(sm.dir, "MANIFEST-*"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "d")
	copyDir(t, sm.dir, dir)
	manifest := filepath.Join(dir, filepath.Base(manifests[0]))
	if err := os.Truncate(manifest, 100); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	since := time.Now().Truncate(time.Second)
	// Killed right after the move.
	o := Options{PackAfter: -1}
	o.fill()
	if err := moveAside(&o, dir, fmt.Errorf("the list of tables\nis damaged: %w", errRepair)); err != nil {
		t.Fatal(err)
	}
	fresh := record(t, 1_000_000, "api", "new", 7*24*time.Hour+8*time.Hour)
	s := open(t, dir, Options{Recover: true})
	aside := s.Stats().Aside
	put(t, s, fresh)
	closeStore(t, s) // most likely in the midst of it
	if len(aside) == 0 || !aside[0].Returning || aside[0].Since.Before(since) || !strings.Contains(aside[0].Problem, "the list of tables is damaged") {
		t.Errorf("set aside: %+v", aside)
	}
	s = open(t, dir, Options{Recover: true})
	dirs := recovered(t, s)
	if len(dirs) == 1 {
		wantKept(t, before, dirs[0])
	} else if _, err := os.Stat(dir + ".damaged"); err != nil {
		t.Error(err)
	}
	sm.records[fresh.ID] = fresh
	if n := sm.wantParts(t, s, func(store.Record) bool { return true }); n != len(sm.records) {
		t.Errorf("%d profiles of %d are there", n, len(sm.records))
	}
	if left, _ := filepath.Glob(dir + "*"); len(left) != 2 {
		t.Errorf("left are %q", left)
	}
	if aside := s.Stats().Aside; len(aside) > 0 {
		t.Errorf("set aside: %+v", aside)
	}
	closeStore(t, s)
}

// Where nobody knows how much is lost, nobody says that it is nothing.
func TestUnknownLoss(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := open(t, dir, Options{})
	put(t, s, records(t, 3)...)
	copyDir(t, dir, dir+"2")
	closeStore(t, s)
	dir += "2"
	// All of it is in one log, and not much longer than this.
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%q, %v", logs, err)
	}
	data, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-10] ^= 3 // one bit would be put right
	clear(data[100:200])
	if err := os.WriteFile(logs[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := Verify(t.Context(), dir, nil, func(p string) { t.Log(p) })
	if err != nil || !found.Unsure || !strings.Contains(found.String(), "unknown") {
		t.Errorf("%v (%+v), %v", found, found, err)
	}
	done, err := Repair(t.Context(), dir, Options{}, func(string) {})
	if err != nil || !done.Unsure || !strings.Contains(done.String(), "unknown") && done.Lost == 0 {
		t.Errorf("%v (%+v), %v", done, done, err)
	}
	for v, want := range map[Verified]string{
		{Profiles: 5, Lost: 2}:               "profiles: 5; 2 of them can't be read",
		{Profiles: 5, Lost: 2, Unsure: true}: "profiles known of: 5; at least 2 of them can't be read",
		{Profiles: 5, Unsure: true}:          "profiles that can be read: 5; how many can't is unknown",
	} {
		if v.String() != want {
			t.Errorf("got %v, want %s", v, want)
		}
	}
}

// logWriter calls a function of Pebble whose parameter has a type that only Pebble can
// name.
func logWriter[Number ~uint64](f func(io.Writer, Number, pebblerec.LogWriterConfig) *pebblerec.LogWriter, w io.Writer, n int, c pebblerec.LogWriterConfig) *pebblerec.LogWriter {
	return f(w, Number(n), c)
}

// A crash leaves two logs while what is in the first is written to tables, and the last one
// without its end. Neither is damage.
func TestLogsOfCrash(t *testing.T) {
	const number = 5
	dir := "d"
	batch := func(seq, changes int, value byte) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(seq))
		b = binary.LittleEndian.AppendUint32(b, uint32(changes))
		for range changes {
			b = append(b, versionSet, 1, 'k', 1, value)
		}
		return b
	}
	// log returns what Pebble writes to a log.
	log := func(fsys vfs.FS, n int, closed bool, records ...[]byte) []byte {
		t.Helper()
		name := fsys.PathJoin(dir, "whole")
		f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		w := logWriter(pebblerec.NewLogWriter, f, n, pebblerec.LogWriterConfig{WriteWALSyncOffsets: func() bool { return true }})
		for _, rec := range records {
			if _, err := w.WriteRecord(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		from, err := fsys.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		data, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if !closed {
			data = data[:len(data)-chunkHeader-4]
		}
		return data
	}
	fsys := vfs.NewMem()
	if err := fsys.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	older := log(fsys, 2, true, batch(1, 50, 'x'), batch(51, 50, 'x')) // what a log is written over
	over := func(data []byte) []byte { return append(bytes.Clone(data), older[len(data):]...) }
	one, two := log(fsys, number, false, batch(200, 1, 'v')), log(fsys, number, false, batch(200, 1, 'v'), batch(201, 1, 'v'))
	closed := log(fsys, number, true, batch(200, 1, 'v'))
	next := log(fsys, number+1, false, batch(202, 1, 'v'))
	for name, c := range map[string]struct {
		logs [][]byte // from number on
		gap  bool
	}{
		"closed, and the next one":              {[][]byte{closed, next}, false},
		"closed over another, and the next one": {[][]byte{over(closed), over(next)}, false},
		"torn":                                  {[][]byte{two[:len(two)-3]}, false},
		"torn over another":                     {[][]byte{over(two[:len(two)-3])}, false},
		"torn at its start":                     {[][]byte{one[:len(one)-3]}, false},
		"torn, and an empty one":                {[][]byte{two[:len(two)-3], {}}, false},
		"torn, and the next one":                {[][]byte{two[:len(two)-3], next}, true},
	} {
		l := &listing{logs: map[uint64]string{}}
		for i, data := range c.logs {
			file := fmt.Sprintf("%06d.log", number+i)
			if err := writeFile(fsys, fsys.PathJoin(dir, file), bytes.NewReader(bytes.Clone(data))); err != nil {
				t.Fatal(err)
			}
			l.logs[uint64(number+i)] = file
		}
		if g, err := findGap(fsys, dir, l, &manifest{}, nil); err != nil || (g != nil) != c.gap {
			t.Errorf("%s: gap %v, %v, want one: %v", name, g, err, c.gap)
		}
	}
}

// copyInUse copies a store that is open, as a crash would leave it.
func copyInUse(t *testing.T, from, to string) {
	t.Helper()
	for {
		err := os.CopyFS(to, os.DirFS(from))
		if err == nil {
			return
		}
		// Files that are of no use any more are removed in the background.
		if rerr := os.RemoveAll(to); rerr != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err, rerr)
		}
	}
}

// A kill may tear the manifest's last edit, also where the log that the others name was
// never made.
func TestTornManifest(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "a"), Options{})
	recs := records(t, 6)
	put(t, s, recs...)
	copyInUse(t, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	closeStore(t, s)
	b := filepath.Join(dir, "b")
	s = open(t, b, Options{}) // which writes what is in the log to a table
	copyInUse(t, b, filepath.Join(dir, "c"))
	closeStore(t, s)
	c := filepath.Join(dir, "c")
	l, err := listFiles(vfs.Default, c)
	if err != nil {
		t.Fatal(err)
	}
	name, err := currentManifest(vfs.Default, c)
	if err != nil {
		t.Fatal(err)
	}
	if m := readManifest(vfs.Default, c, name); m.problem != nil || l.logs[m.minLog] != "" {
		t.Fatalf("log %d of %v, %v: want one that was never made", m.minLog, l.logs, m.problem)
	}
	f, err := os.OpenFile(filepath.Join(c, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte{1, 2, 3, 4, 200, 0, chunkFull, 9, 9, 9}) // of 200 bytes
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, c, Options{})
	defer closeStore(t, s)
	wantSame(t, s, recs)
}
