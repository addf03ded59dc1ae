package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// base is the start of a day.
const base = int64(1_789_948_800_000_000_000)

// record returns record n of a series, at a time after base.
func record(t testing.TB, n int, service, instance string, at time.Duration) store.Record {
	t.Helper()
	ls, err := store.NewLabels(store.Label{Name: store.LabelService, Value: service}, store.Label{Name: store.LabelKind, Value: "heap"},
		store.Label{Name: store.LabelInstance, Value: instance})
	if err != nil {
		t.Fatal(err)
	}
	r := store.Record{Labels: ls, Time: base + int64(at), Duration: int64(10 * time.Second),
		Profile: storetest.Generate(rand.New(rand.NewPCG(uint64(n), 1)), "heap", 40)}
	copy(r.ID[:], fmt.Sprintf("%016d", n))
	return r
}

// records returns n records of two services with two instances, two minutes
// apart.
func records(t testing.TB, n int) []store.Record {
	out := make([]store.Record, n)
	for i := range out {
		out[i] = record(t, i, fmt.Sprint("s", i%2), fmt.Sprint("i", i/2%2), time.Duration(i)*2*time.Minute)
	}
	return out
}

func put(t testing.TB, s store.Store, records ...store.Record) {
	t.Helper()
	if err := s.Put(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

// wantSame fails unless a store answers as the model does that has the records.
func wantSame(t testing.TB, s store.Store, records []store.Record) {
	t.Helper()
	model := storetest.NewModel()
	put(t, model, records...)
	hour := int64(time.Hour)
	for _, q := range []store.Query{
		{}, {By: []string{"service"}}, {By: []string{"service", "instance"}}, {Step: hour}, {Step: 24 * hour}, {From: base + hour/2, To: base + 5*hour/2},
		{SampleType: "inuse_space", From: base + hour},
	} {
		got, err := s.Merge(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		want, err := model.Merge(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%+v: %d groups, want %d", q, len(got), len(want))
		}
		for i := range got {
			if d := storetest.Diff(got[i].Profile, want[i].Profile); d != "" {
				t.Fatalf("%+v: group %v at %d: %s", q, got[i].Labels, got[i].Time, d)
			}
			g, w := got[i].Total, want[i].Total
			if g.Version, w.Version = 0, 0; g != w {
				t.Fatalf("%+v: group %v: total %+v, want %+v", q, got[i].Labels, g, w)
			}
		}
	}
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// verify returns the problems of a store.
func verify(t testing.TB, dir string, fsys vfs.FS) (problems []string) {
	t.Helper()
	if _, err := Verify(t.Context(), dir, fsys, func(p string) { problems = append(problems, p) }); err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestServices counts packed and unpacked profiles of services, in two weeks.
func TestServices(t *testing.T) {
	s := open(t, t.TempDir(), Options{PackAfter: -1})
	defer s.Close()
	if got, err := s.Services(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("of an empty store: %+v, %v", got, err)
	}
	var all []store.Record
	for i := range 60 {
		service := "few"
		if i%3 > 0 {
			service = "many"
		}
		all = append(all, record(t, i, service, "i", time.Duration(i%2)*8*24*time.Hour+time.Duration(i)*time.Minute))
	}
	put(t, s, all...)
	check := func() {
		t.Helper()
		if err := s.kv.db.Flush(); err != nil {
			t.Fatal(err)
		}
		got, err := s.Services(t.Context())
		if err != nil || len(got) != 2 || got[0].DiskBytes < got[1].DiskBytes {
			t.Fatalf("%+v, %v", got, err)
		}
		few, many := got[0], got[1]
		if few.Service == "many" {
			few, many = many, few
		}
		if few.Service != "few" || many.Service != "many" || few.Profiles != 20 || many.Profiles != 40 || few.SampleBytes <= 0 || many.SampleBytes <= few.SampleBytes {
			t.Errorf("%+v", got)
		}
		if disk := s.Stats().LiveBytes; got[1].DiskBytes <= 0 || got[0].DiskBytes+got[1].DiskBytes > disk {
			t.Errorf("sizes %+v of %d on disk", got, disk)
		}
	}
	check()
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	check()
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	defer s.Close()
	_, err := Open(dir, Options{})
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "another process has it open") {
		t.Errorf("got %v", err)
	}
}

func TestOtherFormat(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem})
	if err := s.kv.db.Set([]byte{format.KindFormat}, []byte{9, 1, 2, 3}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	_, err := Open("d", Options{FS: mem})
	if err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("got %v", err)
	}
}

func TestRetention(t *testing.T) {
	now := time.Unix(0, base).Add(30 * time.Hour)
	mem := vfs.NewMem()
	o := Options{FS: mem, Now: func() time.Time { return now }}
	all := records(t, 900) // 30 hours
	s := open(t, "d", o)
	put(t, s, all[:600]...)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, all[600:]...)
	keep := func(r Options) {
		t.Helper()
		closeStore(t, s)
		s = open(t, "d", r)
		s.rewrites.Lock()
		err := s.retention.retain(t.Context())
		s.rewrites.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	wantFrom := func(h time.Duration) {
		t.Helper()
		var rest []store.Record
		for _, r := range all {
			if r.Time >= base+int64(h) {
				rest = append(rest, r)
			}
		}
		wantSame(t, s, rest)
	}
	// A profile stays until its whole hour has expired.
	o.Retention = 25*time.Hour + 30*time.Minute
	keep(o)
	wantFrom(4 * time.Hour)
	// What comes late is kept unless it would be dropped at once.
	err := s.Put(t.Context(), []store.Record{record(t, 1, "s0", "i0", 3*time.Hour)})
	if !errors.Is(err, store.ErrExpired) {
		t.Errorf("got %v", err)
	}
	late := record(t, 10_000, "s0", "i0", 4*time.Hour+5*time.Minute)
	put(t, s, late)
	all = append(all, late)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantFrom(4 * time.Hour)
	closeStore(t, s)
	if p := verify(t, "d", mem); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
	s = open(t, "d", o)
	// The last hour takes all of the partition with it.
	now = now.Add(60 * time.Hour)
	keep(o)
	if st := s.Stats(); st.Profiles != 0 || st.Partitions != 0 {
		t.Errorf("got %+v", st)
	}
	n := 0
	if err := scan(s.kv.db, []byte{0}, []byte{0xff}, func(key, value []byte) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d keys are left: %v", n, err)
	}
	closeStore(t, s)
}

func TestRetentionBySize(t *testing.T) {
	now := time.Unix(0, base).Add(30 * time.Hour)
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem, Now: func() time.Time { return now }})
	put(t, s, records(t, 900)...)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := s.Stats()
	s.o.MaxBytes = before.LiveBytes / 2
	s.rewrites.Lock()
	err := s.retention.retain(t.Context())
	s.rewrites.Unlock()
	after := s.Stats()
	if err != nil || after.LiveBytes > s.o.MaxBytes || after.Profiles == 0 || after.Dropped != before.Profiles-after.Profiles {
		t.Errorf("%v: %+v became %+v", err, before, after)
	}
	sr, err := s.Series(t.Context(), store.Query{})
	if err != nil || len(sr[0].Points) != int(after.Profiles) || sr[0].Points[0].Time%int64(time.Hour) >= int64(2*time.Minute) {
		t.Errorf("hours are not dropped from the oldest on: %v", err)
	}
	closeStore(t, s)
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "a"), Options{})
	all := records(t, 60)
	put(t, s, all[:40]...)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, all[40:50]...)
	if err := s.Backup(t.Context(), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), filepath.Join(dir, "b")); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v", err)
	}
	put(t, s, all[50:]...)
	wantSame(t, s, all)
	closeStore(t, s)
	b := open(t, filepath.Join(dir, "b"), Options{})
	wantSame(t, b, all[:50])
	closeStore(t, b)
}

