package clickhouse_test

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/storetest"
)

var databases atomic.Int64

// create makes the tables of a store in a database of its own.
func create(t testing.TB, cluster string, addresses ...string) clickhouse.Config {
	t.Helper()
	cfg := clickhouse.Config{
		Addresses: addresses, Cluster: cluster, Interval: time.Millisecond,
		Database: fmt.Sprintf("t%d_%d", os.Getpid(), databases.Add(1)),
	}
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

func TestSingle(t *testing.T) {
	addr := os.Getenv("CH")
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, create(t, os.Getenv("CHCLUSTER"), strings.Split(addr, ",")...))
	})
}
