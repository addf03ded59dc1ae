package disk

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
			s.jobs.Lock()
			for _, h := range s.hours() {
				if h.End() < base+int64(time.Hour) {
					_, err = s.dropHour(h)
				}
			}
			s.jobs.Unlock()
		default:
			err = s.db.Flush()
		}
		if err != nil {
			return err
		}
	}
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

// A process is killed while it starts, puts, flushes, packs, compacts and drops: the
// next one opens the store as it is, and has all that was acknowledged.
// HONE_STORE_KILLS says how often.
func TestKilled(t *testing.T) {
	kills := 6
	if text := os.Getenv("HONE_STORE_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "store")
	acked := map[int]bool{}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	first, idle := 1, 0
	for kill := range kills {
		mode := r.IntN(3)
		if mode == 0 {
			idle++
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedStore+"="+dir, fmt.Sprint(killedStore, "_FIRST=", first), fmt.Sprint(killedStore, "_MODE=", mode))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// From the start of the process, or from when the store was open.
		lines := bufio.NewScanner(out)
		var timer *time.Timer
		die := func(most int) {
			timer = time.AfterFunc(time.Duration(r.IntN(most*1000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		if r.IntN(3) == 0 {
			die(60)
		}
		for lines.Scan() {
			if timer == nil {
				die(400)
			}
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				acked[n] = true
				first = max(first, n+64) // those under way have numbers, too
			}
		}
		if timer == nil {
			t.Fatalf("kill %d: it ended: %s", kill, stderr.String())
		}
		cmd.Wait()
		timer.Stop()
		first += 64
		if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 {
			exec.Command("sh", "-c", "rm -rf /tmp/hstore/fail; cp -r "+left[0]+" /tmp/hstore/fail").Run()
			t.Fatalf("kill %d: the store was set aside: %q\n%s", kill, left, stderr.String())
		}
		if strings.Contains(stderr.String(), "level=ERROR") {
			t.Fatalf("kill %d: %s", kill, stderr.String())
		}
	}
	if p := verify(t, dir, nil); len(p) > 0 {
		t.Errorf("verify: %q", p)
	}
	s := open(t, dir, Options{})
	defer closeStore(t, s)
	if st := s.Stats(); len(st.Aside)+len(st.Damaged) > 0 {
		t.Errorf("set aside: %+v, damaged: %q", st.Aside, st.Damaged)
	}
	have := map[string]bool{}
	all, err := s.Series(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, series := range all {
		for _, p := range series.Points {
			have[string(p.ID[:])] = true
		}
	}
	lost := 0
	for n := range acked {
		if n%8 != 0 && !have[fmt.Sprintf("%016d", n)] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged records are lost", lost, len(acked))
	}
	t.Logf("%d kills, %d of an idle process: %d records acknowledged, %d lost", kills, idle, len(acked), lost)
}
