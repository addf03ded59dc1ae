package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// damageTrials is the number of files that TestDamagedFiles damages. All of
// HONE_DAMAGE_TRIALS=200 take some minutes; HONE_DAMAGE_SEED chooses others.
func damageTrials(t *testing.T) (trials int, seed uint64) {
	number := func(name string, usual int) int {
		text := cmp.Or(os.Getenv(name), strconv.Itoa(usual))
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	usual := 24
	if testing.Short() {
		usual = 3 // what -race looks for is in each of them
	}
	return number("HONE_DAMAGE_TRIALS", usual), uint64(number("HONE_DAMAGE_SEED", 1))
}

// A sample is a store to be damaged, and what is in it.
type sample struct {
	dir     string
	records map[store.ID]store.Record
	inLog   map[store.ID]bool // not in tables yet
	keys    [][]byte          // of the key-value store
}

// newSample makes a store of hours of real profiles as a crash leaves it: most
// hours packed and in the lowest level of tables, others in the levels above,
// and some profiles in the log alone.
func newSample(t *testing.T) *sample {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	now := time.Unix(0, base).Add(11 * 24 * time.Hour)
	s := open(t, dir, Options{Now: func() time.Time { return now }})
	sm := &sample{dir: filepath.Join(t.TempDir(), "crashed"), records: map[store.ID]store.Record{}, inLog: map[store.ID]bool{}}
	kinds := map[string]*profile.Profile{}
	for _, name := range []string{"cpu.http-server", "heap.http-server", "cpu.json-decode", "heap.json-decode", "cpu.gofmt", "heap.leak"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", name+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if kinds[name], err = profile.DecodeBytes(b, profile.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	names := slices.Sorted(maps.Keys(kinds))
	r := rand.New(rand.NewPCG(5, 5))
	n := 0
	round := func(from, to time.Duration, every time.Duration, log bool) {
		var batch []store.Record
		for at := from; at < to; at += every {
			for i, name := range names {
				p := profile.Compact(kinds[name])
				for s := range p.Stacks {
					times := int64(r.IntN(4))
					for _, col := range p.Values {
						col[s] *= times
					}
				}
				ls, err := store.NewLabels(store.Label{Name: store.LabelService, Value: []string{"api", "shop", "web"}[i%3]},
					store.Label{Name: store.LabelKind, Value: name[:strings.Index(name, ".")]},
					store.Label{Name: store.LabelInstance, Value: fmt.Sprint("i", r.IntN(2))})
				if err != nil {
					t.Fatal(err)
				}
				rec := store.Record{Labels: ls, Time: base + int64(at) + int64(r.IntN(1e9)), Duration: 1e10, Profile: p}
				copy(rec.ID[:], fmt.Sprintf("%016d", n))
				n++
				sm.records[rec.ID] = rec
				sm.inLog[rec.ID] = log
				batch = append(batch, rec)
			}
			if log { // synced one after the other
				put(t, s, batch...)
				batch = nil
			}
		}
		put(t, s, batch...)
	}
	const week = 7 * 24 * time.Hour
	for _, start := range []time.Duration{0, week} {
		round(start, start+5*time.Hour, 6*time.Minute, false)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	round(week+5*time.Hour, week+6*time.Hour, 6*time.Minute, false)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.kv.db.Flush(); err != nil {
		t.Fatal(err)
	}
	round(week+6*time.Hour, week+7*time.Hour, 6*time.Minute, false)
	if err := s.kv.db.Flush(); err != nil {
		t.Fatal(err)
	}
	round(week+6*time.Hour+time.Second, week+7*time.Hour, 2*time.Minute, true)
	copyDir(t, dir, sm.dir)
	if err := scan(s.kv.db, []byte{0}, []byte{0xff}, func(key, _ []byte) error {
		sm.keys = append(sm.keys, bytes.Clone(key))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	if testing.Verbose() {
		for name, data := range contents(t, sm.dir) {
			t.Logf("%s: %d bytes", name, len(data))
		}
	}
	return sm
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// contents returns the files of a directory, but for the lock.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == lockName {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(b)
	}
	return out
}

// A blow is damage that was done to a file.
type blow struct {
	file, how string
	// ranges are the bytes that were changed, from one to before another.
	ranges [][2]int64
	// old is set where the store's tables have no parity files, as those of earlier versions.
	old bool
}

func (b blow) String() string {
	at := []string{}
	for _, r := range b.ranges {
		at = append(at, fmt.Sprintf("%d+%d", r[0], r[1]-r[0]))
	}
	if b.old {
		at = append(at, "without parity")
	}
	return fmt.Sprintf("%s %s at %s", b.file, b.how, strings.Join(at, ", "))
}

// table reports whether the blow is to a table.
func (b blow) table() bool { return strings.HasSuffix(b.file, tableExt) }

// costsNothing reports whether it is put right.
func (b blow) costsNothing() bool {
	switch b.how {
	case "flipped":
		return b.table() && !b.old
	case "smeared", "zeroed":
		return b.table() && !b.old
	}
	return strings.HasSuffix(b.file, parityExt)
}

// strike damages a file of a directory.
func strike(t *testing.T, dir string, r *rand.Rand) blow {
	t.Helper()
	var b blow
	if b.old = r.IntN(2) == 0; b.old {
		parities, _ := filepath.Glob(filepath.Join(dir, "*"+parityExt))
		for _, path := range parities {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	byKind := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(contents(t, dir))) {
		kind := filepath.Ext(name)
		switch {
		case strings.HasPrefix(name, "marker."):
			kind = "marker"
		case kind == "":
			kind, _, _ = strings.Cut(name, "-")
		}
		byKind[kind] = append(byKind[kind], name)
	}
	// Most bytes are those of tables.
	kind := tableExt
	if r.IntN(2) == 0 {
		kinds := slices.Sorted(maps.Keys(byKind))
		kind = kinds[r.IntN(len(kinds))]
	}
	b.file = byKind[kind][r.IntN(len(byKind[kind]))]
	path := filepath.Join(dir, b.file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(data))
	part := func(n int64) (from, to int64) {
		n = min(n, size)
		from = r.Int64N(size - n + 1)
		b.ranges = append(b.ranges, [2]int64{from, from + n})
		return from, from + n
	}
	smear := func(n int64) {
		from, to := part(n)
		for i := from; i < to; i++ {
			data[i] ^= byte(1 + r.IntN(255))
		}
	}
	b.how = []string{"flipped", "smeared", "smeared", "smeared often", "zeroed", "swapped", "cut", "missing"}[r.IntN(8)]
	switch {
	case b.how == "missing" || size == 0:
		b.how, b.ranges = "missing", [][2]int64{{0, size}}
		err = os.Remove(path)
	case b.how == "cut":
		at := r.Int64N(size)
		b.ranges = [][2]int64{{at, size}}
		err = os.Truncate(path, at)
	case b.how == "flipped":
		from, _ := part(1)
		data[from] ^= 1 << r.IntN(8)
	case b.how == "smeared":
		smear(16 << r.IntN(9))
	case b.how == "smeared often":
		for range 2 + r.IntN(4) {
			smear(16 << r.IntN(9))
		}
	case b.how == "zeroed":
		from, to := part(page)
		clear(data[from:to])
	case b.how == "swapped":
		n := min(page, size/2)
		from, to := r.Int64N(size/2-n+1), size/2+r.Int64N(size-size/2-n+1)
		b.ranges = [][2]int64{{from, from + n}, {to, to + n}}
		was := bytes.Clone(data[from : from+n])
		copy(data[from:], data[to:to+n])
		copy(data[to:], was)
	}
	if b.how != "missing" && b.how != "cut" {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// touched returns the partitions that may lose something by a blow to a table: those with
// keys in the blocks that were hit.
func (sm *sample) touched(t *testing.T, b blow) map[uint32]bool {
	t.Helper()
	out := map[uint32]bool{}
	if !b.table() || b.costsNothing() {
		return out
	}
	tab, err := openTable(vfs.Default, sm.dir, b.file, func(p string) { t.Fatal(p) }, func(p string) { t.Fatal(p) })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.ranges {
		for i, block := range tab.blocks {
			end := block.at + int64(block.size) + blockTrailer
			if end <= r[0] || block.at >= r[1] {
				continue
			}
			from, to := tab.blocks[max(i-1, 0)].last, tab.blocks[min(i+1, len(tab.blocks)-1)].first
			if i == 0 {
				from = nil
			}
			if i == len(tab.blocks)-1 {
				to = []byte{0xff}
			}
			for _, key := range sm.keys {
				if len(key) >= 5 && bytes.Compare(key, from) >= 0 && bytes.Compare(key, to) <= 0 {
					out[uint32(key[1])<<24|uint32(key[2])<<16|uint32(key[3])<<8|uint32(key[4])] = true
				}
			}
			if i == 0 && block.first[0] <= format.KindPartition {
				for id := range uint32(6) { // what describes them all
					out[id] = true
				}
			}
		}
	}
	return out
}

// wantParts fails unless a store answers all questions exactly for the records
// that it has, and has those that it must have. It returns how many it has.
func (sm *sample) wantParts(t *testing.T, s *Store, must func(store.Record) bool) int {
	t.Helper()
	have := map[store.ID]bool{}
	all, err := s.Series(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	model := map[partitionName]int64{} // naive sums of what is there
	for _, sr := range all {
		for _, p := range sr.Points {
			rec, ok := sm.records[p.ID]
			if !ok {
				t.Fatalf("profile %s is none of those put", p.ID)
			}
			if have[p.ID] {
				t.Errorf("profile %s is there twice", p.ID)
			}
			have[p.ID] = true
			if p.Time != rec.Time {
				t.Errorf("profile %s has time %d, want %d", p.ID, p.Time, rec.Time)
			}
		}
	}
	for id, rec := range sm.records {
		if !have[id] && must(rec) {
			t.Errorf("profile %s of %v at %v is missing", id, rec.Labels, time.Duration(rec.Time-base))
			return len(have)
		}
		if have[id] {
			for _, col := range rec.Profile.Values {
				for _, v := range col {
					model[s.catalogue.nameOf(&rec)] += v
				}
			}
		}
	}
	if t.Failed() {
		return len(have)
	}
	// The sums of each service and week, by roll-ups, and by blocks and single
	// profiles.
	for _, cut := range []int64{0, int64(90 * time.Minute)} {
		sums := map[partitionName]int64{}
		second := store.Window(base, s.catalogue.epoch) + s.catalogue.epoch // the second week
		for _, span := range [][2]int64{{0, base + cut}, {base + cut, second}, {second, base + s.catalogue.epoch + cut}, {base + s.catalogue.epoch + cut, 0}} {
			from, to := span[0], span[1]
			for _, kind := range []string{"cpu", "heap"} {
				sel, err := store.ParseSelector(fmt.Sprintf("{kind=%q}", kind))
				if err != nil {
					t.Fatal(err)
				}
				groups, err := s.Merge(t.Context(), store.Query{Selector: sel, From: from, To: to, By: []string{store.LabelService}})
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range groups {
					name := partitionName{store.Window(g.Time, s.catalogue.epoch), g.Labels.Get(store.LabelService)}
					for _, col := range g.Profile.Values {
						for _, v := range col {
							sums[name] += v
						}
					}
				}
			}
		}
		aside := len(s.catalogue.asides())
		if aside == 0 && !maps.Equal(sums, model) {
			t.Errorf("cut at %v: sums %v, want %v", time.Duration(cut), sums, model)
		}
		for name, sum := range sums { // what was set aside meanwhile is not in them
			if sum != model[name] {
				t.Errorf("cut at %v: the sum of %v is %d, want %d", time.Duration(cut), name, sum, model[name])
			}
		}
	}
	return len(have)
}

// Files of a store are damaged: nothing panics, what is served is exact, what is
// not damaged is there, and Repair brings all of it back.
func TestDamagedFiles(t *testing.T) {
	trials, seed := damageTrials(t)
	sm := newSample(t)
	problems := []string{}
	all := int64(len(sm.records))
	if found, err := Verify(t.Context(), sm.dir, nil, func(p string) { problems = append(problems, p) }); err != nil || len(problems) > 0 ||
		found != (Verified{Profiles: all}) {
		t.Fatalf("before: %+v of %d, %v, %q", found, all, err, problems)
	}
	var figures struct{ recovered, aside, lost, all, verifyFound int }
	for trial := range trials {
		r := rand.New(rand.NewPCG(seed, uint64(trial)))
		dir := filepath.Join(t.TempDir(), "d")
		copyDir(t, sm.dir, dir)
		b := strike(t, dir, r)
		t.Run(fmt.Sprintf("%d %s %s", trial, b.file, b.how), func(t *testing.T) {
			ctx, end := context.WithTimeout(t.Context(), 2*time.Minute)
			defer end()
			defer func() {
				if t.Failed() {
					t.Logf("%v", b)
				}
			}()
			before := contents(t, dir)
			// Verify ends, changes nothing, and finds what matters.
			var problems []string
			found, err := Verify(ctx, dir, nil, func(p string) { problems = append(problems, p) })
			if err != nil {
				t.Fatalf("verify: %v", err)
			}
			if !maps.Equal(before, contents(t, dir)) {
				t.Error("verify changed files")
			}
			if len(problems) > 0 {
				figures.verifyFound++
			} else if b.table() {
				t.Error("verify found nothing")
			}
			if b.costsNothing() && (found != Verified{Profiles: all}) {
				t.Errorf("verify says %+v", found)
			}
			served := filepath.Join(t.TempDir(), "s")
			copyDir(t, dir, served)
			lossy := sm.touched(t, b)
			sm.serve(t, served, b, lossy, found, &figures.recovered, &figures.aside, &figures.lost)

			done, err := Repair(ctx, dir, Options{}, func(string) {})
			if err != nil {
				t.Fatalf("repair: %v", err)
			}
			if found.Lost != done.Lost || found.Profiles-found.Lost != done.Kept {
				t.Errorf("verify says %+v, and repair keeps %d and loses %d", found, done.Kept, done.Lost)
			}
			if found.Profiles > all || !found.Unsure && found.Profiles != all {
				t.Errorf("verify knows of %d profiles (for certain: %v), and there were %d", found.Profiles, !found.Unsure, all)
			}
			if left, _ := filepath.Glob(dir + "*"); len(left) != 2 || done.Old != dir+".damaged" || !maps.Equal(before, contents(t, done.Old)) {
				t.Errorf("repair left %q", left)
			}
			if p := verify(t, dir, nil); len(p) > 0 {
				t.Errorf("after the repair: %q", p)
			}
			s := open(t, dir, Options{})
			n := sm.wantParts(t, s, func(rec store.Record) bool {
				return !lossy[sm.idOf(s, rec)] && !(sm.inLog[rec.ID] && strings.HasSuffix(b.file, ".log"))
			})
			if int64(n) != done.Kept {
				t.Errorf("%d profiles are there, and %d were kept", n, done.Kept)
			}
			if n == len(sm.records) {
				figures.all++
			} else if done.Lost == 0 && !done.Unsure {
				t.Errorf("%d of %d profiles are left, and nothing was said to be lost", n, len(sm.records))
			}
			closeStore(t, s)
		})
	}
	t.Logf("%d trials: verify spoke up in %d; the server's store was moved aside and recovered in %d, something was set aside in %d, and profiles were lost in %d; repair brought everything back in %d",
		trials, figures.verifyFound, figures.recovered, figures.aside, figures.lost, figures.all)
}

// idOf returns the number that the partition of a record had.
func (sm *sample) idOf(s *Store, rec store.Record) uint32 {
	name := s.catalogue.nameOf(&rec)
	id := uint32(slices.Index([]string{"api", "shop", "web"}, name.service))
	if name.epoch > store.Window(base, s.catalogue.epoch) {
		id += 3
	}
	return id
}

// recovered waits until all that was moved aside of a store is back, and returns
// where its files are then.
func recovered(t *testing.T, s *Store) (dirs []string) {
	t.Helper()
	for i, r := range s.Recoveries() {
		for start := time.Now(); !r.Done; time.Sleep(10 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatalf("it doesn't come back: %+v", r)
			}
			r = s.Recoveries()[i]
		}
		dirs = append(dirs, r.Dir)
	}
	return dirs
}

// wantKept fails unless a directory has all files of before, as they were.
func wantKept(t *testing.T, before map[string]string, dir string) {
	t.Helper()
	now := contents(t, dir)
	for name, data := range before {
		if got, ok := now[name]; !ok || got != data {
			t.Errorf("%s of before is not in %s as it was", name, dir)
		}
	}
}

// serve opens a damaged store as a server does, asks it, puts something in, and opens
// it again. lossy are the partitions of which a repair may lose something, and found is what
// Verify says.
func (sm *sample) serve(t *testing.T, dir string, b blow, lossy map[uint32]bool, found Verified, moved, asides, losses *int) {
	log := strings.HasSuffix(b.file, ".log")
	before := contents(t, dir)
	s, err := Open(dir, Options{PackAfter: -1, Recover: true})
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	dirs := recovered(t, s)
	if len(dirs) > 0 {
		*moved++
		wantKept(t, before, dirs[0])
	} else if files := s.Stats().Damaged; strings.HasPrefix(b.file, "OPTIONS") && len(files) > 0 {
		if data, err := os.ReadFile(filepath.Join(dir, "damaged-"+b.file)); err != nil || string(data) != before[b.file] {
			t.Errorf("the damaged file is not kept: %v", err)
		}
	}
	must := func(rec store.Record) bool {
		return !lossy[sm.idOf(s, rec)] && !(log && sm.inLog[rec.ID])
	}
	// What is damaged is found when it is read.
	for _, q := range []store.Query{{}, {From: base + 1}, {From: base + int64(90*time.Minute)}} {
		q.By = []string{store.LabelKind}
		if _, err := s.Merge(t.Context(), q); err != nil {
			t.Errorf("merge: %v", err)
		}
	}
	sm.wantParts(t, s, must)
	// Background work goes on.
	if err := s.Pack(t.Context()); err != nil {
		t.Errorf("pack: %v", err)
	}
	n := sm.wantParts(t, s, must)
	aside := s.Stats().Aside
	if len(aside) > 0 {
		*asides++
		t.Logf("set aside: %+v", aside)
	} else if readable := found.Profiles - found.Lost; int64(n) != readable {
		t.Errorf("%d profiles are served, and verify says that %d can be read", n, readable)
	}
	if lost := s.Losses(); len(lost) > 0 {
		*losses++
	} else if b.table() && n < len(sm.records) && len(aside) == 0 && b.how != "missing" {
		t.Errorf("%d of %d profiles are served, and nothing was said to be lost", n, len(sm.records))
	}
	// New profiles are taken, of services that are set aside, too.
	fresh := make([]store.Record, 3)
	for i, service := range []string{"api", "shop", "web"} {
		fresh[i] = record(t, 1_000_000+i, service, "new", 7*24*time.Hour+8*time.Hour)
	}
	// unless they would go where nothing can be read.
	if err := s.Put(t.Context(), fresh); errors.Is(err, store.ErrUnavailable) && len(aside) > 0 {
		fresh = nil
	} else if err != nil {
		t.Errorf("put: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	s, err = Open(dir, Options{PackAfter: -1})
	if err != nil {
		t.Errorf("open again: %v", err)
		return
	}
	for _, rec := range fresh {
		groups, err := s.Merge(t.Context(), store.Query{ID: rec.ID})
		if err != nil || len(groups) != 1 {
			t.Errorf("what was put last: %d groups, %v", len(groups), err)
		}
		sm.records[rec.ID] = rec
	}
	sm.wantParts(t, s, must)
	for _, rec := range fresh {
		delete(sm.records, rec.ID)
	}
	closeStore(t, s)
}

// A block that describes all partitions is damaged: what they have describes them, and no
// more is set aside than what else is in the block.
func TestDescriptionsDamaged(t *testing.T) {
	sm := newSample(t)
	tables, err := filepath.Glob(filepath.Join(sm.dir, "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	var hit *tableBlock
	others := map[uint32]bool{} // partitions with other keys in the block
	for _, path := range tables {
		tab, err := openTable(vfs.Default, sm.dir, filepath.Base(path), func(p string) { t.Fatal(p) }, func(p string) { t.Fatal(p) })
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range tab.blocks {
			if b.first[0] > format.KindPartition || b.last[0] < format.KindPartition {
				continue
			}
			rows, err := tab.load(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range rows {
				if id, ok := format.PartitionOfKey(v.key); ok && v.key[0] != format.KindPartition {
					others[id] = true
				}
			}
			hit = &b
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 16 {
				data[b.at+int64(b.size)/2+int64(k)] ^= 0x55
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if hit == nil || len(others) > 4 {
		t.Fatalf("block %v has keys of the partitions %v", hit, others)
	}
	for start := range 2 { // what was written again is there at the next start
		s := open(t, sm.dir, Options{})
		sm.wantParts(t, s, func(rec store.Record) bool { return !others[sm.idOf(s, rec)] })
		if aside := s.Stats().Aside; len(aside) > len(others) {
			t.Errorf("start %d: set aside are %+v, want %d at most", start, aside, len(others))
		}
		closeStore(t, s)
	}
}
