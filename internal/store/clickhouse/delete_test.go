package clickhouse_test

import (
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// TestDeleteOnOldCluster: a cluster that can't delete refuses to, and deletes nothing. That of
// version 18 enters such a change on all replicas and never makes it where inserts have a quorum.
func TestDeleteOnOldCluster(t *testing.T) {
	c := clickhousetest.SharedCluster(t)
	cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: c.Name(t), Cluster: clickhousetest.ClusterName})
	s := open(t, cfg)
	defer s.Close()
	put(t, s, record(t, 1, base), record(t, 2, base))
	for _, dry := range []bool{true, false} {
		n, err := s.DeleteService(t.Context(), "api", dry)
		wantError(t, err, "before version 21")
		if n != 0 {
			t.Errorf("%d profiles are told to be deleted", n)
		}
	}
	for _, server := range c.Servers() {
		if n := number(t, server, "SELECT count() FROM system.mutations WHERE database = '"+cfg.Database+"'"); n != 0 {
			t.Errorf("%s has %v changes", server.Addr, n)
		}
	}
	if groups, err := s.Merge(t.Context(), store.Query{}); err != nil || len(groups) != 1 || groups[0].Profiles != 2 {
		t.Errorf("%+v, %v", groups, err)
	}
}
