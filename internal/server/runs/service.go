// Package runs answers the query API's questions about kept runs: the list, what a
// run is, comparisons and trends.
//
//	service     routes and parameters
//	kept        runs in their folders: lists, facts, comparisons, profiles by name
//	trend       results over runs
//	verdicts    what runs against a base found
//	derived     what was made of runs, until they change
package runs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// Runs are kept runs, as a [Kept] is. A run is named by its id, or as hone runs
// says: latest, latest~1. An error that is fs.ErrNotExist says that there is no
// such run. Methods are called from several goroutines.
type Runs interface {
	// List returns all runs, the newest first.
	List(ctx context.Context) (*api.RunList, error)
	// Run returns what is known of a run but for its results.
	Run(ctx context.Context, name string) (*api.RunAbout, error)
	// Load returns the course of a load; an error that is fs.ErrNotExist also says
	// that the run is of none.
	Load(ctx context.Context, name string) (*api.RunLoad, error)
	// Compare returns what hone compare says of runs in one of its formats:
	// json, csv, text, markdown or html. Of a single run those are its results.
	Compare(ctx context.Context, names []string, format string) ([]byte, error)
	// Verdicts returns what the newest runs with a base found, at most limit of them.
	Verdicts(ctx context.Context, limit int) (*api.RunVerdicts, error)
	// Trend returns results over the newest runs, the oldest first.
	Trend(ctx context.Context, of TrendQuery) (*api.Trend, error)
}

// A TrendQuery selects what a trend is of. An empty text selects all.
type TrendQuery struct {
	Package, Benchmark, Unit string
	Limit                    int // runs at most
}

const (
	usualTrend = 200  // runs
	mostTrend  = 5000 // runs, of verdicts too
	// Those that are new are compared, for which someone waits.
	usualVerdicts = 50
	maxCompared   = 20 // runs of a comparison
)

// runFormats are the formats of comparisons with their content types.
var runFormats = map[string]string{
	"json": server.TypeJSON, "csv": "text/csv; charset=utf-8", "text": server.TypeText,
	"markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8",
}

// Service answers questions about kept runs.
type Service struct{ runs Runs }

// New adds the service to a server.
func New(srv *server.Server, runs Runs) *Service {
	s := &Service{runs}
	routes(srv, s.list, s.compare, s.trend, s.verdicts, s.run, s.load)
	return s
}

// Absent adds the routes of the service to a server without runs: they tell that.
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
	if _, err := params(r); err != nil {
		return err
	}
	list, err := s.runs.List(r.Context())
	return answer(w, r, list, err)
}

func (s *Service) run(w http.ResponseWriter, r *http.Request) error {
	if _, err := params(r); err != nil {
		return err
	}
	about, err := s.runs.Run(r.Context(), r.PathValue("id"))
	return answer(w, r, about, err)
}

func (s *Service) load(w http.ResponseWriter, r *http.Request) error {
	if _, err := params(r); err != nil {
		return err
	}
	load, err := s.runs.Load(r.Context(), r.PathValue("id"))
	return answer(w, r, load, err)
}

func (s *Service) verdicts(w http.ResponseWriter, r *http.Request) error {
	q, err := params(r, "limit")
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
	if err != nil || n < 1 || n > mostTrend {
		return 0, server.BadParam("limit", "invalid limit %q: use 1 to %d runs", text, mostTrend)
	}
	return n, nil
}

func (s *Service) trend(w http.ResponseWriter, r *http.Request) error {
	q, err := params(r, "package", "benchmark", "unit", "limit")
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

// compare answers with a comparison. Its answers are not kept: they depend
// on files that may change, and are quickly made again.
func (s *Service) compare(w http.ResponseWriter, r *http.Request) error {
	q, err := params(r, "run", "format", "download")
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

// params reads parameters, of which only "run" may be given several times.
func params(r *http.Request, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, server.BadParam("", "the query can't be read: %w", err)
	}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			return nil, server.BadParam(name, "unknown parameter %q", name)
		case len(values) > 1 && name != "run":
			return nil, server.BadParam(name, "%s is given %d times", name, len(values))
		}
	}
	return q, nil
}

// runError gives errors of runs their status.
func runError(err error) error {
	var re *server.Error
	if errors.As(err, &re) || errors.Is(err, context.Canceled) {
		return err
	}
	return &server.Error{Status: server.StatusOf(err), Err: err}
}
