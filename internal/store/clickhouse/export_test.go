package clickhouse

import (
	"strconv"
	"testing"
)

// UseAllRollUps has the store look for roll-ups of the fewest profiles, too.
func (s *Store) UseAllRollUps() { s.fewSeriesHours = 0 }

// MakeOld makes the tables of version 1 of those that Create has made.
func MakeOld(t testing.TB, cfg Config) {
	t.Helper()
	c := newClient(&cfg)
	defer c.close()
	if err := cfg.normalize(); err != nil {
		t.Fatal(err)
	}
	k, err := c.exec(t.Context(), &statement{out: []output{{"any_key", "min(key)"}}, sql: "FROM schema"})
	if err != nil {
		t.Fatal(err)
	}
	on := ""
	drop := []string{"rollups", "schema"}
	if cfg.Cluster != "" {
		on = " ON CLUSTER " + cfg.Cluster
		drop = append(drop, "rollups_local")
		all, err := c.members(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.insert = settings{"insert_quorum": strconv.Itoa(all)}
	}
	for _, name := range drop {
		if _, err := c.run(t.Context(), "DROP TABLE "+cfg.Database+"."+name+on); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.run(t.Context(), createSchema(&cfg)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.exec(t.Context(), insertInto("schema", schemaRow(1, k.col("any_key").texts[0]))); err != nil {
		t.Fatal(err)
	}
}