func TestVerifyFindsNothing(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem})
	all := records(t, 200)
	put(t, s, all[:100]...)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, all[100:]...)
	closeStore(t, s)
	if p := verify(t, "d", mem); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

// Every kind of value is damaged in several ways: queries fail or answer, but
// never panic; Verify tells; and after Repair the rest is there and sound.
func TestDamage(t *testing.T) {
	for _, kind := range format.PerPartition {
		for _, how := range []string{"missing", "empty", "cut", "flipped"} {
			t.Run(fmt.Sprintf("%c/%s", kind, how), func(t *testing.T) {
				mem := vfs.NewMem()
				s := open(t, "d", Options{FS: mem})
				all := records(t, 60)
				put(t, s, all[:40]...)
				if err := s.Pack(t.Context()); err != nil {
					t.Fatal(err)
				}
				put(t, s, all[40:]...)
				var key, value []byte
				if err := scan(s.kv.db, []byte{kind}, []byte{kind + 1}, func(k, v []byte) error {
					key, value = append(key[:0], k...), append(value[:0], v...)
					return nil
				}); err != nil || key == nil {
					t.Fatal(err)
				}
				var err error
				switch how {
				case "missing":
					err = s.kv.db.Delete(key, pebble.Sync)
				case "empty":
					err = s.kv.db.Set(key, nil, pebble.Sync)
				case "cut":
					err = s.kv.db.Set(key, value[:len(value)-1], pebble.Sync)
				case "flipped":
					value[len(value)/2] ^= 0x55
					err = s.kv.db.Set(key, value, pebble.Sync)
				}
				if err != nil {
					t.Fatal(err)
				}
				closeStore(t, s)
				if s, err := Open("d", Options{FS: mem, PackAfter: -1}); err == nil {
					for _, q := range []store.Query{{}, {Step: int64(time.Hour)}, {From: base + int64(20*time.Minute)}, {By: []string{"instance"}}} {
						if _, err := s.Merge(t.Context(), q); err != nil && !strings.Contains(err.Error(), "partition") && !strings.Contains(err.Error(), "service") {
							t.Errorf("the error doesn't tell where: %v", err)
						}
						s.Series(t.Context(), q)
						s.Labels(t.Context(), q)
					}
					s.Close()
				}
				problems := verify(t, "d", mem)
				// Opening describes a partition again by what it has. Ids and the names of labels may be any.
				mended := kind == format.KindPartition && (how == "empty" || how == "cut")
				if len(problems) == 0 && !mended && !((kind == format.KindPartition || kind == format.KindHead) && how == "flipped") {
					t.Errorf("Verify found nothing wrong with %s", format.KeyName(key))
				}
				done, err := Repair(t.Context(), "d", Options{FS: mem}, func(string) {})
				if err != nil {
					t.Fatal(err)
				}
				if p := verify(t, "d", mem); len(p) > 0 {
					t.Errorf("after the repair: %q", p)
				}
				s = open(t, "d", Options{FS: mem})
				if n := s.Stats().Profiles; n != done.Kept {
					t.Errorf("%d profiles are there, %d were kept", n, done.Kept)
				}
				if kind == format.KindRollup || kind == format.KindSums || kind == format.KindSummary {
					wantSame(t, s, all) // nothing is lost
				}
				closeStore(t, s)
			})
		}
	}
}

