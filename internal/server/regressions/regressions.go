// Package regressions serves the regressions that package regress found: it lists and
// acknowledges them, and says what is watched. It also exports the counts of the watch to Prometheus.
package regressions

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// Service serves regressions.
type Service struct {
	srv   *server.Server
	state *regress.State
	watch *regress.Watch
}

// New adds the service to a server.
func New(srv *server.Server, state *regress.State, watch *regress.Watch) *Service {
	s := &Service{srv, state, watch}
	srv.Handle("GET /api/v1/regressions", auth.Read, s.list)
	srv.Handle("GET /api/v1/regressions/summary", auth.Read, s.summary)
	srv.Handle("POST /api/v1/regressions/{id}/acknowledge", auth.Write, s.acknowledge)
	srv.Handle("DELETE /api/v1/regressions/{id}/acknowledge", auth.Write, s.unacknowledge)
	return s
}

// states are the values that the parameter state may have.
var states = []string{regress.Open, regress.Acknowledged, regress.Resolved}

func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	p, err := server.Params(r, []string{"service", "state"})
	if err != nil {
		return err
	}
	state := p.Get("state")
	if state != "" && !slices.Contains(states, state) {
		return server.BadParam("state", "unknown state %q: use %s", state, strings.Join(states, ", "))
	}
	all, err := s.state.List()
	if err != nil {
		return err
	}
	by := auth.From(r.Context())
	all = slices.DeleteFunc(all, func(e regress.Entry) bool {
		return !by.Allows(e.Service) || p.Get("service") != "" && p.Get("service") != e.Service || state != "" && state != e.State
	})
	a, err := server.JSONAnswer(r.Context(), api.NewRegressions(all))
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// summary answers what is watched, and how many regressions each service has.
func (s *Service) summary(w http.ResponseWriter, r *http.Request) error {
	if _, err := server.Params(r, nil); err != nil {
		return err
	}
	watched, err := s.state.Watched()
	if err != nil {
		return err
	}
	found, err := s.state.List()
	if err != nil {
		return err
	}
	by := auth.From(r.Context())
	out := api.NewRegressionSummary(
		slices.DeleteFunc(watched, func(w regress.Watched) bool { return !by.Allows(w.Service) }),
		slices.DeleteFunc(found, func(e regress.Entry) bool { return !by.Allows(e.Service) }))
	out.Looked, out.Every = api.Milliseconds(s.watch.Stats().Looked), s.watch.Every()
	a, err := server.JSONAnswer(r.Context(), out)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// Limits of an acknowledgement, in bytes.
const (
	maxReason = 500
	maxBody   = 4096
)

func (s *Service) acknowledge(w http.ResponseWriter, r *http.Request) error {
	reason, err := reasonOf(w, r)
	if err != nil {
		return err
	}
	return s.change(w, r, "regression.acknowledge", func(id, by string) (regress.Entry, error) {
		return s.state.Acknowledge(id, regress.Acknowledgement{By: by, Reason: reason, At: time.Now().UnixNano()})
	})
}

func (s *Service) unacknowledge(w http.ResponseWriter, r *http.Request) error {
	return s.change(w, r, "regression.unacknowledge", func(id, _ string) (regress.Entry, error) { return s.state.Unacknowledge(id) })
}

// reasonOf reads the reason of an acknowledgement. Requests without a body have none.
func reasonOf(w http.ResponseWriter, r *http.Request) (string, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || len(data) == 0 {
		return "", err
	}
	var body struct {
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return "", server.BadParam("", `invalid body, want {"reason": "…"}: %w`, err)
	}
	reason := strings.TrimSpace(body.Reason)
	if len(reason) > maxReason {
		return "", server.BadParam("reason", "the reason has %d bytes: use at most %d", len(reason), maxReason)
	}
	if strings.ContainsFunc(reason, unicode.IsControl) {
		return "", server.BadParam("reason", "the reason has control characters: remove them")
	}
	return reason, nil
}

// change changes a regression as a user, and answers it.
func (s *Service) change(w http.ResponseWriter, r *http.Request, action string, change func(id, by string) (regress.Entry, error)) error {
	if _, err := server.Params(r, nil); err != nil {
		return err
	}
	id, by := r.PathValue("id"), auth.From(r.Context())
	all, err := s.state.List()
	if err != nil {
		return err
	}
	// Don't reveal that a regression exists to those who may not see its service.
	if !slices.ContainsFunc(all, func(e regress.Entry) bool { return e.ID == id && by.Allows(e.Service) }) {
		return server.NotFound("unknown regression %q", id)
	}
	e, err := change(id, by.Name)
	if errors.Is(err, regress.ErrUnknown) {
		return server.NotFound("unknown regression %q", id)
	}
	if err != nil {
		return err
	}
	s.srv.Audit(r, action, id, auth.OK)
	a, err := server.JSONAnswer(r.Context(), api.NewRegression(&e))
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// metrics describes the counts of the watch.
func metrics() (comparisons, seconds, found, failed *prometheus.Desc) {
	return prometheus.NewDesc("hone_regress_comparisons_total", "Comparisons of a service with its past.", nil, nil),
		prometheus.NewDesc("hone_regress_seconds_total", "Seconds spent looking for regressions, by the clock.", nil, nil),
		prometheus.NewDesc("hone_regress_found_total", "Regressions found.", nil, nil),
		prometheus.NewDesc("hone_regress_failed_total", "Rounds of comparisons that failed.", nil, nil)
}

// Describe implements prometheus.Collector.
func (s *Service) Describe(ch chan<- *prometheus.Desc) {
	comparisons, seconds, found, failed := metrics()
	ch <- comparisons
	ch <- seconds
	ch <- found
	ch <- failed
}

// Collect implements prometheus.Collector.
func (s *Service) Collect(ch chan<- prometheus.Metric) {
	comparisons, seconds, found, failed := metrics()
	st := s.watch.Stats()
	counter := func(d *prometheus.Desc, v float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
	counter(comparisons, float64(st.Comparisons))
	counter(seconds, st.Seconds)
	counter(found, float64(st.Found))
	counter(failed, float64(st.Failed))
}
