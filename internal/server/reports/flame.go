package reports

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

func (s *Service) flameSearch(ctx context.Context, q *query) (*server.Answer, error) {
	pattern := q.own["query"]
	if pattern == "" {
		return nil, server.BadParam("query", "query is missing: a pattern to search for")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, server.BadParam("query", "query: %w", err)
	}
	x, warnings, err := s.index(ctx, q)
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, x.Search(re, maxMatches), warnings, nil)
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

// index returns the graph of a query, that windows are cut from, and the warnings
// of its tree.
func (s *Service) index(ctx context.Context, q *query) (*report.FlameIndex, *Warnings, error) {
	widths := report.FlameWidths(q.own["widths"])
	if err := widths.Check(); err != nil {
		return nil, nil, err
	}
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if !t.tree.Diff() {
		widths = ""
	}
	x, err := server.Cached(ctx, s.srv.Cache, "flame "+string(widths)+" "+q.treeKey(), func(ctx context.Context) (*report.FlameIndex, int64, error) {
		const perNode = 8 + 8 + 4 // place, width and order
		if err := ingest.TakeFor(ctx, perNode*int64(t.tree.NumNodes())); err != nil {
			return nil, 0, err
		}
		x := report.NewFlameIndex(t.tree, q.config.Options, widths).Of(t.head, t.base)
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

// tree returns the tree of a query, complete, so that every zoom is of the same
// nodes, however wide they are drawn.
func (s *Service) tree(ctx context.Context, q *query) (*flameTree, error) {
	return server.Cached(ctx, s.srv.Cache, q.treeKey(), func(ctx context.Context) (*flameTree, int64, error) {
		t, err := s.newTree(ctx, q, nil)
		if err != nil {
			return nil, 0, err
		}
		return t, treeBytes(t.tree), nil
	})
}

// newTree makes the tree of a query: of its sample type alone, or as the file of a
// viewer needs it; then its sample type is one of several columns.
func (s *Service) newTree(ctx context.Context, q *query, viewer *report.Viewer) (*flameTree, error) {
	o, to, err := q.treeOptions()
	if err != nil {
		return nil, err
	}
	t := &flameTree{warnings: NewWarnings()}
	// side returns all of a side, and what filters leave of it.
	side := func(whole *profile.Profile, err error) (all, selected *profile.Profile, _ error) {
		if err != nil {
			return nil, nil, err
		}
		selected, err = report.Select(whole, o, t.warnings.Env(ctx, s.cfg.Env, whole))
		return whole, selected, err
	}
	otherSide := s.meanwhile(ctx, q.base)
	whole, head, err := side(s.sum(ctx, q.head))
	if err != nil {
		return nil, err
	}
	if err := q.checkSampleType(head); err != nil {
		return nil, err
	}
	index, _ := head.SampleIndex(o.SampleIndex)
	if index < 0 {
		return nil, errors.New("the profile has no sample types")
	}
	to.Types, to.Context, to.Budget = []int{index}, ctx, ingest.BudgetOf(ctx)
	total := func(whole, selected *profile.Profile) int64 {
		if o.RelativePercentages {
			whole = selected
		}
		return report.Magnitude(whole, head.SampleTypes[index])
	}
	t.head = total(whole, head)
	var wholeBase, base *profile.Profile
	if len(q.base) > 0 {
		if wholeBase, base, err = side(otherSide()); err != nil {
			return nil, err
		}
	}
	if viewer != nil {
		to, t.column = viewer.Tree(base, head, to)
	}
	if base == nil {
		if t.tree, err = profile.NewTree(head, to); err != nil {
			return nil, err
		}
		if t.tree.Diff() { // negative values are those of a base
			v := &t.tree.Values[t.column]
			t.head, t.base = v.Total[0], v.BaseTotal[0]
		}
		return t, nil
	}
	t.base = total(wholeBase, base)
	counted, countedBase := head, base // shares are of what filters leave
	if q.baseTotal != 0 {
		counted, countedBase = whole, wholeBase
	}
	to.BaseScales = q.scaling().BaseScales(countedBase, counted, to.Types)
	t.tree, err = profile.NewDiffTree(base, head, to)
	return t, err
}

// treeOptions returns what shapes the tree of a query.
func (q *query) treeOptions() (o report.Options, to profile.TreeOptions, err error) {
	o = q.config.Options
	to = profile.TreeOptions{Granularity: o.Granularity, NoInlines: o.NoInlines, Pivot: q.own["pivot"]}
	if to.Inverted, err = q.bool("inverted"); err != nil {
		return o, to, err
	}
	if to.CollapseRecursion, err = q.bool("collapse"); err != nil {
		return o, to, err
	}
	switch side := q.own["side"]; side {
	case "", "callees":
	case "callers":
		to.PivotCallers = true
	default:
		return o, to, server.BadParam("side", "side is %q, not callees or callers", side)
	}
	return o, to, nil
}

// treeBytes returns about how much memory a tree takes.
func treeBytes(t *profile.Tree) int64 {
	n := sliceBytes(t.Frame) + sliceBytes(t.Parent) + sliceBytes(t.Inlined) + sliceBytes(t.First) + sliceBytes(t.Folded) + sliceBytes(t.Frames)
	for i := range t.Values {
		v := &t.Values[i]
		for _, column := range [][]int64{v.Total, v.Self, v.Folded, v.BaseTotal, v.BaseSelf, v.BaseFolded} {
			n += sliceBytes(column)
		}
	}
	return n
}
