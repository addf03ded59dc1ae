package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// prefixCSV copies a table with more columns at the front, and with its heading if heading
// is set.
func prefixCSV(w io.Writer, table io.Reader, heading bool, names, values []string) error {
	in := csv.NewReader(table)
	var damage error
	err := report.WriteCSV(w, func(yield func([]string) bool) {
		for row := 0; ; row++ {
			record, err := in.Read()
			if err != nil {
				damage = err
				return
			}
			front := values
			if row == 0 {
				front = names
			}
			if (row > 0 || heading) && !yield(slices.Concat(front, record)) {
				return
			}
		}
	})
	if damage != nil && !errors.Is(damage, io.EOF) {
		return damage
	}
	return err
}

// answer gets an answer of the server and prints it: unchanged with -json, otherwise as a
// table.
func (q *queryRun) answer(ctx context.Context, path string, params url.Values, v any, heading func() []string, rows func() [][]string) error {
	data, err := q.client.get(ctx, path, params, func(data []byte) error { return json.Unmarshal(data, v) })
	if err != nil {
		return err
	}
	out := &shell.Outlet{Out: q.app.stdout, Err: q.app.stderr, Getenv: q.app.getenv}
	defer out.Close()
	return out.Deliver(ctx, "", q.inv.Output, func(_ context.Context, w io.Writer) error {
		switch {
		case q.inv.JSON:
			_, err := w.Write(data)
			return err
		case q.f.csv:
			return report.WriteCSV(w, slices.Values(append([][]string{heading()}, rows()...)))
		}
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, strings.Join(heading(), "\t"))
		for _, row := range rows() {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		return t.Flush()
	})
}

// columns returns a heading that doesn't depend on the answer.
func (q *queryRun) columns(names ...string) func() []string {
	return func() []string { return q.titles(names...) }
}

// titles are the names of columns, in upper case unless the output is CSV.
func (q *queryRun) titles(names ...string) []string {
	if q.f.csv {
		return names
	}
	titles := make([]string, len(names))
	for i, name := range names {
		titles[i] = strings.ToUpper(name)
	}
	return titles
}

func (q *queryRun) printLabels(ctx context.Context, selection url.Values) error {
	var v struct {
		Labels []api.Label `json:"labels"`
	}
	for _, name := range []string{"per", "top", "id", "sample_type"} {
		selection.Del(name)
	}
	if q.f.limit > 0 {
		selection.Set("limit", strconv.Itoa(q.f.limit))
	}
	return q.answer(ctx, "/api/v1/labels", selection, &v, q.columns("name", "value"), func() (rows [][]string) {
		for _, l := range v.Labels {
			for _, value := range l.Values {
				rows = append(rows, []string{l.Name, value})
			}
			if l.More > 0 && !q.f.csv {
				rows = append(rows, []string{l.Name, fmt.Sprintf("... and %d more", l.More)})
			}
		}
		return rows
	})
}

func (q *queryRun) printRecords(ctx context.Context, selection url.Values) error {
	var v api.Records
	selection.Del("per")
	if q.f.limit > 0 {
		selection.Set("limit", strconv.Itoa(q.f.limit))
	}
	err := q.answer(ctx, "/api/v1/records", selection, &v, q.columns("time", "id", "duration", "value", "unit", "labels"), func() (rows [][]string) {
		for i := range v.ID {
			of := v.Labels[v.Series[i]]
			value, unit := q.value(float64(v.Value[i]), of.Unit)
			rows = append(rows, []string{q.time(v.Time[i]), v.ID[i], q.duration(v.Duration[i]), value, unit, groupName(of.Labels)})
		}
		return rows
	})
	if err == nil && v.More {
		q.app.warn("Earlier profiles are not shown; -limit N shows more.")
	}
	return err
}

func (q *queryRun) printSeries(ctx context.Context, selection url.Values) error {
	if q.f.by != "" {
		selection.Set("by", q.f.by)
	}
	if q.f.step != "" {
		selection.Set("step", q.f.step)
	}
	selection.Set("points", strconv.Itoa(cmp.Or(q.f.points, 60)))
	if q.f.limit > 0 {
		selection.Set("limit", strconv.Itoa(q.f.limit))
	}
	var v api.OverTime
	names := splitList(q.f.by)
	heading := q.columns(slices.Concat([]string{"time"}, names, []string{"value", "unit", "profiles", "duration"})...)
	err := q.answer(ctx, "/api/v1/series", selection, &v, heading, func() (rows [][]string) {
		type at struct {
			time int64
			row  []string
		}
		var all []at
		for _, s := range v.Series {
			for i, t := range s.Time {
				row := []string{q.time(t)}
				for _, name := range names {
					row = append(row, s.Labels[name])
				}
				value, unit := "", s.Unit
				if x, ok := s.Value[i].(float64); ok {
					value, unit = q.value(x, s.Unit)
				}
				all = append(all, at{t, append(row, value, unit, strconv.FormatInt(s.Profiles[i], 10), q.duration(s.Duration[i]))})
			}
		}
		slices.SortStableFunc(all, func(a, b at) int { return int(max(-1, min(1, a.time-b.time))) })
		for _, one := range all {
			rows = append(rows, one.row)
		}
		return rows
	})
	for _, text := range v.Warnings {
		q.app.warn(text)
	}
	if err == nil && v.Left > 0 {
		q.app.warn(fmt.Sprintf("%d more groups; -limit N shows them.", v.Left))
	}
	return err
}

// time prints a time in ms since 1970: in local time, or UTC in CSV.
func (q *queryRun) time(ms int64) string {
	t := time.UnixMilli(ms)
	if q.f.csv {
		return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	return t.Format(time.DateTime)
}

func (q *queryRun) duration(ns int64) string {
	if q.f.csv {
		return strconv.FormatInt(ns, 10)
	}
	return time.Duration(ns).Round(time.Millisecond).String()
}

// value prints a value in a readable unit, or unchanged in CSV.
func (q *queryRun) value(x float64, unit string) (value, shownUnit string) {
	if q.f.csv {
		return strconv.FormatFloat(x, 'f', -1, 64), unit
	}
	if x < 1e15 && x > -1e15 && (x >= 1000 || x <= -1000) {
		scaled, u := profile.Convert(int64(x), unit, "auto")
		return strconv.FormatFloat(scaled, 'f', 2, 64), u
	}
	return strconv.FormatFloat(x, 'f', -1, 64), unit
}
