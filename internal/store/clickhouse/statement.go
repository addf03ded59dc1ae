package clickhouse

import (
	"fmt"
	"slices"
	"strings"
)

// A statement is sent with its data.
type statement struct {
	out      []output // what a question asks for; nil for other statements
	distinct bool     // equal rows of the answer are left out
	sql      string   // what follows out, or the whole statement
	settings settings
	rows     block       // of an insert
	tables   []tempTable // what the statement reads beside the store's tables
}

// An output is a column of an answer: its name, and the expression for it, "" for the column
// that a table has under the name. A name other than that is of no column of the table:
// 18.16 takes it for the expression wherever it occurs in the statement.
type output struct{ name, is string }

// outputs returns the columns of an answer that are those of a table.
func outputs(names ...string) []output {
	out := make([]output, len(names))
	for i, name := range names {
		out[i].name = name
	}
	return out
}

// text returns the statement as the engine reads it.
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

// check returns an error unless an answer has the columns that were asked for, or no rows.
func (st *statement) check(a *answer) error {
	for _, o := range st.out {
		if a.rows > 0 && !slices.ContainsFunc(a.cols, func(v values) bool { return v.name == o.name }) {
			return fmt.Errorf("%w: it has no column %s", errAnswer, o.name)
		}
	}
	return nil
}

// maxInsert bounds the rows that one statement inserts, in bytes; a little more may be.
const maxInsert = 16 << 20

// insertInto returns the statement that inserts rows into a table.
func insertInto(table string, rows block) *statement {
	return &statement{sql: "INSERT INTO " + table + " (" + rows.names() + ") FORMAT Native", rows: rows}
}

// A tempTable goes with a statement and is gone after it.
type tempTable struct {
	name string
	rows block
}

// settings are those of the engine for a statement.
type settings map[string]string
