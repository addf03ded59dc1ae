package daemon

import (
	"slices"
	"testing"
)

// TestStarted: the log names the store only if it is elsewhere.
func TestStarted(t *testing.T) {
	d := &daemon{cfg: &Config{Data: "/data"}}
	if got := d.started("a:1", false); slices.Contains(got, any("store")) || !slices.Contains(got, any("/data")) {
		t.Errorf("a store in the data directory: %v", got)
	}
	d.cfg.Store.URL = "clickhouse://a:8123/hone"
	if got := d.started("a:1", false); !slices.Contains(got, any(d.cfg.Keeps())) {
		t.Errorf("a store in ClickHouse: %v", got)
	}
}
