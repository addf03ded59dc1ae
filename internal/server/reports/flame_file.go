package reports

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// answerFlameFile answers with the whole graph as a file.
func answerFlameFile(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	p, err := q.head[0].Load(ctx)
	if err != nil {
		return nil, err
	}
	fo := report.FlameOptions{
		Title: q.head[0].Name, Duration: time.Duration(p.DurationNanos), Widths: q.flame.widths, PerSecond: q.config.PerSecond,
	}
	if p.TimeNanos != 0 {
		fo.Time = time.Unix(0, p.TimeNanos)
	}
	if len(q.base) > 0 {
		if fo.Chance, err = m.chance(ctx, q); err != nil {
			return nil, err
		}
	}
	if viewer := report.ViewerOf(q.format); viewer != nil {
		s, err := m.sides(ctx, q)
		if err != nil {
			return nil, err
		}
		o, column := viewer.Tree(s.base.selected, s.head.selected, q.treeOptions(ctx, s.index))
		t, err := s.tree(q, o, column)
		if err != nil {
			return nil, err
		}
		fo.Column = t.column
		a, err := q.written(ctx, func(w io.Writer) error { return viewer.Write(w, t.tree, fo) })
		if errors.Is(err, report.ErrNoComparison) { // in speedscope's format
			return nil, server.BadParam("format", "%w", err)
		}
		return a, err
	}
	t, err := m.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	fo.Warnings = t.warnings.list
	if q.format == "html" {
		fo.Mine = q.config.Mine != ""
		if fo.Turns, err = m.turns(ctx, q, t.tree); err != nil {
			return nil, err
		}
	}
	return q.written(ctx, func(w io.Writer) error {
		switch q.format {
		case "svg":
			return report.FlameSVG(w, t.tree, fo)
		case "html":
			return report.FlameHTML(w, t.tree, fo)
		}
		return report.Folded(w, t.tree, 0)
	})
}

// turns returns the other trees that the page of a tree can switch to: the other
// direction, and only your code or all code.
func (m *maker) turns(ctx context.Context, q *query, t *profile.Tree) ([]report.FlameTurn, error) {
	if q.flame.pivot != "" {
		return nil, nil
	}
	whole, err := m.sum(ctx, q.head)
	if err != nil {
		return nil, err
	}
	mine := q.config.Mine != ""
	var out []report.FlameTurn
	turn := func(inverted, otherCode bool) error {
		other := *q
		other.flame.inverted = inverted
		if otherCode && mine {
			other.config.Mine = ""
		} else if otherCode {
			other.config.Mine = report.MineModule
		}
		made, err := m.tree(ctx, &other)
		if err == nil {
			out = append(out, report.FlameTurn{Tree: made.tree, Mine: mine != otherCode})
		}
		return err
	}
	err = turn(!t.Inverted, false)
	if err == nil && (mine || report.Foldable(whole)) {
		err = errors.Join(turn(t.Inverted, true), turn(!t.Inverted, true))
	}
	return out, err
}
