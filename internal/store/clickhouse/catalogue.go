package clickhouse

import (
	"context"

	"github.com/hone-go/hone/internal/store"
)

// A catalogue is the series that the store had, when it was asked, of the weeks and the
// service of a question.
type catalogue struct {
	series map[uint64]store.Labels // by number
	span   span                    // where they were looked up
}

// spanOf returns the weeks that a question's profiles may be of.
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

// seriesStatement asks for the series that a question may select: of its weeks, which it returns,
// and of one service if the selector names it.
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

// catalogueOf asks for the series that a question may select.
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
