package main

import "testing"

// TestMissingArguments: a command without its arguments says what to give, and for whom.
func TestMissingArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"store"}, "missing command: use stats, verify, repair, backup, create, copy or delete\n"},
		{[]string{"store", "stats"}, "missing store: use hone store stats DIR|URL: the data directory of hone serve or the address of a ClickHouse store\n"},
		{[]string{"store", "verify"}, "missing store: use hone store verify DIR: the data directory of hone serve\n"},
		{[]string{"store", "repair"}, "missing store: use hone store repair DIR: the data directory of hone serve\n"},
		{[]string{"store", "repair", "a", "b"}, `unexpected argument "b": use hone store repair DIR: `},
		{[]string{"store", "backup"}, "missing store: use hone store backup DIR TO: the data directory of hone serve and a new directory, or only -server URL for a running server\n"},
		{[]string{"store", "backup", "a"}, "missing target: use hone store backup DIR TO: "},
		{[]string{"store", "create"}, "missing store: use hone store create URL: clickhouse://HOST:8123/DATABASE\n"},
		{[]string{"store", "copy"}, "missing store: use hone store copy FROM TO: data directories of hone serve or addresses of ClickHouse stores\n"},
		{[]string{"store", "delete"}, "missing service: use hone store delete -service NAME DIR|URL\n"},
		{[]string{"store", "delete", "-service", "api"}, "missing store: use hone store delete -service NAME DIR|URL: the data directory of hone serve, the address of a ClickHouse store, or only -server URL for a running server\n"},
		{[]string{"token"}, "missing command: use add, list or remove\n"},
		{[]string{"token", "add"}, "missing name: use hone token add NAME\n"},
		{[]string{"token", "remove"}, "missing token: use hone token remove NAME|ID (hone token list shows all tokens)\n"},
		{[]string{"session"}, "missing command: use list or end\n"},
		{[]string{"session", "end"}, "missing session: use hone session end NAME|ID (hone session list shows all sessions)\n"},
	} {
		hone(t, c.args...).failsWith(t, exitUsage, "hone: "+c.want)
	}
}
