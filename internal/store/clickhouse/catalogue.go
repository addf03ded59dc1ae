package clickhouse

import (
	"context"

	"github.com/hone-go/hone/internal/store"
)

// A catalogue has the series that the store had when it was read: those in the weeks and of the
// service that a query asks for.
type catalogue struct {
	series map[uint64]store.Labels // by number
	span   span                    // where they were read from
}

// spanOf returns the weeks that the profiles of a query may be in.
func spanOf(q *store.Query) span {
	sp := span{first: -1 << 31, last: 1<<31 - 1}
	if q.From != 0 {
		sp.first = weekOf(q.From)
	}
	if q.To != 0 {
		sp.last = weekOf(q.To)
	}
	return sp
}

// seriesStatement returns a statement that reads the series a query may select, and the span it
// reads: weeks, and one service if the selector names it.
func seriesStatement(q *store.Query) (*statement, span) {
	sp := spanOf(q)
	st := &statement{out: outputs("number", "service"), distinct: true, sql: "FROM dictionary WHERE " + sp.condition(ofSeries)}
	for i := range q.Selector {
		if m := &q.Selector[i]; m.Name == store.LabelService && m.Op == store.Equal {
			st.sql += " AND service IN (SELECT service FROM services)"
			st.tables = []tempTable{servicesTable([]string{m.Value})}
			break
		}
	}
	return st, sp
}

// catalogueOf reads the series that a query may select.
func catalogueOf(ctx context.Context, c *client, lx *lexicon, q *store.Query) (*catalogue, error) {
	st, sp := seriesStatement(q)
	a, err := c.exec(ctx, st)
	if err != nil || a.rows == 0 {
		return &catalogue{span: sp}, err
	}
	sp.services = sortedSet(a.col("service").texts)
	series, err := (&lookup{c, lx, sp}).series(ctx, a.col("number").words)
	return &catalogue{series, sp}, err
}
