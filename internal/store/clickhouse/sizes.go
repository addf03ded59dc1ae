package clickhouse

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Sizes describes the stored profiles and the size of the tables.
type Sizes struct {
	Profiles int64            // without duplicates
	First    int64            // earliest time of a profile, in ns since 1970 UTC
	Last     int64            // latest time of a profile
	Services map[string]int64 // profiles by service
	Tables   []TableSize
}

// A TableSize is the size of a table on the disks of all servers, including replicas.
type TableSize struct {
	Name  string
	Rows  int64
	Bytes int64
	Parts int64
}

// sizesOf reads the sizes of the tables.
func sizesOf(ctx context.Context, c *client) (*Sizes, error) {
	a, err := c.exec(ctx, &statement{
		out: []output{{name: "service"}, {"counted", "toInt64(count())"}, {"first_time", "min(time)"}, {"last_time", "max(time)"}},
		sql: "FROM profiles FINAL GROUP BY service",
	})
	if err != nil {
		return nil, err
	}
	out := &Sizes{Services: map[string]int64{}}
	for i := range a.rows {
		n, first, last := a.col("counted").int64(i), a.col("first_time").int64(i), a.col("last_time").int64(i)
		if i == 0 {
			out.First, out.Last = first, last
		}
		out.Services[a.col("service").texts[i]] = n
		out.Profiles += n
		out.First, out.Last = min(out.First, first), max(out.Last, last)
	}
	parts := &statement{
		out: []output{{name: "table"}, {"all_rows", "toInt64(sum(rows))"}, {"all_bytes", "toInt64(sum(bytes_on_disk))"}, {"parts", "toInt64(count())"}},
		sql: "FROM system.parts WHERE active AND database = '" + c.cfg.Database + "' GROUP BY table ORDER BY table",
	}
	all := []*client{c}
	if c.cfg.Cluster != "" {
		// Each server tells its own. Those that are not among the addresses are
		// not asked.
		all = c.each()
	}
	sizes := map[string]*TableSize{}
	for _, one := range all {
		a, err := one.exec(ctx, parts)
		if err != nil {
			return nil, err
		}
		for i := range a.rows {
			name := strings.TrimSuffix(a.col("table").texts[i], "_local")
			if sizes[name] == nil {
				sizes[name] = &TableSize{Name: name}
			}
			t := sizes[name]
			t.Rows += a.col("all_rows").int64(i)
			t.Bytes += a.col("all_bytes").int64(i)
			t.Parts += a.col("parts").int64(i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		out.Tables = append(out.Tables, *sizes[name])
	}
	return out, nil
}
