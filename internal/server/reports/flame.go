package reports

import (
	"context"
	"encoding/json"
	"io"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

func answerFlame(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	x, warnings, err := m.index(ctx, q)
	if err != nil {
		return nil, err
	}
	w := q.flame.window
	w.Budget = ingest.BudgetOf(ctx)
	window, err := x.Window(w)
	if err != nil {
		return nil, err
	}
	return windowAnswer(ctx, window, warnings)
}

// windowAnswer does what reportAnswer does, for a window, which writes its own JSON.
func windowAnswer(ctx context.Context, window *report.FlameWindow, warnings *Warnings) (*server.Answer, error) {
	return server.Compose(ctx, server.TypeJSON, func(w io.Writer) error {
		if _, err := io.WriteString(w, `{"report":`); err != nil {
			return err
		}
		if err := window.WriteJSON(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, `,"warnings":`); err != nil {
			return err
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		if err := e.Encode(warnings.list); err != nil {
			return err
		}
		_, err := io.WriteString(w, "}\n")
		return err
	})
}

// maxMatches is the most matches in the answer to a search.
const maxMatches = 500

func answerFlameSearch(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	x, warnings, err := m.index(ctx, q)
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, x.Search(q.flame.search, maxMatches), warnings, nil)
}

// index returns the graph of a query, which answers requests for windows, and the
// warnings of its tree.
func (m *maker) index(ctx context.Context, q *query) (*report.FlameIndex, *Warnings, error) {
	t, err := m.tree(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	widths := q.flame.widths
	if !t.tree.Diff() {
		widths = ""
	}
	x, err := server.Cached(ctx, m.cache, "flame "+string(widths)+" "+q.treeKey(), func(ctx context.Context) (*report.FlameIndex, int64, error) {
		const perNode = 8 + 8 + 4 // start, width and order
		if err := ingest.TakeFor(ctx, perNode*int64(t.tree.NumNodes())); err != nil {
			return nil, 0, err
		}
		var chance *report.Chance
		if len(q.base) > 0 {
			if chance, err = m.chance(ctx, q); err != nil {
				return nil, 0, err
			}
		}
		x := report.NewFlameIndex(t.tree, q.config.Options, widths).Of(t.head, t.base).Varying(chance, q.flame.pivot)
		return x, x.Bytes(), nil
	})
	return x, t.warnings, err
}

// A flameTree is the tree that flame graphs are made from.
type flameTree struct {
	tree   *profile.Tree
	column int // of the query's sample type: 0, except in the file of a viewer
	// head and base are the totals that percentages refer to, not scaled. As in
	// tables they are those of the whole profile, or with relative_percentages those
	// of the filtered one.
	head, base int64
	warnings   *Warnings
}

// tree returns the complete tree of a query. All zoom levels show its nodes, however
// wide they are drawn.
func (m *maker) tree(ctx context.Context, q *query) (*flameTree, error) {
	return server.Cached(ctx, m.cache, q.treeKey(), func(ctx context.Context) (*flameTree, int64, error) {
		s, err := m.sides(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		o := q.treeOptions(ctx, s.index)
		t, err := s.tree(q, o, 0)
		if err != nil {
			return nil, 0, err
		}
		return t, t.tree.Bytes(), nil
	})
}

// treeOptions returns the options for the tree of a query with one sample type.
func (q *query) treeOptions(ctx context.Context, sampleType int) profile.TreeOptions {
	f := &q.flame
	return profile.TreeOptions{
		Types: []int{sampleType}, Granularity: q.config.Granularity, NoInlines: q.config.NoInlines,
		Inverted: f.inverted, CollapseRecursion: f.collapse, Pivot: f.pivot, PivotCallers: f.callers,
		Context: ctx, Budget: ingest.BudgetOf(ctx),
	}
}

// tree makes the tree of a query's sides. column is that of the query's sample type
// among the types of o.
func (s *sides) tree(q *query, o profile.TreeOptions, column int) (t *flameTree, err error) {
	t = &flameTree{column: column, warnings: s.warnings}
	st := s.head.selected.SampleTypes[s.index]
	t.head = s.head.total(st, q.config.RelativePercentages)
	compared := s.base.whole != nil
	if compared {
		t.base = s.base.total(st, q.config.RelativePercentages)
		counted, countedBase := s.head.selected, s.base.selected // shares refer to the filtered profiles
		if q.baseTotal != 0 {
			counted, countedBase = s.head.whole, s.base.whole
		}
		o.BaseScales = s.scaling.BaseScales(countedBase, counted, o.Types)
	}
	if t.tree, err = profile.NewDiffTree(s.base.selected, s.head.selected, o); err != nil {
		return nil, err
	}
	if !compared && t.tree.Diff() { // negative values belong to a base
		v := &t.tree.Values[column]
		t.head, t.base = v.Total[0], v.BaseTotal[0]
	}
	return t, nil
}
