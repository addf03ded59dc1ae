package reports

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
)

// Defaults of a grid.
const (
	usualCells         = 24
	usualCellFunctions = 5
)

// answerGrid answers what the values of a label cost. For a label of samples it reads the
// profile; for a label of whole profiles, the parts on the page.
func answerGrid(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	page, err := q.page(usualCells)
	if err != nil {
		return nil, err
	}
	n, err := q.number("functions", usualCellFunctions)
	if err != nil {
		return nil, err
	}
	if err := report.CheckGrid(page, int(n)); err != nil {
		return nil, err
	}
	r, w, err := m.prepare(ctx, q, "tags")
	if err != nil {
		return nil, err
	}
	by := q.own["by"]
	g, rows, err := r.Grid(by, page, int(n), q.yours())
	if err != nil {
		return nil, err
	}
	if len(q.base) > 0 {
		sampling, err := m.sampling(ctx, q)
		if err != nil {
			return nil, err
		}
		g.Judge(sampling)
	}
	q.nameParts(g)
	if parts := q.parts(); parts != nil {
		labels, err := parts.Labels(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range labels {
			if slices.ContainsFunc(g.Labels, func(of report.GridLabel) bool { return of.Key == l.Key }) {
				continue
			}
			g.Labels = append(g.Labels, l)
			if l.Key == by || by == "" && !tells(g) && (l.Values > 1 || g.By == "") {
				by, g.By, g.Cells = l.Key, l.Key, []report.GridCell{}
				if rows, err = m.addParts(ctx, q, g, parts, page, int(n)); err != nil {
					return nil, err
				}
			}
		}
	}
	if by != "" && !slices.ContainsFunc(g.Labels, func(l report.GridLabel) bool { return l.Key == by }) {
		return nil, server.BadParam("by", "unknown label %q", by)
	}
	return reportAnswer(ctx, g, w, &rows)
}

// tells reports whether a grid's label has several values, and at least half of the cost.
func tells(g *report.Grid) bool {
	i := slices.IndexFunc(g.Labels, func(l report.GridLabel) bool { return l.Key == g.By })
	return i >= 0 && g.Labels[i].Values > 1 && g.Labels[i].Total != nil && g.Labels[i].Total.Percent >= 50
}

// yours reports whether a grid has functions of your code: where no other report is folded, it is anyway. A comparison says itself
// which code it has.
func (q *query) yours() bool { return len(q.base) == 0 && q.config.Mine == "" }

// parts returns the parts by labels of whole profiles, nil if there are none. A comparison
// has none: the parts of one side say nothing about the other.
func (q *query) parts() Parts {
	if len(q.head) != 1 || len(q.base) > 0 {
		return nil
	}
	return q.head[0].Parts
}

// nameParts gives the cells of a label of samples the ids of their parts.
func (q *query) nameParts(g *report.Grid) {
	unit := q.config.Unit
	if unit == "minimum" {
		unit = ""
	}
	for i := range g.Cells {
		for _, p := range q.head {
			part := labelPart{p.ID, g.By, g.Cells[i].Value, unit}
			g.Cells[i].Profile = append(g.Cells[i].Profile, part.String())
		}
	}
}

// addParts adds the cells of a page from parts, and returns how many all pages have.
func (m *maker) addParts(ctx context.Context, q *query, g *report.Grid, parts Parts, page report.Page, n int) (rows int, err error) {
	find, err := regexp.Compile(page.Find)
	if err != nil {
		return 0, &report.ParamError{Param: "find", Err: err}
	}
	all, err := parts.By(ctx, g.By, q.config.SampleIndex)
	if err != nil {
		return 0, err
	}
	if len(all) > 0 {
		g.Most = int64(math.Round(all[0].Cost))
	}
	all = slices.DeleteFunc(all, func(p Part) bool { return !find.MatchString(p.Value) })
	rows = len(all)
	for _, part := range all[min(page.Offset, rows):min(page.Offset+page.Limit, rows)] {
		cell, err := m.cellOf(ctx, q, part, n)
		if err != nil {
			return 0, err
		}
		g.Most = max(g.Most, cell.Sum.Value)
		g.Cells = append(g.Cells, cell)
	}
	return rows, nil
}

// cellOf returns the cell of a part.
func (m *maker) cellOf(ctx context.Context, q *query, part Part, n int) (report.GridCell, error) {
	opened, err := part.Opened(ctx)
	if err != nil {
		return report.GridCell{}, err
	}
	of := *q
	of.head = []Opened{opened}
	key := "cell " + q.optionsKey() + opened.key()
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (report.GridCell, int64, error) {
		r, _, err := m.prepare(ctx, &of, "tags")
		if err != nil {
			return report.GridCell{}, 0, err
		}
		cell, err := r.Cell(part.Value, n, q.yours())
		if err = errors.Join(err, r.Err()); err != nil {
			return report.GridCell{}, 0, err
		}
		cell.Profile, cell.Profiles = []string{part.ID}, part.Profiles
		return cell, rowBytes * int64(1+len(cell.Functions)), nil
	})
}
