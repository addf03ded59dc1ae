package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hone-go/hone/internal/ingest"
)

// metrics are the server's own figures for Prometheus.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	denied   *prometheus.CounterVec
}

func newMetrics(reg *prometheus.Registry, cache *Cache, connections *atomic.Pointer[gate]) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hone_http_requests_total", Help: "Requests answered, by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hone_http_request_duration_seconds", Help: "From the request to the end of the answer.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2.5, 10, 60},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "hone_http_requests_in_flight", Help: "Requests being answered, polls of agents among them.",
		}),
		denied: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hone_http_requests_denied_total", Help: "Requests of those who may not, by reason.",
		}, []string{"reason"}),
	}
	gauge := func(name, help string, value func() int64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	gauge("hone_queries_running", "Computations of reports under way.", func() int64 { return cache.queries().Running })
	gauge("hone_queries_waiting", "Computations of reports that wait for others.", func() int64 { return cache.queries().Waiting })
	gauge("hone_connections", "Connections that are open.", func() int64 {
		if c := connections.Load(); c != nil {
			return int64(c.used())
		}
		return 0
	})
	closed := func(reason string, count func(*gate) *atomic.Int64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "hone_connections_closed_total", Help: "Connections closed to have room for others, and because their address has too many.",
			ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 {
			if c := connections.Load(); c != nil {
				return float64(count(c).Load())
			}
			return 0
		}))
	}
	closed("room", func(g *gate) *atomic.Int64 { return &g.forced })
	closed("address", func(g *gate) *atomic.Int64 { return &g.over })
	reg.MustRegister(
		m.requests, m.seconds, m.inFlight, m.denied,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "hone_queries_refused_total", Help: "Computations of reports refused because too many waited.",
		}, func() float64 { return float64(cache.queries().Refused) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// metricsHandler serves figures to those who may see all services.
func metricsHandler(reg *prometheus.Registry) http.Handler {
	figures := promhttp.HandlerFor(reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Labels of figures name services and targets.
		if err := SeesAll(r.Context()); err != nil {
			writeError(w, r, err)
			return
		}
		figures.ServeHTTP(w, r)
	})
}

func (m *metrics) countDenied(reason ingest.Reason) {
	if m != nil {
		m.denied.WithLabelValues(reason.String()).Inc()
	}
}

// observed counts requests, by the routes of muxes.
func (m *metrics) observed(muxes []*http.ServeMux, next http.Handler) http.Handler {
	if m == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		m.inFlight.Inc()
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			m.inFlight.Dec()
			route := route(muxes, r)
			m.requests.WithLabelValues(route, strconv.Itoa(sw.status)).Inc()
			m.seconds.WithLabelValues(route).Observe(time.Since(start).Seconds())
		}()
		next.ServeHTTP(sw, r)
	})
}

// route names what a request asks for, without what clients choose freely.
func route(muxes []*http.ServeMux, r *http.Request) string {
	for _, mux := range muxes {
		if _, pattern := mux.Handler(r); pattern != "" {
			_, path, ok := strings.Cut(pattern, " ")
			if !ok {
				path = pattern
			}
			return path
		}
	}
	return "other"
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (w *statusWriter) WriteHeader(status int) {
	if !w.wrote && status >= 200 {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush is for those who don't use that.
func (w *statusWriter) Flush() { http.NewResponseController(w.ResponseWriter).Flush() }
