package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/profile"
)

// flameTree is a flame graph that windows are cut from.
type flameTree struct {
	index    *report.FlameIndex
	warnings *warnings
}

// flameParams are the parameters that decide which tree it is, windowParams
// those that decide which part of it is sent.
var (
	flameParams  = []string{"inverted", "collapse", "pivot", "side"}
	windowParams = []string{"width", "from", "to", "node"}
)

// tree returns the tree of a query, complete, so that every zoom is of the same
// nodes.
func (s *Server) tree(ctx context.Context, q *query) (*flameTree, error) {
	o, to, err := q.treeOptions()
	if err != nil {
		return nil, err
	}
	shape := url.Values{}
	for _, name := range flameParams {
		shape.Set(name, q.own[name])
	}
	key := fmt.Sprintf("tree%s ?%s #%s", q.profilesKey(), q.optionsKey(), shape.Encode())
	return cached(ctx, s.cache, key, func(ctx context.Context) (*flameTree, int64, error) {
		t := &flameTree{warnings: newWarnings()}
		side := func(p *profile.Profile, err error) (*profile.Profile, error) {
			if err != nil {
				return nil, err
			}
			return report.Select(p, o, s.env(t.warnings))
		}
		base := s.meanwhile(ctx, q.base)
		head, err := side(s.sum(ctx, q.head))
		if err != nil {
			return nil, 0, err
		}
		to := to
		if err := q.checkSampleType(head); err != nil {
			return nil, 0, err
		}
		index, _ := head.SampleIndex(o.SampleIndex)
		if index < 0 {
			return nil, 0, errors.New("the profile has no sample types")
		}
		to.Types = []int{index}
		var tree *profile.Tree
		if len(q.base) > 0 {
			base, err := side(base())
			if err != nil {
				return nil, 0, err
			}
			tree, err = profile.NewDiffTree(base, head, to)
			if err != nil {
				return nil, 0, err
			}
		} else if tree, err = profile.NewTree(head, to); err != nil {
			return nil, 0, err
		}
		t.index = report.NewFlameIndex(tree, o.Unit)
		return t, treeBytes(tree), nil
	})
}

// settled is how long after the first view's tree the page is taken to be shown.
const settled = 3 * time.Second

// Prepare computes ahead of the first request what it will need, while the
// browser starts, and then gets the layout of call graphs going, whose program
// takes seconds to compile. Of a store, it asks what is asked first. It returns
// early when ctx is done.
func (s *Server) Prepare(ctx context.Context) {
	if s.store != nil {
		_, _, _ = s.cache.guarded(auth.With(ctx, auth.Anyone), func(ctx context.Context) (any, int64, error) {
			return nil, 0, s.prepareStore(ctx) // an error is for those who ask
		})
	}
	if len(s.cfg.Shown) == 0 {
		return
	}
	values, err := url.ParseQuery(s.Start())
	if err != nil {
		return
	}
	if q, err := s.newQuery(ctx, kindOf("flame"), values); err == nil {
		s.tree(ctx, q) // an error is for those who ask
	}
	select {
	case <-time.After(settled):
		graphviz.Place(ctx, []byte("digraph { a }"))
	case <-ctx.Done():
	}
}

// treeOptions returns what shapes the tree of a query.
func (q *query) treeOptions() (o report.Options, to profile.TreeOptions, err error) {
	o = q.config.Options
	to = profile.TreeOptions{Granularity: o.Granularity, NoInlines: o.NoInlines, Normalize: q.config.Normalize, Pivot: q.own["pivot"]}
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
		return o, to, badParam("side", "side is %q, not callees or callers", side)
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

func (s *Server) flame(ctx context.Context, q *query) (*answer, error) {
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.format != "json" {
		return s.flamePicture(ctx, q, t)
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
		return nil, badParam("width", "width is %d pixels", width)
	}
	window, err := t.index.Window(w)
	if err != nil {
		return nil, err
	}
	return reportAnswer(window, t.warnings, nil)
}

// flamePicture writes the whole graph as a file.
func (s *Server) flamePicture(ctx context.Context, q *query, t *flameTree) (*answer, error) {
	p, err := q.head[0].get(ctx)
	if err != nil {
		return nil, err
	}
	fo := report.FlameOptions{Title: q.head[0].name, Duration: time.Duration(p.DurationNanos), Warnings: t.warnings.list}
	if p.TimeNanos != 0 {
		fo.Time = time.Unix(0, p.TimeNanos)
	}
	var b bytes.Buffer
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
	return newAnswer(q.contentType(), b.Bytes()), nil
}

// maxMatches is how many matches of a search are sent.
const maxMatches = 500

func (s *Server) flameSearch(ctx context.Context, q *query) (*answer, error) {
	pattern := q.own["query"]
	if pattern == "" {
		return nil, badParam("query", "query is missing: a pattern to search for")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, badParam("query", "query: %w", err)
	}
	t, err := s.tree(ctx, q)
	if err != nil {
		return nil, err
	}
	return reportAnswer(t.index.Search(re, maxMatches), t.warnings, nil)
}

// warnings collects what reports warn of, each text once.
type warnings struct{ list []string }

func newWarnings() *warnings { return &warnings{list: []string{}} }

func (w *warnings) add(text string) {
	if !slices.Contains(w.list, text) {
		w.list = append(w.list, text)
	}
}

// env is what a report may use of the outside.
func (s *Server) env(w *warnings) report.Env {
	env := s.cfg.Env
	env.Warn = w.add
	return env
}
