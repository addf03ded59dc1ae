package clickhouse_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// servers are the engines that the store has to work on, each for a test of its own.
var servers = []struct {
	name string
	// config returns where a new store is to be made, whose tables go with the test.
	config func(t testing.TB) clickhouse.Config
}{
	{"Single", func(t testing.TB) clickhouse.Config {
		s := clickhousetest.Single(t)
		return clickhouse.Config{Addresses: []string{s.Addr}, Database: s.Name(t)}
	}},
	{"Today", func(t testing.TB) clickhouse.Config {
		s := clickhousetest.Today(t)
		return clickhouse.Config{Addresses: []string{s.Addr}, Database: s.Name(t)}
	}},
	{"Cluster", func(t testing.TB) clickhouse.Config {
		c := clickhousetest.SharedCluster(t)
		return clickhouse.Config{Addresses: c.Addrs(), Database: c.Name(t), Cluster: clickhousetest.ClusterName}
	}},
}

// onEach runs a test on each of the engines.
func onEach(t *testing.T, test func(t *testing.T, config func(t testing.TB) clickhouse.Config)) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			leaveOut(t, s.name)
			test(t, s.config)
		})
	}
}

// create makes the tables of a store. Tests put one profile after another, which no
// interval has to keep apart.
func create(t testing.TB, cfg clickhouse.Config) clickhouse.Config {
	t.Helper()
	cfg.Interval = time.Microsecond
	if err := clickhouse.Create(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func open(t testing.TB, cfg clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s, err := clickhouse.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openRolling returns a store that looks for roll-ups of the fewest profiles, too.
func openRolling(t testing.TB, cfg clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s := open(t, cfg)
	s.UseAllRollUps()
	return s
}

// whole tells that each engine is to be tested with the whole suite, and not one with
// most of it and the others with what differs between engines.
var whole = os.Getenv("HONE_CLICKHOUSE_TESTS") == "all"

// What runs of the suite without whole. A cluster takes seconds to make tables and to
// drop them.
var (
	singleLeavesOut = regexp.MustCompile(`/Random/[12]$|/RandomReopen$`)
	todayHas        = regexp.MustCompile(`/(Empty|RealProfiles|PutTwice|PutKnown|Delete|Lasting|ManySampleTypes|SampleLabels|LargeNumbers|StrangeTimes|StrangeLabels|LabelNames|Selector|By|Top|Heat|Version|Reopen|Random/0)$`)
	clusterHas      = regexp.MustCompile(`/(Empty|PutTwice|ConcurrentUse|By|Reopen)$`)
)

// leaveOut skips what takes long: with -short all engines but one, which has as much of the suite as
// Today unless HONE_REAL=1; and on a cluster, if not the whole suite is asked for, what the tests of
// hone serve do there as well.
func leaveOut(t *testing.T, server string) {
	t.Helper()
	if testing.Short() && server != "Single" {
		t.Skip("-short leaves one engine")
	}
	name := t.Name()
	var left bool
	switch server {
	case "Single":
		left = singleLeavesOut.MatchString(name)
		if testing.Short() && os.Getenv("HONE_REAL") == "" {
			left = strings.HasPrefix(name, "TestStore/") && !todayHas.MatchString(name)
		}
	case "Today":
		left = strings.HasPrefix(name, "TestStore/") && !todayHas.MatchString(name)
	case "Cluster":
		left = !clusterHas.MatchString(name)
	}
	if left && !whole {
		t.Skip("HONE_CLICKHOUSE_TESTS=all runs it")
	}
}

func TestStore(t *testing.T) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			made := map[string]clickhouse.Config{} // by directory
			storetest.RunDurable(t, func(t *testing.T, dir string) store.Store {
				leaveOut(t, server.name)
				cfg, ok := made[dir]
				if !ok {
					cfg = create(t, server.config(t))
					made[dir] = cfg
				}
				return openRolling(t, cfg)
			})
		})
	}
}
