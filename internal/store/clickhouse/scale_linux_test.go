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
// are told alone. The clusters take turns, so that a machine that gets slower does so for
// all of them.
func TestShards(t *testing.T) {
	if !whole {
		t.Skip("HONE_CLICKHOUSE_TESTS=all runs it")
	}
	const rounds, merges = 10, 4
	profiles := 3840
	if text := os.Getenv("HONE_TEST_PROFILES"); text != "" {
		var err error
		if profiles, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	var all []*sharded
	for _, shards := range []int{1, 2, 4} {
		all = append(all, newSharded(t, shards, profiles))
	}
	for range rounds {
		for _, s := range all {
			s.measure(t, merges, profiles)
		}
	}
	one := all[0]
	for _, s := range all {
		n := float64(len(s.shards))
		text := ""
		cpu, alone := 0.0, 0.0 // of a shard, the mean
		for i := range s.shards {
			w := &s.shards[i]
			text += fmt.Sprintf("  %.0f rows, %.2f MB read, %.0f ms of CPU;", w.rows, w.bytes/rounds/merges/1e6, w.cpu/rounds/merges*1e3)
			cpu, alone = cpu+w.cpu/n, alone+w.alone/n
			for _, of := range []struct {
				what      string
				got, want float64
			}{{"rows", w.rows, one.shards[0].rows / n}, {"bytes", w.bytes, one.shards[0].bytes / n}} {
				if math.Abs(of.got/of.want-1) > 0.15 {
					t.Errorf("%.0f shards: one has %.0f %s, want %.0f within 15 %%", n, of.got, of.what, of.want)
				}
			}
		}
		t.Logf("%.0f shards, a merge of %d profiles:%s hone %.1f ms; CPU of a shard %.3f of what one takes, and of the sum in turn %.3f",
			n, profiles, text, s.own/rounds/merges*1e3, cpu/one.shards[0].cpu, alone/one.shards[0].alone)
	}
}

// A sharded is a cluster with profiles, and what merging them has taken.
type sharded struct {
	cluster  *clickhousetest.Cluster
	database string
	store    *clickhouse.Store
	shards   []shardWork
	own      float64 // seconds of CPU time of this process
}

// A shardWork is what a shard has and did.
type shardWork struct {
	rows, bytes, cpu float64 // bytes read and seconds of CPU time are of merges
	alone            float64 // seconds of CPU time of sums while the other shards were idle
}

func newSharded(t *testing.T, shards, profiles int) *sharded {
	c := clickhousetest.ForTest(t, func(dir string) (*clickhousetest.Cluster, error) { return clickhousetest.StartCluster(dir, shards, 1) })
	cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: "hone", Cluster: clickhousetest.ClusterName})
	cfg.NoRollUps = true
	s := &sharded{cluster: c, database: cfg.Database, store: open(t, cfg), shards: make([]shardWork, shards)}
	// More than 20,000 are copies of fewer, other days' ones, as putting takes minutes.
	some, doublings := profiles, 0
	for ; some > 20_000; some /= 2 {
		if doublings++; some%2 != 0 {
			t.Fatalf("%d profiles are not twice as many", some)
		}
	}
	from := newStream()
	var records []store.Record
	for i := range some {
		if records = append(records, from.next(t)); len(records) == 4000 || i == some-1 {
			put(t, s.store, records...)
			records = records[:0]
		}
	}
	for i, server := range c.Servers() {
		query := func(sql string) {
			if _, err := server.Query(strings.ReplaceAll(sql, "profiles", cfg.Database+".profiles_local")); err != nil {
				t.Fatal(err)
			}
		}
		for k := range doublings {
			days := (some/(24*60*4) + 2) << k // of a profile each 15 s
			query(fmt.Sprintf("INSERT INTO profiles SELECT day + %d, service, kind, hour + %d, series, time + %d, id, header, duration, totals, sites, v1, v2, v3, v4, more, came FROM profiles",
				days, 24*days, int64(days)*24*3600e9))
		}
		query("OPTIMIZE TABLE profiles FINAL")
		s.shards[i].rows = number(t, server, "SELECT count() FROM "+cfg.Database+".profiles_local")
	}
	t.Cleanup(func() { s.store.Close() }) // before the cluster ends
	s.merge(t, profiles)                  // looks up what numbers mean
	return s
}

func (s *sharded) merge(t *testing.T, profiles int) {
	groups, err := s.store.Merge(t.Context(), store.Query{})
	if err != nil || len(groups) != 1 || groups[0].Profiles != int64(profiles) {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
}

// measure merges so many times, and then has each shard add up its own profiles as often,
// one after the other: what it takes when the others don't share its processors.
func (s *sharded) measure(t *testing.T, merges, profiles int) {
	servers := s.cluster.Servers()
	bytes := func(sign float64) {
		for i, server := range servers {
			s.shards[i].bytes += sign * number(t, server, "SELECT value FROM system.events WHERE event = 'CompressedReadBufferBytes'")
		}
	}
	cpu := func(sign float64) {
		s.own += sign * cpuOfTest(t)
		for i, server := range servers {
			s.shards[i].cpu += sign * cpuOf(t, server.Pid())
		}
	}
	bytes(-1)
	cpu(-1)
	for range merges {
		s.merge(t, profiles)
	}
	cpu(1)
	bytes(1)
	for i, server := range servers {
		began := cpuOf(t, server.Pid())
		for range merges {
			if _, err := server.Query("SELECT site, sum(a0), sum(a1) FROM " + s.database + ".profiles_local ARRAY JOIN sites AS site, v1 AS a0, v2 AS a1 GROUP BY site FORMAT Null"); err != nil {
				t.Fatal(err)
			}
		}
		s.shards[i].alone += cpuOf(t, server.Pid()) - began
	}
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
