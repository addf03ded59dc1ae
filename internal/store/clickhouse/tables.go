package clickhouse

import (
	"time"

	"github.com/hone-go/hone/internal/store"
)

// A table describes a table of the schema.
type table struct {
	name    string
	columns [][3]string // name, type, codec
	// Of several rows with the same values in the columns order, the engine keeps the one
	// with the highest version.
	order, version string
	partition      string
	shard          string // expression for the shard of a row
	granularity    int
}

// valueColumns are the columns for the values of the first sample types. Further values are in
// the column more, which roll-ups don't have.
var valueColumns = [...]string{"v1", "v2", "v3", "v4"}

// tables are the tables that every shard has.
var tables = []table{{
	// A row per profile.
	name: "profiles",
	columns: [][3]string{
		{"day", "Int32", ""}, // of time, counted from 1970; times before it are negative
		{"service", "String", "ZSTD(1)"},
		{"kind", "String", "ZSTD(1)"},
		{"hour", "Int32", "ZSTD(1)"}, // of time, counted from 1970
		{"series", "UInt64", "ZSTD(1)"},
		{"time", "Int64", "Delta, ZSTD(1)"}, // ns since 1970
		{"id", "FixedString(16)", ""},
		{"header", "UInt64", "ZSTD(1)"},
		{"duration", "Int64", "ZSTD(1)"},      // ns
		{"totals", "Array(Int64)", "ZSTD(1)"}, // of each sample type
		{"sites", "Array(UInt64)", "ZSTD(1)"}, // stacks with labels, sorted
		{"v1", "Array(Int64)", "ZSTD(1)"},     // values of the sites: of the first sample type,
		{"v2", "Array(Int64)", "ZSTD(1)"},     // the second,
		{"v3", "Array(Int64)", "ZSTD(1)"},     // ...
		{"v4", "Array(Int64)", "ZSTD(1)"},     //
		{"more", "Array(Int64)", "ZSTD(1)"},   // and of all others, one behind the other
		{"came", "Int64", "Delta, ZSTD(1)"},   // when it was put, negated: the first one stays
	},
	order: "service, kind, hour, series, time, id", version: "came", partition: "day", shard: "cityHash64(id)", granularity: 64,
}, {
	// Which profiles there are, whatever they are of.
	name:    "ids",
	columns: [][3]string{{"day", "Int32", ""}, {"time", "Int64", "Delta, ZSTD(1)"}, {"id", "FixedString(16)", ""}},
	order:   "time, id", partition: "day", shard: "cityHash64(id)", granularity: 1024,
}, {
	// What numbers mean, once a service and week.
	name: "dictionary",
	columns: [][3]string{
		{"week", "Int32", ""},
		{"what", "UInt8", ""}, // see the constants of number.go
		{"service", "String", "ZSTD(1)"},
		{"number", "UInt64", ""},
		{"sum", "UInt64", ""}, // of the content: tells contents of one number apart, which there should never be
		{"content", "String", "ZSTD(1)"},
	},
	order: "what, service, number, sum", partition: "week", shard: "number", granularity: 256,
}, {
	// What the profiles of a fleet, hour and header add up to.
	name: "rollups",
	columns: [][3]string{
		{"day", "Int32", ""},
		{"service", "String", "ZSTD(1)"},
		{"kind", "String", "ZSTD(1)"},
		{"hour", "Int32", "ZSTD(1)"},
		{"fleet", "UInt64", "ZSTD(1)"},
		{"header", "UInt64", "ZSTD(1)"},
		{"version", "UInt64", ""},
		{"profiles", "Int64", "ZSTD(1)"},
		{"duration", "Int64", "ZSTD(1)"},
		{"first", "Int64", "ZSTD(1)"},
		{"last", "Int64", "ZSTD(1)"},
		{"totals", "Array(Int64)", "ZSTD(1)"},
		{"sites", "Array(UInt64)", "ZSTD(1)"},
		{"v1", "Array(Int64)", "ZSTD(1)"},
		{"v2", "Array(Int64)", "ZSTD(1)"},
		{"v3", "Array(Int64)", "ZSTD(1)"},
		{"v4", "Array(Int64)", "ZSTD(1)"},
	},
	order: "service, kind, hour, fleet, header, version", partition: "day", shard: "cityHash64(fleet, header, hour)", granularity: 8,
}}

// local returns the name of the table on each server of a cluster.
func (t *table) local() string { return t.name + "_local" }

const (
	day  = int64(24 * time.Hour)
	hour = int64(time.Hour)
)

// dayOf, hourOf and weekOf count from 1970. Earlier times have negative numbers.
func dayOf(t int64) int32  { return int32(store.Window(t, day) / day) }
func hourOf(t int64) int32 { return int32(store.Window(t, hour) / hour) }
func weekOf(t int64) int32 { return int32(store.Window(t, 7*day) / (7 * day)) }

// rowsOf returns an empty block with the columns of a table.
func rowsOf(table string) block {
	for i := range tables {
		if t := &tables[i]; t.name == table {
			b := make(block, len(t.columns))
			for k, c := range t.columns {
				b[k].name, b[k].kind = c[0], c[1]
			}
			return b
		}
	}
	panic("there is no table " + table)
}
