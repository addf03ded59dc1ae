package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// A kind is a report by its name in the API.
type kind struct {
	name    string
	command string // of go tool pprof, the same report
	formats []format
	params  []string // its own, besides match
	// needsMatch is set where there is no report without a pattern, needsBase
	// where there is none without a comparison.
	needsMatch, needsBase bool
	answer                func(*Server, context.Context, *query) (*answer, error)
}

// A format is one of the forms a report comes in. The first of a kind is what
// it comes in unless asked.
type format struct {
	name        string
	contentType string
	ending      string // of files, "" for the name
}

var (
	asJSON      = format{"json", typeJSON, ""}
	asText      = format{"text", typeText, "txt"}
	asCSV       = format{"csv", "text/csv; charset=utf-8", ""}
	asSVG       = format{"svg", "image/svg+xml", ""}
	asHTML      = format{"html", "text/html; charset=utf-8", ""}
	asDOT       = format{"dot", typeText, ""}
	asPNG       = format{"png", "image/png", ""}
	asPDF       = format{"pdf", "application/pdf", ""}
	asCallgrind = format{"callgrind", typeText, ""}
	asFolded    = format{"folded", typeText, "folded.txt"}
	asProto     = format{"pb.gz", "application/octet-stream", ""}
)

var (
	paging = []string{"limit", "offset"}
	tables = append([]string{"find", "order"}, paging...)
)

// kinds are the reports of the API.
var kinds = []*kind{
	{name: "top", command: "top", formats: []format{asJSON, asText, asCSV}, params: tables, answer: (*Server).top},
	{name: "tree", command: "tree", formats: []format{asJSON, asText, asCSV}, params: paging, answer: (*Server).callTree},
	{name: "peek", command: "peek", formats: []format{asJSON, asText}, params: paging, needsMatch: true, answer: (*Server).callTree},
	{name: "source", command: "weblist", formats: []format{asJSON, asText, asHTML}, needsMatch: true, answer: (*Server).source},
	{name: "disasm", command: "disasm", formats: []format{asJSON, asText}, needsMatch: true, answer: (*Server).disasm},
	{name: "traces", command: "traces", formats: []format{asJSON, asText}, params: paging, answer: (*Server).traces},
	{name: "tags", command: "tags", formats: []format{asJSON, asText, asCSV}, params: paging, answer: (*Server).tags},
	{name: "graph", command: "dot", formats: []format{asJSON, asDOT, asSVG, asPNG, asPDF, asCallgrind}, answer: (*Server).graph},
	{name: "raw", command: "raw", formats: []format{asJSON, asText}, params: paging, answer: (*Server).raw},
	{name: "flame", formats: []format{asJSON, asHTML, asSVG, asFolded}, params: slices.Concat(flameParams, windowParams), answer: (*Server).flame},
	{name: "flame/search", formats: []format{asJSON}, params: append([]string{"query"}, flameParams...), answer: (*Server).flameSearch},
	{name: "diff", formats: []format{asJSON, asText, asCSV}, params: tables, needsBase: true, answer: (*Server).diff},
	{name: "proto", command: "proto", formats: []format{asProto}, answer: (*Server).text},
}

// kindOf returns the report with a name, or nil.
func kindOf(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

func (q *query) contentType() string {
	for _, f := range q.kind.formats {
		if f.name == q.format {
			return f.contentType
		}
	}
	return typeText
}

// report answers a request for a report.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	k := kindOf(name)
	if k == nil {
		return notFound("there is no report %q: see doc/api.md", name)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badParam("", "the query can't be read: %w", err)
	}
	q, err := s.newQuery(r.Context(), k, values)
	if err != nil {
		return err
	}
	a, err := s.answer(r.Context(), q)
	if err != nil {
		return err
	}
	switch q.format {
	case "html", "svg":
		// Whatever is in it, it never runs as a page of this server.
		w.Header().Set("Content-Security-Policy", sandboxPolicy)
		q.download = q.download || q.format == "html"
	}
	if q.download {
		attach(w.Header(), q.fileName())
	}
	return a.write(w, r, http.StatusOK, revalidate)
}

// answer returns the answer of a query, computed or kept.
func (s *Server) answer(ctx context.Context, q *query) (*answer, error) {
	return cached(ctx, s.cache, q.key(), func(ctx context.Context) (*answer, int64, error) {
		a, err := q.kind.answer(s, ctx, q)
		if err != nil {
			return nil, 0, err
		}
		return a, a.cost(), nil
	})
}

