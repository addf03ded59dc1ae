package disk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
)

// killedStore names the directory of the store that this process is to fill until it is
// killed.
const killedStore = "HONE_TEST_KILLED_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedStore); dir != "" {
		if err := fillUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fillUntilKilled puts records, prints the number of each that was acknowledged, and
// flushes, packs and compacts in between.
func fillUntilKilled(dir string) error {
	first, _ := strconv.Atoi(os.Getenv(killedStore + "_FIRST"))
	mode, _ := strconv.Atoi(os.Getenv(killedStore + "_MODE"))
	s, err := Open(dir, Options{Recover: true, PackAfter: 20 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return err
	}
	if mode == 0 { // nothing is put: it is killed while it starts, or idle
		fmt.Println("idle")
		select {}
	}
	ctx := context.Background()
	var n atomic.Int64
	n.Store(int64(first))
	for range 2 {
		go func() {
			for {
				batch := make([]store.Record, 4)
				names := ""
				for i := range batch {
					k := int(n.Add(1))
					batch[i] = killRecord(k)
					names += fmt.Sprintln(k)
				}
				if err := s.Put(ctx, batch); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.WriteString(names)
			}
		}()
	}
	if mode == 3 {
		go deleteUntilKilled(s, first)
	}
	r := rand.New(rand.NewPCG(uint64(first), uint64(mode)))
	for {
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		switch r.IntN(8) {
		case 0:
			err = s.Pack(ctx)
		case 1:
			err = s.Compact(ctx)
		case 2:
			// What is oldest goes, as for its age.
			s.rewrites.Lock()
			for _, h := range s.catalogue.hours() {
				if h.End() < base+int64(time.Hour) {
					_, err = s.retention.dropHour(h)
				}
			}
			s.rewrites.Unlock()
		default:
			err = s.kv.db.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// deleteUntilKilled puts records of one service after the other, and deletes it. It prints
// what it is about to delete, and what was acknowledged.
func deleteUntilKilled(s *Store, first int) {
	ctx := context.Background()
	for k := first; ; k++ {
		service, records := doomedRecords(k)
		err := s.Put(ctx, records)
		if err == nil && k%2 == 0 {
			err = s.Pack(ctx)
		}
		if err == nil {
			fmt.Printf("kept %s\ndeleting %s\n", service, service)
			_, err = s.DeleteService(ctx, service, false)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("deleted %s\n", service)
	}
}

// doomedRecords returns the records of a service that is to be deleted, of three weeks.
func doomedRecords(k int) (service string, records []store.Record) {
	service = fmt.Sprint("doomed", k)
	for i := range 12 {
		r := killRecord(1_000_000*(i+1) + k)
		r.Labels, _ = store.NewLabels(store.Label{Name: store.LabelService, Value: service}, store.Label{Name: store.LabelKind, Value: "heap"})
		r.Time = base + int64(i%3)*int64(7*24*time.Hour) + int64(2*time.Hour) + int64(k)
		records = append(records, r)
	}
	return service, records
}

// killRecord returns a record of a number. Those that 8 divides are dropped again.
func killRecord(n int) store.Record {
	ls, err := store.NewLabels(store.Label{Name: store.LabelService, Value: fmt.Sprint("s", n%3)}, store.Label{Name: store.LabelKind, Value: "heap"})
	if err != nil {
		panic(err)
	}
	at := time.Duration(1+n/16%5) * time.Hour
	if n%8 == 0 {
		at = 0
	}
	r := store.Record{Labels: ls, Time: base + int64(at) + int64(n), Duration: 1e9, Profile: storetest.Generate(rand.New(rand.NewPCG(uint64(n), 1)), "heap", 200)}
	copy(r.ID[:], fmt.Sprintf("%016d", n))
	return r
}

// kills says how often a test kills a process: HONE_STORE_KILLS.
func kills(t *testing.T, usual int) int {
	t.Helper()
	if text := os.Getenv("HONE_STORE_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return usual
}

// killings are what processes did before they were killed.
type killings struct {
	dir   string
	r     *rand.Rand
	first int // number of the next record
	acked map[int]bool
	// doomed are services that were to be deleted: how far that came.
	doomed map[string]string
	// smeared are tables that were damaged such that their parity puts them right.
	smeared map[string]bool
}

func newKillings(t *testing.T) *killings {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return &killings{dir: filepath.Join(t.TempDir(), "store"), r: rand.New(rand.NewPCG(seed, 1)), first: 1,
		acked: map[int]bool{}, doomed: map[string]string{}, smeared: map[string]bool{}}
}

// kill runs a process and kills it: some time after it was started, or after it had opened
// the store. It returns what the process printed to its standard error.
func (k *killings) kill(t *testing.T, mode int) (log string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedStore+"="+k.dir, fmt.Sprint(killedStore, "_FIRST=", k.first), fmt.Sprint(killedStore, "_MODE=", mode))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var timer *time.Timer
	die := func(most int) {
		timer = time.AfterFunc(time.Duration(k.r.IntN(most*1000))*time.Microsecond, func() { cmd.Process.Kill() })
	}
	if k.r.IntN(3) == 0 {
		die(60)
	}
	for lines.Scan() {
		if timer == nil {
			die(map[bool]int{false: 400, true: 1500}[mode == 3])
		}
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			k.acked[n] = true
			k.first = max(k.first, n+64) // those under way have numbers, too
		} else if done, service, ok := strings.Cut(lines.Text(), " "); ok {
			k.doomed[service] = done
			n, _ := strconv.Atoi(strings.TrimPrefix(service, "doomed"))
			k.first = max(k.first, n+64)
		}
	}
	cmd.Wait()
	if timer == nil || !timer.Stop() && cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("it ended: %v: %s", cmd.ProcessState, stderr.String())
	}
	k.first += 64
	return stderr.String()
}

// check opens the store, waits until all of it is back, and looks for what was acknowledged.
func (k *killings) check(t *testing.T) {
	t.Helper()
	s := open(t, k.dir, Options{Recover: true})
	recovered(t, s)
	for _, r := range s.Recoveries() {
		if r.Lost > 0 {
			t.Errorf("recovered: %v", r)
		}
	}
	st := s.Stats()
	damaged := slices.DeleteFunc(st.Damaged, func(problem string) bool {
		name, _, _ := strings.Cut(problem, ":")
		return k.smeared[name]
	})
	if len(st.Aside)+len(damaged)+int(st.Lost) > 0 {
		t.Errorf("set aside: %+v, damaged: %q, lost: %d", st.Aside, damaged, st.Lost)
	}
	have, doomed := map[string]bool{}, map[string]int{}
	all, err := s.Series(t.Context(), store.Query{By: []string{store.LabelService}})
	if err != nil {
		t.Fatal(err)
	}
	for _, series := range all {
		for _, p := range series.Points {
			have[string(p.ID[:])] = true
		}
		if service := series.Labels.Get(store.LabelService); strings.HasPrefix(service, "doomed") {
			doomed[service] = len(series.Points)
		}
	}
	closeStore(t, s)
	var problems []string
	found, err := Verify(t.Context(), k.dir, nil, func(p string) { problems = append(problems, p) })
	if err != nil || found.Lost > 0 || found.Unsure || len(problems) > 0 && len(k.smeared) == 0 {
		t.Errorf("verify: %+v, %v, %q", found, err, problems)
	}
	lost := 0
	for n := range k.acked {
		if n%8 != 0 && !have[fmt.Sprintf("%016d", n)] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged records are lost", lost, len(k.acked))
	}
	deleted := 0
	for service, done := range k.doomed {
		_, records := doomedRecords(0)
		n, want := doomed[service], len(records)
		switch {
		case done == "deleted":
			deleted++
			want = 0
		case done == "deleting" && n == 0:
			want = 0
		}
		if n != want {
			t.Errorf("%s was %s, and has %d profiles, want %d", service, done, n, want)
		}
	}
	t.Logf("%d records acknowledged, %d lost; %d services deleted of %d", len(k.acked), lost, deleted, len(k.doomed))
}

// A process is killed while it starts, puts, flushes, packs, compacts, drops and deletes
// services: the next one opens the store as it is, and has all that was acknowledged.
// HONE_STORE_KILLS says how often.
func TestKilled(t *testing.T) {
	k := newKillings(t)
	for kill := range kills(t, 6) {
		log := k.kill(t, k.r.IntN(4))
		if left, _ := filepath.Glob(k.dir + ".*"); len(left) > 0 {
			t.Fatalf("kill %d: the store was set aside: %q\n%s", kill, left, log)
		}
		if strings.Contains(log, "level=ERROR") {
			t.Fatalf("kill %d: %s", kill, log)
		}
	}
	k.check(t)
}

// A process is killed while it moves a store aside that it can't open, while it brings back
// what that has, and while it puts more: in the end all is there.
func TestKilledRecovering(t *testing.T) {
	k := newKillings(t)
	for len(k.acked) < 200 {
		k.kill(t, 1)
	}
	damages := 0
	for kill := range kills(t, 2) {
		if kill%4 == 0 && smearManifest(t, k.dir) {
			damages++
		}
		k.kill(t, k.r.IntN(3))
	}
	k.check(t)
	left, _ := filepath.Glob(k.dir + ".damaged*")
	if rest, _ := filepath.Glob(k.dir + ".recovering*"); len(rest) > 0 || len(left) != damages {
		t.Errorf("%d times damaged: left are %q and %q", damages, left, rest)
	}
}

// The same, and between the kills a table is damaged such that its parity puts it right: nothing is
// lost or set aside for it, wherever the next kill comes.
func TestKilledSmeared(t *testing.T) {
	k := newKillings(t)
	// A process may be killed before it has written a table, so there are as many as it takes.
	for kill := 0; kill < kills(t, 4) || len(k.smeared) == 0; kill++ {
		if kill > 200 {
			t.Fatal("no process wrote a table")
		}
		log := k.kill(t, k.r.IntN(4))
		if left, _ := filepath.Glob(k.dir + ".*"); len(left) > 0 {
			t.Fatalf("kill %d: the store was set aside: %q\n%s", kill, left, log)
		}
		k.smearTable(t)
	}
	k.check(t)
	t.Logf("%d tables were damaged", len(k.smeared))
}

// smearTable damages up to 2 KiB of one table that has a whole parity file.
func (k *killings) smearTable(t *testing.T) {
	t.Helper()
	l, err := listFiles(vfs.Default, k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return // it was killed before it made the directory
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range slices.Sorted(maps.Keys(l.tables)) {
		name := l.tables[n]
		path := filepath.Join(k.dir, name)
		_, size, err := readParity(vfs.Default, filepath.Join(k.dir, parityName(name)))
		data, e := os.ReadFile(path)
		if e != nil {
			t.Fatal(e)
		}
		if err != nil || size != int64(len(data)) || size == 0 || k.smeared[name] || k.r.IntN(2) == 0 {
			continue
		}
		at := k.r.IntN(len(data))
		for i := at; i < min(at+2048, len(data)); i++ {
			data[i] ^= byte(1 + k.r.IntN(255))
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		k.smeared[name] = true
		return
	}
}

// smearManifest damages the list of a store's tables, if there is one.
func smearManifest(t *testing.T, dir string) bool {
	t.Helper()
	name, err := currentManifest(vfs.Default, dir)
	if err != nil || name == "" {
		return false // it was killed while it moved the store aside
	}
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 40 {
		return false // it was killed while it began one
	}
	for i := 8; i < 24; i++ {
		data[i] ^= 0x55
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}
