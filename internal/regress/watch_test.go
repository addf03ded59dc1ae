package regress_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// listed has the regressions of a state.
func listed(t *testing.T, s *regress.State) string {
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s %s %s %.0f%% %d of %d %s", e.Service, e.Version, e.Function, 100*e.Growth, e.Affected, e.Instances, e.State))
	}
	return strings.Join(out, ", ")
}

// TestWatch follows a deploy, its regression, a restart of the server, and the fix.
func TestWatch(t *testing.T) {
	st := openDisk(t)
	file := filepath.Join(t.TempDir(), "regressions.json")
	watch := func() (*regress.Watch, *regress.State) {
		s := regress.NewState(file, func(line string) { t.Error(line) })
		return regress.NewWatch(regress.Config{Store: st, State: s, Budget: 1, Log: func(line string) { t.Error(line) }}), s
	}
	w, s := watch()
	tick := func(at int64) {
		t.Helper()
		if err := w.Tick(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	tick(now)
	if stats := w.Stats(); stats.Comparisons != 0 {
		t.Errorf("an empty store: %+v", stats)
	}
	slow := regresstest.Usual().With("main;a;b", 9e8)
	if err := regresstest.FillDeploy(t.Context(), st, "shop", now, regresstest.Usual(), slow); err != nil {
		t.Fatal(err)
	}
	if err := regresstest.FillDeploy(t.Context(), st, "calm", now, regresstest.Usual(), regresstest.Usual()); err != nil {
		t.Fatal(err)
	}
	tick(now)
	const want = "shop v2 b 200% 3 of 3 "
	if got := listed(t, s); got != want+"open" {
		t.Errorf("after the deploy: %q", got)
	}
	compared := w.Stats().Comparisons
	w, s = watch()
	tick(now + minute)
	if got := listed(t, s); got != want+"open" || compared == 0 || w.Stats().Comparisons != 0 {
		t.Errorf("after a restart: %q, %d comparisons before and %d after", got, compared, w.Stats().Comparisons)
	}
	// v3 is as v1. A day later, the same hours are before the regression.
	next := now + 24*hour
	if err := regresstest.Fill(t.Context(), st, "shop", "v3", next-4*hour, next-hour, regresstest.Usual()); err != nil {
		t.Fatal(err)
	}
	tick(next - hour)
	if got := listed(t, s); got != want+"resolved" {
		t.Errorf("after the fix: %q", got)
	}
}

// TestScan finds a regression in a store that no server watches.
func TestScan(t *testing.T) { testScan(t, openDisk(t)) }

// openClickHouse returns an empty store in a ClickHouse that it starts.
func openClickHouse(t *testing.T) store.Store {
	if testing.Short() {
		t.Skip("starts a server")
	}
	server := clickhousetest.Single(t)
	c, err := clickhouse.ParseURL("clickhouse://" + server.Addr + "/" + server.Name(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := clickhouse.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	st, err := clickhouse.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// TestScanClickHouse does so in the other engine.
func TestScanClickHouse(t *testing.T) {
	testScan(t, openClickHouse(t))
}

// TestStoresAgree checks that a watch finds the same in both engines, to the last digit:
// a function and a lock.
func TestStoresAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	found := map[string]string{}
	for name, st := range map[string]store.Store{"disk": openDisk(t), "ClickHouse": openClickHouse(t)} {
		fillBoth(t, st)
		s := regress.NewState("", nil)
		w := regress.NewWatch(regress.Config{Store: st, State: s, Budget: 1, Limits: regress.Limits{Instances: 2}, Log: func(string) {}})
		if err := w.Tick(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		all, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(all, func(a, b regress.Entry) int { return cmp.Compare(a.ID, b.ID) })
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if found[name] = string(data); len(all) != 2 || !strings.Contains(found[name], `"kind": "mutex"`) {
			t.Errorf("%s: got %s", name, data)
		}
	}
	if found["disk"] != found["ClickHouse"] {
		t.Errorf("on disk:\n%s\nin ClickHouse:\n%s", found["disk"], found["ClickHouse"])
	}
}

// fillBoth puts CPU and mutex profiles of a service whose new version costs more.
func fillBoth(t *testing.T, st store.Store) {
	t.Helper()
	since := now - 40*minute
	if err := regresstest.FillDeploy(t.Context(), st, "shop", now, regresstest.Usual(), regresstest.Usual().With("main;a;b", 9e8)); err != nil {
		t.Fatal(err)
	}
	var all []store.Record
	for at := since - 6*hour; at < now; at += 10 * minute {
		for i := range 3 {
			version, wait := "v1", int64(4e9)
			if at >= since {
				version, wait = "v2", 90e9
			}
			r, err := regresstest.MutexRecord("shop", version, fmt.Sprint("i", i), at, regresstest.Stacks{"main;a;sync.(*Mutex).Unlock": wait, "main;d;sync.(*Mutex).Unlock": 2e9})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	if err := st.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

func testScan(t *testing.T, st store.Store) {
	slow := regresstest.Usual().With("main;a;b;new;deep", 9e8)
	if err := regresstest.FillDeploy(t.Context(), st, "shop", now, regresstest.Usual(), slow); err != nil {
		t.Fatal(err)
	}
	all, err := regress.Scan(t.Context(), st, now-24*hour, now)
	if err != nil || len(all) != 1 {
		t.Fatalf("got %+v, %v", all, err)
	}
	e := all[0]
	if e.Function != "b" || !e.Callees || len(e.New) != 1 || e.New[0] != "new" || e.Since != now-40*minute || e.State != regress.Open {
		t.Errorf("got %+v", e)
	}
	if before, after := e.Before/float64(time.Second), e.After/float64(time.Second); before < 0.049 || before > 0.051 || after < 0.139 || after > 0.141 {
		t.Errorf("%g CPUs before and %g after, want 0.05 and 0.14", before, after)
	}
}
