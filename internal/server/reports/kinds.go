package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

var (
	paging = []string{"limit", "offset"}
	tables = append([]string{"find", "order"}, paging...)
)

// kinds are the reports of the API.
var kinds = []*kind{
	{name: "top", command: "top", formats: []format{asJSON, asText, asCSV}, params: tables, answer: answerTop},
	{name: "tree", command: "tree", formats: []format{asJSON, asText, asCSV}, params: paging, answer: answerTree},
	{name: "peek", command: "peek", formats: []format{asJSON, asText}, params: paging, needsMatch: true, answer: answerTree},
	{name: "source", command: "weblist", formats: []format{asJSON, asText, asHTML}, needsMatch: true, answer: answerSource},
	{name: "source/diff", formats: []format{asJSON}, params: []string{"revision", "base_revision"}, needsMatch: true, needsBase: true, answer: answerSourceDiff},
	{name: "disasm", command: "disasm", formats: []format{asJSON, asText}, needsMatch: true, answer: answerDisasm},
	{name: "traces", command: "traces", formats: []format{asJSON, asText}, params: append([]string{"order"}, paging...), answer: answerTraces},
	{name: "tags", command: "tags", formats: []format{asJSON, asText, asCSV}, params: paging, answer: answerTags},
	{name: "grid", formats: []format{asJSON}, params: append([]string{"by", "find", "functions"}, paging...), answer: answerGrid},
	{name: "graph", command: "dot", formats: []format{asJSON, asDOT, asSVG, asPNG, asPDF, asCallgrind}, answer: answerGraph},
	{name: "raw", command: "raw", formats: []format{asJSON, asText}, params: append([]string{"find"}, paging...), answer: answerRaw},
	{name: "flame", formats: []format{asJSON, asHTML, asSVG, asFolded, asSpeedscope, asFirefox}, params: slices.Concat(flameParams, windowParams), read: readFlameWindow, answer: answerFlame, file: answerFlameFile},
	{name: "flame/search", formats: []format{asJSON}, params: append([]string{"query"}, flameParams...), read: readFlameSearch, answer: answerFlameSearch},
	{name: "summary", formats: []format{asJSON, asText}, answer: answerSummary},
	{name: "diff", formats: []format{asJSON, asText, asCSV}, params: tables, needsBase: true, answer: answerDiff},
	{name: "proto", command: "proto", formats: []format{asProto}, answer: answerProto},
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

// report answers a request for a report.
func (s *Service) report(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	k := kindOf(name)
	if k == nil {
		return server.NotFound("unknown report %q (see doc/reference/api.md)", name)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return server.BadParam("", "the query can't be read: %w", err)
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
		w.Header().Set("Content-Security-Policy", server.SandboxPolicy)
		q.download = q.download || q.format == "html"
	}
	if q.download {
		server.Attach(w.Header(), q.fileName())
	}
	return a.Write(w, r, http.StatusOK, server.Revalidate)
}

// answer returns the answer of a query, computed or kept.
func (s *Service) answer(ctx context.Context, q *query) (*server.Answer, error) {
	return server.Cached(ctx, s.srv.Cache, q.key(), func(ctx context.Context) (*server.Answer, int64, error) {
		answer := q.kind.answer
		if q.kind.file != nil && q.format != asJSON.name {
			answer = q.kind.file
		}
		a, err := answer(ctx, &s.maker, q)
		if err != nil {
			return nil, 0, err
		}
		return a, a.Cost(), nil
	})
}

// prepare returns the report of a query by a command of go tool pprof.
func (m *maker) prepare(ctx context.Context, q *query, command string) (*report.Report, *Warnings, error) {
	p, err := m.subject(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if _, err := q.sampleIndex(p); err != nil {
		return nil, nil, err
	}
	w := NewWarnings()
	r, err := report.New(p, command, q.match, q.config.Options, w.Env(ctx, m.env, p))
	return r, w, err
}

// text returns the report as go tool pprof prints it.
func answerText(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	return answerCommand(ctx, m, q, q.kind.command)
}

func answerCommand(ctx context.Context, m *maker, q *query, command string) (*server.Answer, error) {
	r, _, err := m.prepare(ctx, q, command)
	if err != nil {
		return nil, err
	}
	return q.written(ctx, r.WriteText)
}

// proto returns the profile itself.
func answerProto(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	r, _, err := m.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	return q.written(ctx, r.Scaled().EncodeFast)
}

const (
	usualRows  = 10_000
	usualLines = 1000 // of traces and raw
)

// A table is the value of a report with rows. It is kept, so that the next page
// of it costs nothing.
type table[T any] struct {
	value    T
	warnings *Warnings
}

// cachedTable returns the table that make makes of the query's report. cost is
// told as a number of rows.
func cachedTable[T any](ctx context.Context, m *maker, q *query, make func(*report.Report) (T, int, error)) (*table[T], error) {
	key := fmt.Sprintf("table %s%s ?%s =%s %+v", q.kind.name, q.profilesKey(), q.optionsKey(), q.match, q.scaling())
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (*table[T], int64, error) {
		r, w, err := m.prepare(ctx, q, q.kind.command)
		if err != nil {
			return nil, 0, err
		}
		v, rows, err := make(r)
		if err == nil {
			err = r.Err()
		}
		return &table[T]{v, w}, rowBytes * int64(rows), err
	})
}

// rowBytes is about what a row of a table takes in memory: names and texts.
const rowBytes = 300

func answerTop(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	if q.format == "text" {
		return answerText(ctx, m, q)
	}
	t, err := cachedTable(ctx, m, q, func(r *report.Report) (*report.Top, int, error) {
		top := r.Top()
		return top, len(top.Rows), nil
	})
	if err != nil {
		return nil, err
	}
	return paged(ctx, q, t, (*report.Top).Page, (*report.Top).WriteCSV)
}

func answerTree(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	if q.format == "text" {
		return answerText(ctx, m, q)
	}
	t, err := cachedTable(ctx, m, q, func(r *report.Report) (*report.Tree, int, error) {
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
	return paged(ctx, q, t, (*report.Tree).Page, (*report.Tree).WriteCSV)
}

func answerTags(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	if q.format == "text" {
		return answerText(ctx, m, q)
	}
	t, err := cachedTable(ctx, m, q, func(r *report.Report) (*report.Tags, int, error) {
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
	return paged(ctx, q, t, (*report.Tags).Page, (*report.Tags).WriteCSV)
}

// paged returns a page of a table as JSON, or all of it as CSV: files are of everything, but
// for what the user looked for.
func paged[T any](ctx context.Context, q *query, t *table[T], page func(T, report.Page) (T, int, error), csv func(T, io.Writer) error) (*server.Answer, error) {
	p, err := q.page(usualRows)
	if err != nil {
		return nil, err
	}
	if q.format == "csv" {
		if p, err = q.page(0); err != nil {
			return nil, err
		}
		v, _, err := page(t.value, p)
		if err != nil {
			return nil, err
		}
		return q.written(ctx, func(w io.Writer) error { return csv(v, w) })
	}
	v, rows, err := page(t.value, p)
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, v, t.warnings, &rows)
}

func answerSource(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	switch q.format {
	case "text":
		return answerCommand(ctx, m, q, "list")
	case "html":
		return answerText(ctx, m, q)
	}
	r, w, err := m.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	l, err := r.WebList()
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, l, w, nil)
}

func answerDisasm(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	if q.format == "text" {
		return answerText(ctx, m, q)
	}
	r, w, err := m.prepare(ctx, q, q.kind.command)
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
	return reportAnswer(ctx, d, w, nil)
}

func answerTraces(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	return answerLines(ctx, m, q, func(r *report.Report, p report.Page) (any, int, error) { return r.TracesPage(p) })
}

func answerRaw(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	return answerLines(ctx, m, q, func(r *report.Report, p report.Page) (any, int, error) {
		page, err := r.RawPage(p)
		if err != nil {
			return nil, 0, err
		}
		return page, page.Total, nil
	})
}

// lines returns a page of a report as JSON, with the number of all its lines, or
// all of it as text. The report is made for the page alone: it can be far longer
// than what one would keep.
func answerLines(ctx context.Context, m *maker, q *query, page func(*report.Report, report.Page) (any, int, error)) (*server.Answer, error) {
	p, err := q.page(usualLines)
	if err != nil {
		return nil, err
	}
	if q.format == "text" {
		return answerText(ctx, m, q)
	}
	r, w, err := m.prepare(ctx, q, q.kind.command)
	if err != nil {
		return nil, err
	}
	p.Most = ingest.AnswersOf(ctx).Most
	v, total, err := page(r, p)
	if errors.Is(err, report.ErrLongPage) {
		return nil, ingest.AnswersOf(ctx).TooLarge()
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, v, w, &total)
}

func answerSummary(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	p, err := m.subject(ctx, q)
	if err != nil {
		return nil, err
	}
	if _, err := q.sampleIndex(p); err != nil {
		return nil, err
	}
	by, err := m.sampling(ctx, q)
	if err != nil {
		return nil, err
	}
	w := NewWarnings()
	v, err := report.NewSummary(p, q.config.Options, w.Env(ctx, m.env, p), by)
	if err != nil {
		return nil, err
	}
	if len(q.base) > 0 {
		compared, err := m.comparison(ctx, q)
		if err != nil {
			return nil, err
		}
		v.Change = compared.value.InShort(report.SummaryFunctions)
	}
	if q.format == "text" {
		return q.written(ctx, v.WriteText)
	}
	return reportAnswer(ctx, v, w, nil)
}

func answerGraph(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	switch q.format {
	case "dot":
		return answerText(ctx, m, q)
	case "callgrind":
		return answerCommand(ctx, m, q, "callgrind")
	case "json":
		r, w, err := m.prepare(ctx, q, q.kind.command)
		if err != nil {
			return nil, err
		}
		g := r.Graph()
		if err := r.Err(); err != nil {
			return nil, err
		}
		layout, err := m.graphs.Place(ctx, g.LayoutDOT())
		if err != nil {
			return nil, err
		}
		return reportAnswer(ctx, g.Place(layout), w, nil)
	}
	r, _, err := m.prepare(ctx, q, q.format)
	if err != nil {
		return nil, err
	}
	dot := ingest.AnswersOf(ctx).Buffer(ctx)
	defer dot.Close()
	if err := r.WriteText(dot); err != nil {
		return nil, err
	}
	text, err := dot.Bytes()
	if err != nil {
		return nil, err
	}
	return q.written(ctx, func(w io.Writer) error { return m.graphs.Render(ctx, text, q.format, w) })
}

// comparison compares the query's profiles as runs of two sides.
func (m *maker) comparison(ctx context.Context, q *query) (*table[*report.Diff], error) {
	key := fmt.Sprintf("table %s%s ?%s", q.kind.name, q.profilesKey(), q.optionsKey())
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (*table[*report.Diff], int64, error) {
		w := NewWarnings()
		base, err := profilesOf(ctx, q.base)
		if err != nil {
			return nil, 0, err
		}
		head, err := profilesOf(ctx, q.head)
		if err != nil {
			return nil, 0, err
		}
		scaling := q.scaling()
		if q.baseTotal != 0 {
			scaling.Base, scaling.Head = slices.Clone(base), slices.Clone(head)
		}
		for _, side := range [][]*profile.Profile{base, head} {
			for i, p := range side {
				if _, err := q.sampleIndex(p); err != nil {
					return nil, 0, err
				}
				var err error
				if side[i], err = report.Select(p, q.config.Options, w.Env(ctx, m.env, p)); err != nil {
					return nil, 0, err
				}
			}
		}
		d, err := report.NewDiff(ctx, base, head, q.config.Options, scaling)
		if err != nil {
			return nil, 0, err
		}
		chance, err := m.chance(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		d.Judge(chance)
		return &table[*report.Diff]{d, w}, rowBytes * int64(len(d.Rows)), nil
	})
}

func answerDiff(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	t, err := m.comparison(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.format == "text" {
		return q.written(ctx, t.value.WriteText)
	}
	return paged(ctx, q, t, (*report.Diff).Page, (*report.Diff).WriteCSV)
}