// reportAnswer returns a report as JSON. rows is the number of all its rows, nil
// if it can't be cut.
func reportAnswer(v any, w *warnings, rows *int) (*answer, error) {
	return jsonAnswer(struct {
		Report   any      `json:"report"`
		Warnings []string `json:"warnings"`
		Rows     *int     `json:"rows,omitempty"`
	}{v, w.list, rows})
}

// prepare returns the report of a query by a command of go tool pprof.
func (s *Server) prepare(ctx context.Context, q *query, command string) (*report.Report, *warnings, error) {
	p, err := s.subject(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if err := q.checkSampleType(p); err != nil {
		return nil, nil, err
	}
	w := newWarnings()
	r, err := report.New(p, command, q.match, q.config.Options, s.env(w))
	return r, w, err
}

// written returns what write writes as an answer.
func (q *query) written(write func(io.Writer) error) (*answer, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	return newAnswer(q.contentType(), b.Bytes()), nil
}

// text returns the report as go tool pprof prints it.
func (s *Server) text(ctx context.Context, q *query) (*answer, error) {
	return s.asCommand(ctx, q, q.kind.command)
}

func (s *Server) asCommand(ctx context.Context, q *query, command string) (*answer, error) {
	r, _, err := s.prepare(ctx, q, command)
	if err != nil {
		return nil, err
	}
	return q.written(r.WriteText)
}

const (
	usualRows  = 10_000
	usualLines = 1000 // of traces and raw
)

// A table is the value of a report with rows. It is kept, so that the next page
// of it costs nothing.
type table[T any] struct {
	value    T
	warnings *warnings
}

// cachedTable returns the table that make makes of the query's report. cost is
// told as a number of rows.
func cachedTable[T any](ctx context.Context, s *Server, q *query, make func(*report.Report) (T, int, error)) (*table[T], error) {
	key := fmt.Sprintf("table %s%s ?%s =%s", q.kind.name, q.profilesKey(), q.optionsKey(), q.match)
	return cached(ctx, s.cache, key, func(ctx context.Context) (*table[T], int64, error) {
		r, w, err := s.prepare(ctx, q, q.kind.command)
		if err != nil {
			return nil, 0, err
		}
		v, rows, err := make(r)
		return &table[T]{v, w}, rowBytes * int64(rows), err
	})
}

// rowBytes is about what a row of a table takes in memory: names and texts.
const rowBytes = 300

func (s *Server) top(ctx context.Context, q *query) (*answer, error) {
	t, err := cachedTable(ctx, s, q, func(r *report.Report) (*report.Top, int, error) {
		top := r.Top()
		return top, len(top.Rows), nil
	})
	if err != nil {
		return nil, err
	}
	return paged(q, t, (*report.Top).Page, (*report.Top).WriteText, (*report.Top).WriteCSV)
}

func (s *Server) callTree(ctx context.Context, q *query) (*answer, error) {
	t, err := cachedTable(ctx, s, q, func(r *report.Report) (*report.Tree, int, error) {
		tree, err := r.Tree()
		if err != nil {
			return nil, 0, err
		}
		rows := len(tree.Rows)
		for i := range tree.Rows {
			rows += len(tree.Rows[i].Callers) + len(tree.Rows[i].Callees)
		}
		return tree, rows, nil
	})
	if err != nil {
		return nil, err
	}
	return paged(q, t, (*report.Tree).Page, (*report.Tree).WriteText, (*report.Tree).WriteCSV)
}

func (s *Server) tags(ctx context.Context, q *query) (*answer, error) {
	t, err := cachedTable(ctx, s, q, func(r *report.Report) (*report.Tags, int, error) {
		tags := r.Tags()
		rows := 0
		for i := range tags.Keys {
			rows += 1 + len(tags.Keys[i].Values)
		}
		return tags, rows, nil
	})
	if err != nil {
		return nil, err
	}
	return paged(q, t, (*report.Tags).Page, (*report.Tags).WriteText, (*report.Tags).WriteCSV)
}

// paged returns a page of a table as JSON, or all of it in another format: files
// are of everything, but for what the user looked for.
func paged[T any](q *query, t *table[T], page func(T, report.Page) (T, int, error), text, csv func(T, io.Writer) error) (*answer, error) {
	p, err := q.page(usualRows)
	if err != nil {
		return nil, err
	}
	switch q.format {
	case "text":
		return q.written(func(w io.Writer) error { return text(t.value, w) })
	case "csv":
		if p, err = q.page(0); err != nil {
			return nil, err
		}
		v, _, err := page(t.value, p)
		if err != nil {
			return nil, err
		}
		return q.written(func(w io.Writer) error { return csv(v, w) })
	}
	v, rows, err := page(t.value, p)
	if err != nil {
		return nil, err
	}
	return reportAnswer(v, t.warnings, &rows)
}

func (s *Server) source(ctx context.Context, q *query) (*answer, error) {
	switch q.format {
	case "text":
		return s.asCommand(ctx, q, "list")
	case "html":
		return s.text(ctx, q)
	}
	r, w, err := s.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	l, err := r.WebList()
	if err != nil {
		return nil, err
	}
	return reportAnswer(l, w, nil)
}

func (s *Server) disasm(ctx context.Context, q *query) (*answer, error) {
	if q.format == "text" {
		return s.text(ctx, q)
	}
	r, w, err := s.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	d, err := r.Disasm()
	if err != nil && len(w.list) > 0 {
		// Why there was nothing to look in, which the command line warns of.
		return nil, fmt.Errorf("%w: %s", err, strings.Join(w.list, "; "))
	}
	if err != nil {
		return nil, err
	}
	return reportAnswer(d, w, nil)
}

func (s *Server) traces(ctx context.Context, q *query) (*answer, error) {
	return s.lines(ctx, q, func(r *report.Report, p report.Page) (any, int, error) {
		return r.TracesPage(p.Offset, p.Limit)
	})
}

func (s *Server) raw(ctx context.Context, q *query) (*answer, error) {
	return s.lines(ctx, q, func(r *report.Report, p report.Page) (any, int, error) {
		page, err := r.RawPage(p.Offset, p.Limit)
		if err != nil {
			return nil, 0, err
		}
		return page, page.Total, nil
	})
}

// lines returns a page of a report as JSON, with the number of all its lines, or
// all of it as text. The report is made for the page alone: it can be far longer
// than what one would keep.
func (s *Server) lines(ctx context.Context, q *query, page func(*report.Report, report.Page) (any, int, error)) (*answer, error) {
	p, err := q.page(usualLines)
	if err != nil {
		return nil, err
	}
	if q.format == "text" {
		return s.text(ctx, q)
	}
	r, w, err := s.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	v, total, err := page(r, p)
	if err != nil {
		return nil, err
	}
	return reportAnswer(v, w, &total)
}

func (s *Server) graph(ctx context.Context, q *query) (*answer, error) {
	switch q.format {
	case "dot":
		return s.text(ctx, q)
	case "callgrind":
		return s.asCommand(ctx, q, "callgrind")
	case "json":
		r, w, err := s.prepare(ctx, q, q.kind.command)
		if err != nil {
			return nil, err
		}
		g := r.Graph()
		layout, err := graphviz.Place(ctx, g.LayoutDOT())
		if err != nil {
			return nil, err
		}
		return reportAnswer(g.Place(layout), w, nil)
	}
	r, _, err := s.prepare(ctx, q, q.format)
	if err != nil {
		return nil, err
	}
	var dot bytes.Buffer
	if err := r.WriteText(&dot); err != nil {
		return nil, err
	}
	return q.written(func(w io.Writer) error { return graphviz.Render(ctx, dot.Bytes(), q.format, w) })
}

// comparison compares the query's profiles as runs of two sides.
func (s *Server) comparison(ctx context.Context, q *query) (*table[*report.Diff], error) {
	key := fmt.Sprintf("table %s%s ?%s", q.kind.name, q.profilesKey(), q.optionsKey())
	return cached(ctx, s.cache, key, func(ctx context.Context) (*table[*report.Diff], int64, error) {
		w := newWarnings()
		base, err := profilesOf(ctx, q.base)
		if err != nil {
			return nil, 0, err
		}
		head, err := profilesOf(ctx, q.head)
		if err != nil {
			return nil, 0, err
		}
		for _, side := range [][]*profile.Profile{base, head} {
			for i, p := range side {
				if err := q.checkSampleType(p); err != nil {
					return nil, 0, err
				}
				var err error
				if side[i], err = report.Select(p, q.config.Options, s.env(w)); err != nil {
					return nil, 0, err
				}
			}
		}
		d, err := report.NewDiff(base, head, q.config.Options, q.config.Normalize)
		if err != nil {
			return nil, 0, err
		}
		return &table[*report.Diff]{d, w}, rowBytes * int64(len(d.Rows)), nil
	})
}

func (s *Server) diff(ctx context.Context, q *query) (*answer, error) {
	t, err := s.comparison(ctx, q)
	if err != nil {
		return nil, err
	}
	return paged(q, t, (*report.Diff).Page, (*report.Diff).WriteText, (*report.Diff).WriteCSV)
}
