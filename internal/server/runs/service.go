// Package runs serves the query API of kept runs: lists, descriptions of runs,
// comparisons and trends.
//
//	derived.go   values of runs, cached until the runs change
//	medians.go   the medians of a run
//	kept.go      runs in their folders: lists, facts, comparisons, profiles by name
//	trend.go     medians over runs
//	verdicts.go  verdicts of runs with a base
//	service.go   routes and parameters
package runs

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// Runs are kept runs, such as a [Kept]. The name of a run is its ID, or latest or
// latest~1, as in hone runs. Methods return fs.ErrNotExist for unknown runs. They
// must be safe for concurrent use.
type Runs interface {
	// List returns all runs, newest first.
	List(ctx context.Context) (*api.RunList, error)
	// Run describes a run, without its results.
	Run(ctx context.Context, name string) (*api.RunAbout, error)
	// Load returns the course of a load test. It also returns fs.ErrNotExist if the run
	// isn't a load test.
	Load(ctx context.Context, name string) (*api.RunLoad, error)
	// Compare returns the output of hone compare in one of its formats: json, csv, text,
	// markdown or html. For a single run, these are its results.
	Compare(ctx context.Context, names []string, format string) ([]byte, error)
	// Verdicts returns the verdicts of the newest runs with a base, at most limit.
	Verdicts(ctx context.Context, limit int) (*api.RunVerdicts, error)
	// Trend returns results of the newest runs, oldest first.
	Trend(ctx context.Context, of TrendQuery) (*api.Trend, error)
}

const (
	usualTrend = 200 // runs
	// New runs have to be compared first, while the user waits.
	usualVerdicts = 50
	maxCompared   = 20 // runs per comparison
)

// runFormats maps the formats of comparisons to their content types.
var runFormats = map[string]string{
	"json": server.TypeJSON, "csv": "text/csv; charset=utf-8", "text": server.TypeText,
	"markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8",
}

// Service serves the query API of kept runs.
type Service struct{ runs Runs }

// New adds the service to a server.
func New(srv *server.Server, runs Runs) *Service {
	s := &Service{runs}
	routes(srv, s.list, s.compare, s.trend, s.verdicts, s.run, s.load)
	return s
}

// Absent adds the service's routes to a server without runs. They answer with an
// error that says so.
func Absent(srv *server.Server) {
	none := func(http.ResponseWriter, *http.Request) error {
		return server.NotFound("this server has no kept runs: make one with hone bench, or name their folder with hone ui -runs DIR")
	}
	routes(srv, none, none, none, none, none, none)
}

func routes(srv *server.Server, list, compare, trend, verdicts, run, load server.HandlerFunc) {
	srv.Handle("GET /api/v1/runs", auth.Read, list)
	srv.Handle("GET /api/v1/runs/compare", auth.Read, compare)
	srv.Handle("GET /api/v1/runs/trend", auth.Read, trend)
	srv.Handle("GET /api/v1/runs/verdicts", auth.Read, verdicts)
	srv.Handle("GET /api/v1/runs/{id}", auth.Read, run)
	srv.Handle("GET /api/v1/runs/{id}/load", auth.Read, load)
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	list, err := s.runs.List(r.Context())
	return answer(w, r, list, err)
}

func (s *Service) run(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	about, err := s.runs.Run(r.Context(), r.PathValue("id"))
	return answer(w, r, about, err)
}

func (s *Service) load(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	load, err := s.runs.Load(r.Context(), r.PathValue("id"))
	return answer(w, r, load, err)
}

func (s *Service) verdicts(w http.ResponseWriter, r *http.Request) error {
	q, err := server.Params(r, []string{"limit"})
	if err != nil {
		return err
	}
	limit, err := limitOf(q.Get("limit"), usualVerdicts)
	if err != nil {
		return err
	}
	verdicts, err := s.runs.Verdicts(r.Context(), limit)
	return answer(w, r, verdicts, err)
}

// limitOf reads a number of runs.
func limitOf(text string, usual int) (int, error) {
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxRuns {
		return 0, server.BadParam("limit", "invalid limit %q: use 1 to %d runs", text, maxRuns)
	}
	return n, nil
}

func (s *Service) trend(w http.ResponseWriter, r *http.Request) error {
	q, err := server.Params(r, []string{"package", "benchmark", "unit", "limit"})
	if err != nil {
		return err
	}
	of := TrendQuery{Package: q.Get("package"), Benchmark: q.Get("benchmark"), Unit: q.Get("unit")}
	if of.Limit, err = limitOf(q.Get("limit"), usualTrend); err != nil {
		return err
	}
	trend, err := s.runs.Trend(r.Context(), of)
	return answer(w, r, trend, err)
}

// answer answers with a value as JSON.
func answer[T any](w http.ResponseWriter, r *http.Request, v *T, err error) error {
	if err != nil {
		return runError(err)
	}
	return server.WriteJSON(w, r, v)
}

// compare answers with a comparison. It doesn't cache answers: they depend on files
// that may change, and computing them again is fast.
func (s *Service) compare(w http.ResponseWriter, r *http.Request) error {
	q, err := server.Params(r, []string{"format", "download"}, "run")
	if err != nil {
		return err
	}
	names := q["run"]
	switch {
	case len(names) == 0:
		return server.BadParam("run", "run is missing: give ids of runs from /api/v1/runs; hone compares them with the first")
	case len(names) > maxCompared:
		return server.BadParam("run", "too many runs: %d, the limit is %d", len(names), maxCompared)
	}
	format := "json"
	if q.Has("format") {
		format = q.Get("format")
	}
	contentType, ok := runFormats[format]
	if !ok {
		return server.BadParam("format", "unknown format %q of a comparison (known: json, csv, text, markdown, html)", format)
	}
	download, err := server.Flag("download", q.Get("download"))
	if err != nil {
		return err
	}
	body, err := s.runs.Compare(r.Context(), names, format)
	if err != nil {
		return runError(err)
	}
	if download || format == "html" {
		ending := map[string]string{"text": "txt", "markdown": "md"}[format]
		if ending == "" {
			ending = format
		}
		server.Attach(w.Header(), strings.Join(names, "-")+"."+ending)
	}
	if format == "html" {
		w.Header().Set("Content-Security-Policy", server.SandboxPolicy)
	}
	return server.NewAnswer(contentType, body).Write(w, r, http.StatusOK, server.Revalidate)
}

// runError adds the HTTP status to an error of a run.
func runError(err error) error {
	var re *server.Error
	if errors.As(err, &re) || errors.Is(err, context.Canceled) {
		return err
	}
	return &server.Error{Status: server.StatusOf(err), Err: err}
}
