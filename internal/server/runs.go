package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Runs answers questions about kept runs. What it returns to be shown is what
// doc/api.md describes; the server makes JSON of it. A run is named by its id,
// or as hone runs says: latest, latest~1. An error that is fs.ErrNotExist says
// that there is no such run. Methods are called from several goroutines.
type Runs interface {
	// List returns all runs, the newest first.
	List(ctx context.Context) (any, error)
	// Run returns what is known of a run but for its results.
	Run(ctx context.Context, name string) (any, error)
	// Compare returns what hone compare says of runs in one of its formats:
	// json, csv, text, markdown or html. Of a single run those are its results.
	Compare(ctx context.Context, names []string, format string) ([]byte, error)
	// Trend returns results over the newest runs, the oldest first.
	Trend(ctx context.Context, of TrendQuery) (any, error)
	// Profile returns a profile named RUN:Benchmark/kind, with that as its ID.
	Profile(ctx context.Context, name string) (Source, error)
}

// A TrendQuery selects what a trend is of. An empty text selects all.
type TrendQuery struct {
	Package, Benchmark, Unit string
	Limit                    int // runs at most
}

const (
	usualTrend  = 200  // runs
	mostTrend   = 5000 // runs
	maxCompared = 20   // runs of a comparison
)

// runFormats are the formats of comparisons with their content types.
var runFormats = map[string]string{
	"json": typeJSON, "csv": "text/csv; charset=utf-8", "text": typeText,
	"markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8",
}

func (s *Server) runRoutes(handle func(pattern string, h handlerFunc)) {
	handle("GET /api/v1/runs", s.listRuns)
	handle("GET /api/v1/runs/compare", s.compareRuns)
	handle("GET /api/v1/runs/trend", s.runTrend)
	handle("GET /api/v1/runs/{id}", s.run)
}

// runs returns the kept runs, or the error that there are none.
func (s *Server) runs() (Runs, error) {
	if s.cfg.Runs == nil {
		return nil, notFound("there are no kept runs here: hone bench makes one, hone ui -runs DIR says where they are")
	}
	return s.cfg.Runs, nil
}

func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	return s.answerRuns(w, r, nil, func(runs Runs, _ url.Values) (any, error) { return runs.List(r.Context()) })
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) error {
	return s.answerRuns(w, r, nil, func(runs Runs, _ url.Values) (any, error) { return runs.Run(r.Context(), r.PathValue("id")) })
}

func (s *Server) runTrend(w http.ResponseWriter, r *http.Request) error {
	return s.answerRuns(w, r, []string{"package", "benchmark", "unit", "limit"}, func(runs Runs, q url.Values) (any, error) {
		of := TrendQuery{Package: q.Get("package"), Benchmark: q.Get("benchmark"), Unit: q.Get("unit"), Limit: usualTrend}
		if text := q.Get("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostTrend {
				return nil, badParam("limit", "limit is %q, not a number of runs from 1 to %d", text, mostTrend)
			}
			of.Limit = n
		}
		return runs.Trend(r.Context(), of)
	})
}

// answerRuns answers with what get returns, as JSON. params are the parameters
// that a request may have.
func (s *Server) answerRuns(w http.ResponseWriter, r *http.Request, params []string, get func(Runs, url.Values) (any, error)) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	q, err := runParams(r, params...)
	if err != nil {
		return err
	}
	v, err := get(runs, q)
	if err != nil {
		return runError(err)
	}
	a, err := jsonAnswer(v)
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, revalidate)
}

// compareRuns answers with a comparison. Its answers are not kept: they depend
// on files that may change, and are quickly made again.
func (s *Server) compareRuns(w http.ResponseWriter, r *http.Request) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	q, err := runParams(r, "run", "format", "download")
	if err != nil {
		return err
	}
	names := q["run"]
	switch {
	case len(names) == 0:
		return badParam("run", "run is missing: the id of a run, see /api/v1/runs; several are compared with the first")
	case len(names) > maxCompared:
		return badParam("run", "%d runs are more than %d", len(names), maxCompared)
	}
	format := "json"
	if q.Has("format") {
		format = q.Get("format")
	}
	contentType, ok := runFormats[format]
	if !ok {
		return badParam("format", "a comparison has no format %q: it has json, csv, text, markdown, html", format)
	}
	download, err := flag("download", q.Get("download"))
	if err != nil {
		return err
	}
	body, err := runs.Compare(r.Context(), names, format)
	if err != nil {
		return runError(err)
	}
	if download || format == "html" {
		ending := map[string]string{"text": "txt", "markdown": "md"}[format]
		if ending == "" {
			ending = format
		}
		attach(w.Header(), strings.Join(names, "-")+"."+ending)
	}
	if format == "html" {
		w.Header().Set("Content-Security-Policy", sandboxPolicy)
	}
	return newAnswer(contentType, body).write(w, r, http.StatusOK, revalidate)
}

// runParams reads parameters, of which only "run" may be given several times.
func runParams(r *http.Request, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badParam("", "the query can't be read: %w", err)
	}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			return nil, badParam(name, "unknown parameter %q", name)
		case len(values) > 1 && name != "run":
			return nil, badParam(name, "%s is given %d times", name, len(values))
		}
	}
	return q, nil
}

// runError gives errors of runs their status.
func runError(err error) error {
	var re *requestError
	if errors.As(err, &re) || errors.Is(err, context.Canceled) {
		return err
	}
	return &requestError{statusOf(err), "", err}
}

func statusOf(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return http.StatusNotFound
	}
	return http.StatusUnprocessableEntity
}
