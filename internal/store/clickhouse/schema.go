package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// schemaVersion is the version of the tables that this package reads and writes.
//
//	1  profiles, ids, dictionary
//	2  rollups
const schemaVersion = 2

// askEngine asks a server for its version.
func (c *client) askEngine(ctx context.Context) (e engine, err error) {
	// The database may not be there yet.
	a, err := c.withDatabase("").exec(ctx, &statement{out: []output{{"version", "version()"}}})
	if err != nil {
		return e, err
	}
	if a.rows != 1 {
		return e, errAnswer
	}
	version := a.col("version").texts[0]
	if _, err := fmt.Sscanf(version, "%d.", &e.major); err != nil {
		return e, fmt.Errorf("the engine reports the version %q, which hone does not understand", version)
	}
	return e, nil
}

// create returns the statements that create a table. Old engines get no codecs.
func (t *table) create(c *Config, e engine) []string {
	var cols []string
	for _, col := range t.columns {
		text := col[0] + " " + col[1]
		if col[2] != "" && e.modern() {
			text += " CODEC(" + col[2] + ")"
		}
		cols = append(cols, text)
	}
	body := " (" + strings.Join(cols, ", ") + ") ENGINE = "
	name, on, kind := t.name, "", "ReplacingMergeTree("
	if c.Cluster != "" {
		// On the disks are tables of another name; this one asks the shards.
		name, on = t.local(), " ON CLUSTER "+c.Cluster
		kind = fmt.Sprintf("ReplicatedReplacingMergeTree('/hone/%s/{shard}/%s', '{replica}'", c.Database, t.name)
		if t.version != "" {
			kind += ", "
		}
	}
	kind += t.version + ")"
	settings := fmt.Sprintf(" SETTINGS index_granularity = %d", t.granularity)
	if e.modern() {
		// Parts are on the disk when an insert is acknowledged.
		settings += ", fsync_after_insert = 1, fsync_part_directory = 1"
	}
	out := []string{fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s%s%s PARTITION BY %s ORDER BY (%s)%s",
		c.Database, name, on, body, kind, t.partition, t.order, settings)}
	if c.Cluster != "" {
		out = append(out, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s AS %s.%s ENGINE = Distributed(%s, %s, %s, %s)",
			c.Database, t.name, on, c.Database, name, c.Cluster, c.Database, name, t.shard))
	}
	return out
}

// createSchema returns the statement that creates the table with the schema version. Every
// server has all of its rows.
func createSchema(c *Config) string {
	on, kind := "", "MergeTree"
	if c.Cluster != "" {
		on = " ON CLUSTER " + c.Cluster
		kind = fmt.Sprintf("ReplicatedMergeTree('/hone/%s/schema', '{shard}-{replica}')", c.Database)
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.schema%s (version UInt32, key String) ENGINE = %s ORDER BY version", c.Database, on, kind)
}

// Create creates the database and the tables, or upgrades them to the version that Open needs.
// It may be repeated.
func Create(ctx context.Context, cfg Config) error {
	if err := cfg.normalize(); err != nil {
		return err
	}
	c := newClient(&cfg)
	defer c.close()
	e, err := c.askEngine(ctx)
	if err != nil {
		return err
	}
	none := c.withDatabase("")
	on := ""
	if cfg.Cluster != "" {
		on = " ON CLUSTER " + cfg.Cluster
	}
	statements := []string{fmt.Sprintf("CREATE DATABASE IF NOT EXISTS %s%s", cfg.Database, on), createSchema(&cfg)}
	for i := range tables {
		statements = append(statements, tables[i].create(&cfg, e)...)
	}
	for _, sql := range statements {
		if _, err := none.run(ctx, sql); err != nil {
			return err
		}
	}
	// The version is written last: tables without it are not finished. All that
	// versions so far differ in are tables that came, which are there now.
	var key string
	var missing *missingError
	var old *oldError
	switch _, err := c.schema(ctx); {
	case errors.As(err, &old):
		key = old.key
	case errors.As(err, &missing):
		k := make([]byte, keySize)
		rand.Read(k)
		key = hex.EncodeToString(k)
	default:
		return err
	}
	rows := schemaRow(schemaVersion, key)
	if cfg.Cluster != "" {
		all, err := c.members(ctx)
		if err != nil {
			return err
		}
		c.insert = settings{"insert_quorum": strconv.Itoa(all), "insert_quorum_timeout": "60000"}
	}
	_, err = c.exec(ctx, insertInto("schema", rows))
	return err
}

// A missingError says that the tables don't exist, or that Create did not finish.
type missingError struct{ database string }

func (e *missingError) Error() string {
	return fmt.Sprintf("the database %s has no hone tables: create them with hone store create", e.database)
}

// An oldError says that the tables have an older version, which Create upgrades.
type oldError struct {
	database string
	version  uint64
	key      string
}

func (e *oldError) Error() string {
	return fmt.Sprintf("the tables in the database %s have version %d, and this hone needs %d: upgrade them with hone store create", e.database, e.version, schemaVersion)
}

// schema returns the key of the tables. It fails if their version is not schemaVersion.
func (c *client) schema(ctx context.Context) (k key, err error) {
	a, err := c.exec(ctx, &statement{out: []output{{"newest", "max(version)"}, {"any_key", "min(key)"}, {"finished", "toUInt64(count())"}}, sql: "FROM schema"})
	var refused *Error
	if errors.As(err, &refused) && (refused.Code == codeUnknownTable || refused.Code == codeUnknownDatabase) {
		return k, &missingError{c.cfg.Database}
	}
	if err != nil {
		return k, err
	}
	if a.rows != 1 {
		return k, errAnswer
	}
	if a.col("finished").words[0] == 0 {
		return k, &missingError{c.cfg.Database}
	}
	text := a.col("any_key").texts[0]
	switch v := a.col("newest").words[0]; {
	case v > schemaVersion:
		return k, fmt.Errorf("the tables in the database %s have version %d, from a newer hone; this one knows versions up to %d", c.cfg.Database, v, schemaVersion)
	case v < schemaVersion:
		return k, &oldError{c.cfg.Database, v, text}
	}
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != keySize {
		return k, fmt.Errorf("the key in the table %s.schema can't be read", c.cfg.Database)
	}
	for i := range k {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return k, nil
}

// replicas returns the number of replicas per shard.
func (c *client) replicas(ctx context.Context) (int, error) {
	return c.count(ctx, "max(replica_num)", "system.clusters WHERE cluster = '"+c.cfg.Cluster+"'")
}

// members returns the number of servers in the cluster.
func (c *client) members(ctx context.Context) (int, error) {
	return c.count(ctx, "count()", "system.clusters WHERE cluster = '"+c.cfg.Cluster+"'")
}

// count returns a number that describes the cluster. It fails if that is 0.
func (c *client) count(ctx context.Context, what, from string) (int, error) {
	a, err := c.exec(ctx, &statement{out: []output{{"counted", "toUInt64(" + what + ")"}}, sql: "FROM " + from})
	if err != nil {
		return 0, err
	}
	if a.rows != 1 || a.col("counted").words[0] == 0 {
		return 0, fmt.Errorf("the engine has no cluster %s: define it in remote_servers", c.cfg.Cluster)
	}
	return int(a.col("counted").words[0]), nil
}

// schemaRow returns a row of the table with the schema version.
func schemaRow(version int32, key string) block {
	row := newBlock("version", "UInt32", "key", "String")
	row.col("version").int32(version)
	row.col("key").string(key)
	return row
}
