package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/hone-go/hone/internal/api"
)

// printEndpoints prints what requests cost by endpoint, the costliest first.
func (q *queryRun) printEndpoints(ctx context.Context, selection url.Values) error {
	for _, name := range []string{"per", "top", "id"} {
		selection.Del(name)
	}
	q.setWindows(selection)
	var v api.Endpoints
	err := q.answer(ctx, "/api/v1/endpoints", selection, &v, q.columns("requests", "per request", "unit", "share", "endpoint"), func() (rows [][]string) {
		for _, e := range v.Endpoints {
			rows = append(rows, q.endpointRow(e, cmp.Or(e.Endpoint, "(outside of requests)"), v.Unit))
		}
		return append(rows, q.endpointRow(v.Total, "(all)", v.Unit))
	})
	for _, text := range v.Warnings {
		q.app.warn(text)
	}
	if err == nil && v.Left > 0 {
		q.app.warn(fmt.Sprintf("%d more endpoints; -limit N shows them.", v.Left))
	}
	return err
}

func (q *queryRun) endpointRow(e api.EndpointCost, name, unit string) []string {
	value, share := "", strconv.FormatFloat(e.Share, 'f', 1, 64)+"%"
	if x, ok := e.Cost.(float64); ok {
		value, unit = q.value(x, unit)
	}
	if q.f.csv {
		share = strconv.FormatFloat(e.Share, 'f', -1, 64)
	}
	return []string{strconv.FormatInt(e.Requests, 10), value, unit, share, name}
}
