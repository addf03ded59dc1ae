package clickhouse_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// TestShards tells what a merge of the same profiles takes on 1, 2 and 4 shards: of each
// shard, and of hone. Rows and bytes have to fall as the number of shards rises; times
// are told alone.
func TestShards(t *testing.T) {
	if !whole {
		t.Skip("HONE_CLICKHOUSE_TESTS=all runs it")
	}
	const merges = 20
	profiles := 3840
	if text := os.Getenv("HONE_TEST_PROFILES"); text != "" {
		var err error
		if profiles, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	type work struct{ rows, bytes, cpu float64 } // of a shard, the mean
	var one work
	var oneAlone float64
	for _, shards := range []int{1, 2, 4} {
		c := clickhousetest.ForTest(t, func(dir string) (*clickhousetest.Cluster, error) { return clickhousetest.StartCluster(dir, shards, 1) })
		cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: "hone", Cluster: clickhousetest.ClusterName})
		cfg.NoRollUps = true
		s := open(t, cfg)
		from := newStream()
		var records []store.Record
		for i := range profiles {
			if records = append(records, from.next(t)); len(records) == 4000 || i == profiles-1 {
				put(t, s, records...)
				records = records[:0]
			}
		}
		for _, server := range c.Servers() {
			if _, err := server.Query("OPTIMIZE TABLE " + cfg.Database + ".profiles_local FINAL"); err != nil {
				t.Fatal(err)
			}
		}
		merge := func() {
			groups, err := s.Merge(t.Context(), store.Query{})
			if err != nil || len(groups) != 1 || groups[0].Profiles != int64(profiles) {
				t.Fatalf("%d groups, %v", len(groups), err)
			}
		}
		merge() // looks up what numbers mean
		read := func() (out []work) {
			for _, server := range c.Servers() {
				out = append(out, work{
					number(t, server, "SELECT count() FROM "+cfg.Database+".profiles_local"),
					number(t, server, "SELECT value FROM system.events WHERE event = 'CompressedReadBufferBytes'"), cpuOf(t, server.Pid()),
				})
			}
			return out
		}
		before, own := read(), cpuOfTest(t)
		for range merges {
			merge()
		}
		after := read()
		own = cpuOfTest(t) - own
		// The same sum of each shard's own profiles, one shard after the other: what it takes
		// when the others don't share its processors.
		alone := 0.0
		for _, server := range c.Servers() {
			began := cpuOf(t, server.Pid())
			for range merges {
				number(t, server, "SELECT count() FROM (SELECT site, sum(a0), sum(a1) FROM "+cfg.Database+".profiles_local ARRAY JOIN sites AS site, v1 AS a0, v2 AS a1 GROUP BY site)")
			}
			alone += (cpuOf(t, server.Pid()) - began) / merges / float64(shards)
		}
		mean := work{}
		text := ""
		for i := range after {
			w := work{after[i].rows, (after[i].bytes - before[i].bytes) / merges, (after[i].cpu - before[i].cpu) / merges}
			text += fmt.Sprintf("  %.0f rows, %.2f MB read, %.0f ms of CPU;", w.rows, w.bytes/1e6, w.cpu*1e3)
			n := float64(shards)
			mean.rows, mean.bytes, mean.cpu = mean.rows+w.rows/n, mean.bytes+w.bytes/n, mean.cpu+w.cpu/n
			if shards == 1 {
				one, oneAlone = w, alone
			}
			for _, of := range []struct {
				what      string
				got, want float64
			}{{"rows", w.rows, one.rows / n}, {"bytes", w.bytes, one.bytes / n}} {
				if math.Abs(of.got/of.want-1) > 0.15 {
					t.Errorf("%d shards: one has %.0f %s, want %.0f within 15 %%", shards, of.got, of.what, of.want)
				}
			}
		}
		t.Logf("%d shards, a merge of %d profiles:%s hone %.1f ms; CPU of a shard %.2f of what one takes, and of the sum in turn %.2f", shards, profiles, text, own/merges*1e3, mean.cpu/one.cpu, alone/oneAlone)
		s.Close()
		c.Kill()
	}
}

func number(t testing.TB, s *clickhousetest.Server, sql string) float64 {
	t.Helper()
	text, err := s.Query(sql)
	if err != nil {
		t.Fatal(err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cpuOf returns the seconds of CPU time that a process has used.
func cpuOf(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100 // USER_HZ is 100 on Linux
}

// cpuOfTest returns the same of this process.
func cpuOfTest(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
