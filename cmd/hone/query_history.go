package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/shell"
)

// printHistory prints functions by version: shares in percent, largest change first.
func (q *queryRun) printHistory(ctx context.Context, selection url.Values) error {
	for _, name := range []string{"per", "id"} {
		selection.Del(name)
	}
	usual := shell.DefaultConfig()
	for _, name := range api.HistoryOptions {
		value, _ := q.inv.Get(name)
		if otherwise, _ := usual.Get(name); value != otherwise {
			selection.Set(name, value)
		}
	}
	cum := q.inv.Sort == "cum"
	if cum {
		selection.Set("order", "cum")
	}
	selection.Set("rank", "change")
	q.setWindows(selection)
	var h api.History
	err := q.answer(ctx, "/api/v1/history", selection, &h, func() []string {
		heading := q.titles("before", "after", "with", "since", "first", "seen")
		for _, v := range h.Versions {
			heading = append(heading, cmp.Or(v.Version, "(none)"))
		}
		return append(heading, q.titles("function")...)
	}, func() (rows [][]string) {
		for i := range h.Functions {
			rows = append(rows, q.historyRow(&h, &h.Functions[i], cum))
		}
		return rows
	})
	for _, text := range h.Warnings {
		q.app.warn(text)
	}
	if err == nil && h.Left > 0 {
		q.app.warn(fmt.Sprintf("%d earlier versions are not shown; use a later -from, or version=~ in the selector.", h.Left))
	}
	return err
}

// setWindows sets how many rows and windows of time are asked for.
func (q *queryRun) setWindows(selection url.Values) {
	selection.Set("limit", strconv.Itoa(cmp.Or(q.f.limit, 20)))
	if q.f.step != "" {
		selection.Set("step", q.f.step)
	}
	if q.f.points > 0 {
		selection.Set("points", strconv.Itoa(q.f.points))
	}
}

func (q *queryRun) historyRow(h *api.History, f *api.FunctionHistory, cum bool) []string {
	percent := func(x float64) string {
		if q.f.csv {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strconv.FormatFloat(x, 'f', 1, 64) + "%"
	}
	row := []string{"", "", "", "", "", ""}
	if c := f.Change; c != nil {
		row[0], row[1], row[2], row[3] = percent(c.Before), percent(c.After), c.Version, q.time(c.Time)
	}
	if first := f.First; first != nil {
		row[4], row[5] = first.Version, q.time(first.Time)
		if first.Start && !q.f.csv {
			row[5] = "from the start"
		}
	}
	values := f.Versions.Flat
	if cum {
		values = f.Versions.Cum
	}
	for i, v := range h.Versions {
		text := ""
		if f.Versions.Cum[i] != 0 && v.Total != 0 {
			text = percent(100 * float64(values[i]) / float64(v.Total))
		} else if !q.f.csv {
			text = "-"
		}
		row = append(row, text)
	}
	return append(row, f.Name)
}
