// Package regressions serves the regressions that package regress found: it lists and
// acknowledges them. It also exports the counts of the watch to Prometheus.
package regressions

import (
	"errors"
	"net/http"
	"slices"
	"strings"

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
	srv.Handle("POST /api/v1/regressions/{id}/acknowledge", auth.Write, s.acknowledge)
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

func (s *Service) acknowledge(w http.ResponseWriter, r *http.Request) error {
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
	e, err := s.state.Acknowledge(id, by.Name)
	if errors.Is(err, regress.ErrUnknown) {
		return server.NotFound("unknown regression %q", id)
	}
	if err != nil {
		return err
	}
	s.srv.Audit(r, "regression.acknowledge", id, auth.OK)
	a, err := server.JSONAnswer(r.Context(), api.NewRegression(&e))
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// metrics describes the counts of the watch.
func metrics() (comparisons, seconds, found, failed *prometheus.Desc) {
	return prometheus.NewDesc("hone_regress_comparisons_total", "Comparisons of a service with its past.", nil, nil),
		prometheus.NewDesc("hone_regress_seconds_total", "Seconds spent looking for regressions, at most 2 % of the time.", nil, nil),
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
