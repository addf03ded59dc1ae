package ingest

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats are the counts of a Hub since its start.
type Stats struct {
	Protocols []ProtocolStats       // by name
	Degraded  map[Degradation]int64 // profiles, of all protocols

	Series      int   // active now
	Services    int   // with active series
	DeltaSeries int   // whose last profile is kept for the next difference
	DeltaBytes  int64 // that those take
}

// ProtocolStats are of one protocol.
type ProtocolStats struct {
	Protocol string
	Profiles int64 // kept, those known before included
	Known    int64 // of those, known before
	Bytes    int64 // of them, as sent
	Refused  map[Reason]int64
}

// Stats returns the counts so far.
func (h *Hub) Stats() Stats {
	s := Stats{Degraded: map[Degradation]int64{}}
	for d := LabelCut; d < numDegradations; d++ {
		s.Degraded[d] = h.degrade[d].Load()
	}
	s.Series, s.Services = h.series.active(h.cfg.Now())
	s.DeltaSeries, s.DeltaBytes, s.Degraded[DeltaForgotten] = h.deltas.stats()
	h.mu.RLock()
	defer h.mu.RUnlock()
	for name, p := range h.protocols {
		ps := ProtocolStats{Protocol: name, Profiles: p.profiles.Load(), Known: p.known.Load(), Bytes: p.bytes.Load(), Refused: map[Reason]int64{}}
		for r := range p.refused {
			if n := p.refused[r].Load(); n > 0 {
				ps.Refused[Reason(r)] = n
			}
		}
		s.Protocols = append(s.Protocols, ps)
	}
	slices.SortFunc(s.Protocols, func(a, b ProtocolStats) int { return strings.Compare(a.Protocol, b.Protocol) })
	return s
}

var (
	descProfiles = prometheus.NewDesc("hone_ingest_profiles_total", "Profiles kept.", []string{"protocol"}, nil)
	descKnown    = prometheus.NewDesc("hone_ingest_known_total", "Profiles sent again: the store had them already.", []string{"protocol"}, nil)
	descBytes    = prometheus.NewDesc("hone_ingest_bytes_total", "Bytes of profiles kept, as sent.", []string{"protocol"}, nil)
	descRefused  = prometheus.NewDesc("hone_ingest_refused_total", "Profiles refused.", []string{"protocol", "reason"}, nil)
	descDegraded = prometheus.NewDesc("hone_ingest_degraded_total", "Profiles kept in a changed form.", []string{"how"}, nil)
	descSeries   = prometheus.NewDesc("hone_ingest_series", "Series with a recent profile.", nil, nil)
	descServices = prometheus.NewDesc("hone_ingest_services", "Services with a recent profile.", nil, nil)
	descDelta    = prometheus.NewDesc("hone_ingest_delta_series", "Series whose last profile is kept to compute the next difference.", nil, nil)
	descMemory   = prometheus.NewDesc("hone_ingest_delta_bytes", "Memory of the profiles kept for differences.", nil, nil)
)

// Describe implements prometheus.Collector.
func (h *Hub) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descProfiles, descKnown, descBytes, descRefused, descDegraded, descSeries, descServices, descDelta, descMemory} {
		ch <- d
	}
	h.seconds.Describe(ch)
}

// Collect implements prometheus.Collector.
func (h *Hub) Collect(ch chan<- prometheus.Metric) {
	s := h.Stats()
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge := func(d *prometheus.Desc, v int64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	for _, p := range s.Protocols {
		counter(descProfiles, p.Profiles, p.Protocol)
		counter(descKnown, p.Known, p.Protocol)
		counter(descBytes, p.Bytes, p.Protocol)
		for r, n := range p.Refused {
			counter(descRefused, n, p.Protocol, r.String())
		}
	}
	for d, n := range s.Degraded {
		counter(descDegraded, n, d.String())
	}
	gauge(descSeries, int64(s.Series))
	gauge(descServices, int64(s.Services))
	gauge(descDelta, int64(s.DeltaSeries))
	gauge(descMemory, s.DeltaBytes)
	h.seconds.Collect(ch)
}

// DeltaBytes returns how much memory is kept for differences.
func (h *Hub) DeltaBytes() int64 {
	_, bytes, _ := h.deltas.stats()
	return bytes
}
