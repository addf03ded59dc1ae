package clickhouse

import (
	"fmt"
	"slices"
	"strings"
)

// A statement is SQL text with the data that is sent along.
type statement struct {
	out      []output // columns of the answer; nil for statements without one
	distinct bool     // each row of the answer only once
	sql      string   // what follows out, or the whole statement
	settings settings
	rows     block       // of an insert
	tables   []tempTable // temporary tables that the statement reads
}

// An output is a column of an answer: a name, and the expression for it. If the expression is
// "", it is the table's column of that name. Otherwise, the table must not have a column of
// that name: version 18.16 would use the expression wherever the name occurs in the statement.
type output struct{ name, is string }

// outputs returns outputs for columns of a table.
func outputs(names ...string) []output {
	out := make([]output, len(names))
	for i, name := range names {
		out[i].name = name
	}
	return out
}

// text returns the SQL text.
func (st *statement) text() string {
	if st.out == nil {
		return st.sql
	}
	list := make([]string, len(st.out))
	for i, o := range st.out {
		if list[i] = o.name; o.is != "" {
			list[i] = o.is + " AS " + o.name
		}
	}
	verb := "SELECT "
	if st.distinct {
		verb += "DISTINCT "
	}
	return verb + strings.Join(list, ", ") + " " + st.sql
}

// check returns an error if an answer has rows but lacks columns that the statement asks for.
func (st *statement) check(a *answer) error {
	for _, o := range st.out {
		if a.rows > 0 && !slices.ContainsFunc(a.cols, func(v values) bool { return v.name == o.name }) {
			return fmt.Errorf("%w: it has no column %s", errAnswer, o.name)
		}
	}
	return nil
}

// maxInsert is the size in bytes at which an insert is split; an insert may be a little larger.
const maxInsert = 16 << 20

// insertInto returns a statement that inserts rows into a table.
func insertInto(table string, rows block) *statement {
	return &statement{sql: "INSERT INTO " + table + " (" + rows.names() + ") FORMAT Native", rows: rows}
}

// A tempTable is sent with a statement, and exists only while it runs.
type tempTable struct {
	name string
	rows block
}

// settings are settings of the engine for one statement.
type settings map[string]string
