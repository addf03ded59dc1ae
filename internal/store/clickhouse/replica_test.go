package clickhouse_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// TestReplicas: of three replicas one may lag, and its answers are right or refused; one
// alone takes nothing, tells what was kept, and takes all again when a second is back.
func TestReplicas(t *testing.T) {
	if !whole {
		t.Skip("takes a minute: HONE_CLICKHOUSE_TESTS=all runs it")
	}
	c := clickhousetest.ForTest(t, func(dir string) (*clickhousetest.Cluster, error) { return clickhousetest.StartCluster(dir, 1, 3) })
	replicas := c.Shards[0]
	cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: "replicas", Cluster: clickhousetest.ClusterName})
	cfg.NoRollUps = true
	s := open(t, cfg)
	defer s.Close()
	put(t, s, record(t, 1, base), record(t, 2, base))
	wantKept := func(what string, s *clickhouse.Store, want int64) {
		t.Helper()
		for range 2 * len(replicas) { // each server in its turn
			if n := kept(t, s); n != want {
				t.Errorf("%s: there are %d profiles, want %d", what, n, want)
			}
		}
	}
	wantKept("all up", s, 2)

	last := replicas[2]
	if _, err := last.Query("SYSTEM STOP FETCHES"); err != nil {
		t.Fatal(err)
	}
	put(t, s, record(t, 3, base), record(t, 4, base))
	wantKept("one lags", s, 4)
	if n, err := last.Query("SELECT count() FROM replicas.profiles_local"); err != nil || strings.TrimSpace(n) != "2" {
		t.Fatalf("the replica that should lag has %q, %v", n, err)
	}
	only := cfg
	only.Addresses = []string{last.Addr}
	lags := open(t, only)
	defer lags.Close()
	switch groups, err := lags.Merge(t.Context(), store.Query{}); {
	case err != nil:
		wantError(t, err, last.Addr)
	case len(groups) != 1 || groups[0].Profiles != 4:
		t.Errorf("the replica that lags tells %+v", groups)
	}
	if _, err := last.Query("SYSTEM START FETCHES"); err != nil {
		t.Fatal(err)
	}
	caughtUp := func() bool {
		groups, err := lags.Merge(t.Context(), store.Query{})
		return err == nil && len(groups) == 1 && groups[0].Profiles == 4
	}
	for until := time.Now().Add(time.Minute); !caughtUp(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the replica that lagged has not caught up in a minute")
		}
	}

	replicas[1].Kill()
	wantKept("one down", s, 4)
	put(t, s, record(t, 5, base))
	replicas[2].Kill()
	lost := []store.Record{record(t, 6, base), record(t, 7, base)}
	err := s.Put(t.Context(), slices.Clone(lost))
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without a quorum Put says %v, want %v", err, store.ErrUnavailable)
	}
	wantError(t, err, replicas[0].Addr, "quorum")
	t.Logf("without a quorum: %v", err)
	wantKept("no quorum", s, 5)
	if err := replicas[1].Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		if err = s.Put(t.Context(), slices.Clone(lost)); err == nil {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("a quorum is back, and Put says %v", err)
		}
	}
	wantKept("a quorum again", s, 7)
}

// TestReadyShards: a store is ready while each shard answers, whichever server is asked.
func TestReadyShards(t *testing.T) {
	if !whole {
		t.Skip("starts a cluster: HONE_CLICKHOUSE_TESTS=all runs it")
	}
	c := clickhousetest.ForTest(t, func(dir string) (*clickhousetest.Cluster, error) { return clickhousetest.StartCluster(dir, 2, 1) })
	cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: "shards", Cluster: clickhousetest.ClusterName})
	cfg.NoRollUps = true
	s := open(t, cfg)
	defer s.Close()
	if err := s.Ready(t.Context()); err != nil {
		t.Fatalf("all shards answer: %v", err)
	}
	dead := c.Shards[1][0]
	dead.Kill()
	for range 4 { // each server in its turn
		if err := s.Ready(t.Context()); err == nil {
			t.Error("a store with a dead shard is ready")
		} else {
			t.Logf("with a dead shard: %v", err)
		}
	}
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	var err error
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if err = s.Ready(t.Context()); err == nil {
			return
		}
	}
	t.Errorf("the shard is back, and the store is not ready: %v", err)
}