// Packing meets a profile whose samples are missing: what it is part of is set aside, and the
// other profiles are packed.
func TestPackSetsAside(t *testing.T) {
	s := open(t, "d", Options{FS: vfs.NewMem(), PackAfter: -1})
	defer closeStore(t, s)
	put(t, s, record(t, 0, "api", "a", 0), record(t, 1, "web", "a", 0))
	var first []byte
	err := scan(s.kv.db, []byte{format.KindSamples}, []byte{format.KindSamples + 1}, func(key, _ []byte) error {
		if first == nil {
			first = bytes.Clone(key)
		}
		return nil
	})
	if err := cmp.Or(err, s.kv.db.Delete(first, pebble.Sync), s.Pack(t.Context())); err != nil {
		t.Fatal(err)
	}
	st := s.Stats()
	if len(st.Aside) != 1 || !strings.Contains(st.Aside[0].Problem, "missing") || st.Packed != 1 {
		t.Errorf("%d profiles are packed, and set aside: %v", st.Packed, st.Aside)
	}
}

// After the power fails at any moment, everything that was acknowledged is there,
// once, and everything else is there or not.
func TestPowerLoss(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		mem := vfs.NewCrashableMem()
		s := open(t, "d", Options{FS: mem})
		all := records(t, 120)
		acknowledged := 0
		var clone *vfs.MemFS
		crashAt := 20 + r.IntN(80)
		for i := 0; i < len(all) && clone == nil; i += 4 {
			put(t, s, all[i:i+4]...)
			acknowledged = i + 4
			if r.IntN(6) == 0 {
				if err := s.Pack(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if i >= crashAt {
				// The next one is under way.
				done := make(chan struct{})
				go func() { s.Put(context.Background(), all[i+4:min(i+8, len(all))]); close(done) }()
				clone = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
				<-done
			}
		}
		closeStore(t, s)
		if clone == nil {
			t.Fatal("no crash")
		}
		s = open(t, "d", Options{FS: clone})
		n := int(s.Stats().Profiles)
		if n < acknowledged || n > acknowledged+4 {
			t.Errorf("seed %d: %d profiles are there, %d were acknowledged", seed, n, acknowledged)
		}
		// What is sent again after the crash is kept once.
		put(t, s, all...)
		wantSame(t, s, all)
		closeStore(t, s)
		if p := verify(t, "d", clone); len(p) > 0 {
			t.Errorf("seed %d: %q", seed, p)
		}
	}
}

// smallDisk is a file system without room.
type smallDisk struct {
	vfs.FS
	full  atomic.Bool  // writes fail
	avail atomic.Int64 // what it says is left; 0 is unknown
}

type smallFile struct {
	vfs.File
	d *smallDisk
}

func (d *smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	if n := d.avail.Load(); n != 0 {
		return vfs.DiskUsage{AvailBytes: uint64(n)}, nil
	}
	return vfs.DiskUsage{}, errors.ErrUnsupported
}

func (d *smallDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if d.full.Load() {
		return nil, syscall.ENOSPC
	}
	f, err := d.FS.Create(name, c)
	return &smallFile{f, d}, err
}

func (d *smallDisk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(from, to, c)
	return &smallFile{f, d}, err
}

// Write writes half of what there is no room for, as disks do.
func (f *smallFile) Write(b []byte) (int, error) {
	if f.d.full.Load() {
		n, err := f.File.Write(b[:len(b)/2])
		if err == nil {
			err = syscall.ENOSPC
		}
		return n, err
	}
	return f.File.Write(b)
}

func TestFullDisk(t *testing.T) {
	d := &smallDisk{FS: vfs.NewMem()}
	s := open(t, "d", Options{FS: d})
	all := records(t, 60)
	put(t, s, all[:10]...)

	// Less is left than the reserve.
	d.avail.Store(1 << 20)
	time.Sleep(110 * time.Millisecond) // as long as a look is good for
	if err := s.Put(t.Context(), all[10:11]); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
	wantSame(t, s, all[:10])
	d.avail.Store(1 << 40)
	time.Sleep(110 * time.Millisecond)
	put(t, s, all[10:20]...)

	// Nothing is left, from one moment to the next.
	d.full.Store(true)
	if err := s.Put(t.Context(), all[20:30]); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
	if err := s.Put(t.Context(), all[30:40]); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Merge(t.Context(), store.Query{}); err != nil {
		t.Errorf("reading failed: %v", err)
	}
	d.full.Store(false)
	for { // there is room, as soon as it is noticed
		err := s.Put(t.Context(), all[20:])
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantSame(t, s, all)
	closeStore(t, s)
	s = open(t, "d", Options{FS: d})
	wantSame(t, s, all)

	// It is closed while there is no room.
	late := record(t, 1000, "s0", "i0", time.Hour)
	d.full.Store(true)
	if err := s.Put(t.Context(), []store.Record{late}); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
	s.Close() // it may fail, but it ends
	d.full.Store(false)
	s = open(t, "d", Options{FS: d})
	put(t, s, late)
	wantSame(t, s, append(all, late))
	closeStore(t, s)
}

func TestRoundTripOfEveryField(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "a", Unit: "count"}, profile.ValueType{Type: "b", Unit: "bytes"})
	m1 := b.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x1fff, Offset: 7, File: "/a", BuildID: "id", HasFunctions: true, HasLineNumbers: true})
	m2 := b.Mapping(profile.Mapping{Start: 0x7000, Limit: 0x8000, File: "/b", HasFilenames: true, HasInlineFrames: true})
	f := b.Function("f", "_f", "f.go", 3)
	l1 := b.Location(0x1234, m1, profile.Line{Function: f, Line: -4, Column: 9}, profile.Line{Function: f, Line: 1 << 40})
	l2 := b.Location(0x7abc, m2)
	l3 := b.Location(0, 0, profile.Line{Function: f, Line: 4})
	b.Sample([]uint32{l1, l2, l3}, []profile.Label{{Key: b.String("k"), Str: b.String("v")}, {Key: b.String("n"), Num: -5, Unit: b.String("ms"), Numeric: true}}, -1, 1<<62)
	b.Sample(nil, nil, 5, 0)
	p := b.Profile()
	p.Locations[l1].Folded = true
	p.PeriodType, p.Period, p.DefaultSampleType = profile.ValueType{Type: "p", Unit: "q"}, 3, "a"
	p.Comments, p.DocURL, p.DropFrames, p.KeepFrames = []string{"x", "", "y"}, "http://d", "drop", "keep"
	for _, load := range []uint64{0, 0x5000} {
		for i := range p.Mappings {
			p.Mappings[i].Start += load
			p.Mappings[i].Limit += load
		}
		p.Locations[l1].Address += load
		p.Locations[l2].Address += load
		s := open(t, "d", Options{FS: vfs.NewMem()})
		before := record(t, 2, "s", "i", -3*time.Hour)
		before.Profile = profile.Compact(p)
		r := record(t, 1, "s", "i", 0)
		r.Profile = p
		put(t, s, before, r)
		for range 2 {
			g, err := s.Merge(t.Context(), store.Query{ID: r.ID})
			if err != nil {
				t.Fatal(err)
			}
			want := profile.Compact(p)
			got := *g[0].Profile
			want.TimeNanos, want.DurationNanos = r.Time, r.Duration
			var gs, ws strings.Builder
			got.WriteRaw(&gs)
			want.WriteRaw(&ws)
			if gs.String() != ws.String() {
				t.Errorf("got\n%s\nwant\n%s", gs.String(), ws.String())
			}
			if d := storetest.Diff(&got, want); d != "" {
				t.Error(d)
			}
			if got.DropFrames != "drop" || got.KeepFrames != "keep" || got.DocURL != "http://d" || got.DefaultSampleType != "a" {
				t.Errorf("got %+v", got)
			}
			if err := s.Pack(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		closeStore(t, s)
	}
}
