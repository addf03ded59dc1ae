package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// flameTree is a flame graph that windows are cut from.
type flameTree struct {
	index    *report.FlameIndex
	warnings *Warnings
}

// flameParams are the parameters that decide which tree it is, windowParams
// those that decide which part of it is sent.
var (
	flameParams  = []string{"inverted", "collapse", "pivot", "side"}
	windowParams = []string{"width", "from", "to", "node"}
)

// tree returns the tree of a query, complete, so that every zoom is of the same
// nodes.
func (s *Service) tree(ctx context.Context, q *query) (*flameTree, error) {
	if _, _, err := q.treeOptions(); err != nil {
		return nil, err
	}
	shape := url.Values{}
	for _, name := range flameParams {
		shape.Set(name, q.own[name])
	}
	key := fmt.Sprintf("tree%s ?%s #%s", q.profilesKey(), q.optionsKey(), shape.Encode())
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*flameTree, int64, error) {
		w := NewWarnings()
		tree, _, err := s.newTree(ctx, q, nil, w)
		if err != nil {
			return nil, 0, err
		}
		return &flameTree{report.NewFlameIndex(tree, q.config.Unit), w}, treeBytes(tree), nil
	})
}

// newTree makes the tree of a query: of its sample type alone, or as the file of a
// viewer needs it; then its sample type is one of several columns.
func (s *Service) newTree(ctx context.Context, q *query, viewer *report.Viewer, w *Warnings) (tree *profile.Tree, column int, err error) {
	o, to, err := q.treeOptions()
	if err != nil {
		return nil, 0, err
	}
	side := func(p *profile.Profile, err error) (*profile.Profile, error) {
		if err != nil {
			return nil, err
		}
		return report.Select(p, o, w.Env(s.cfg.Env, p))
	}
	base := s.meanwhile(ctx, q.base)
	head, err := side(s.sum(ctx, q.head))
	if err != nil {
		return nil, 0, err
	}
	if err := q.checkSampleType(head); err != nil {
		return nil, 0, err
	}
	index, _ := head.SampleIndex(o.SampleIndex)
	if index < 0 {
		return nil, 0, errors.New("the profile has no sample types")
	}
	to.Types = []int{index}
	var before *profile.Profile
	if len(q.base) > 0 {
		if before, err = side(base()); err != nil {
			return nil, 0, err
		}
	}
	if viewer != nil {
		to, column = viewer.Tree(before, head, to)
	}
	if before == nil {
		tree, err = profile.NewTree(head, to)
	} else {
		tree, err = profile.NewDiffTree(before, head, to)
	}
	return tree, column, err
}

// treeOptions returns what shapes the tree of a query.
func (q *query) treeOptions() (o report.Options, to profile.TreeOptions, err error) {
	o = q.config.Options
	to = profile.TreeOptions{Granularity: o.Granularity, NoInlines: o.NoInlines, Normalize: q.config.Normalize, BaseTotal: q.baseTotal, Pivot: q.own["pivot"]}
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

// treeBytes returns about how much memory a tree with its index takes.
func treeBytes(t *profile.Tree) int64 {
	n := sliceBytes(t.Frame) + sliceBytes(t.Parent) + sliceBytes(t.Inlined) + sliceBytes(t.First) + sliceBytes(t.Folded) + sliceBytes(t.Frames)
	for i := range t.Values {
		v := &t.Values[i]
		for _, column := range [][]int64{v.Total, v.Self, v.Folded, v.BaseTotal, v.BaseSelf, v.BaseFolded} {
			n += sliceBytes(column)
		}
	}
	return n + 8*int64(t.NumNodes())
}

func (s *Service) flame(ctx context.Context, q *query) (*server.Answer, error) {
	if q.format != "json" {
		return s.flameFile(ctx, q)
	}
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	var w report.Window
	var bad error
	number := func(name string) int64 {
		n, err := q.number(name, 0)
		bad = errors.Join(bad, err)
		return n
	}
	w.From, w.To, w.Node = number("from"), number("to"), number("node")
	width := number("width")
	if bad != nil {
		return nil, bad
	}
	if w.Width = int(width); int64(w.Width) != width {
		return nil, server.BadParam("width", "width is %d pixels", width)
	}
	window, err := t.index.Window(w)
	if err != nil {
		return nil, err
	}
	return reportAnswer(window, t.warnings, nil)
}

// flameFile writes the whole graph as a file.
func (s *Service) flameFile(ctx context.Context, q *query) (*server.Answer, error) {
	p, err := q.head[0].Load(ctx)
	if err != nil {
		return nil, err
	}
	fo := report.FlameOptions{Title: q.head[0].Name, Duration: time.Duration(p.DurationNanos)}
	if p.TimeNanos != 0 {
		fo.Time = time.Unix(0, p.TimeNanos)
	}
	var b bytes.Buffer
	if viewer := report.ViewerOf(q.format); viewer != nil {
		var tree *profile.Tree
		if tree, fo.Column, err = s.newTree(ctx, q, viewer, NewWarnings()); err != nil {
			return nil, err
		}
		if err := viewer.Write(&b, tree, fo); err != nil { // a comparison in speedscope's format
			return nil, server.BadParam("format", "%w", err)
		}
		return server.NewAnswer(q.contentType(), b.Bytes()), nil
	}
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	fo.Warnings = t.warnings.list
	switch q.format {
	case "folded":
		err = report.Folded(&b, t.index.Tree(), 0)
	case "svg":
		err = report.FlameSVG(&b, t.index.Tree(), fo)
	case "html":
		if q.own["pivot"] == "" {
			turned := *q
			turned.own = map[string]string{}
			for name, value := range q.own {
				turned.own[name] = value
			}
			turned.own["inverted"] = "1"
			if t.index.Tree().Inverted {
				delete(turned.own, "inverted")
			}
			other, err := s.tree(ctx, &turned)
			if err != nil {
				return nil, err
			}
			fo.Inverted = other.index.Tree()
		}
		err = report.FlameHTML(&b, t.index.Tree(), fo)
	}
	if err != nil {
		return nil, err
	}
	return server.NewAnswer(q.contentType(), b.Bytes()), nil
}

// maxMatches is how many matches of a search are sent.
const maxMatches = 500

func (s *Service) flameSearch(ctx context.Context, q *query) (*server.Answer, error) {
	pattern := q.own["query"]
	if pattern == "" {
		return nil, server.BadParam("query", "query is missing: a pattern to search for")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, server.BadParam("query", "query: %w", err)
	}
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	return reportAnswer(t.index.Search(re, maxMatches), t.warnings, nil)
}
