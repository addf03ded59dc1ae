package scrape

import (
	"cmp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/store"
)

// Status returns the state of all jobs, in the order of the configuration.
func (s *Scraper) Status() []JobStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]JobStatus, len(s.jobs))
	for i, j := range s.jobs {
		st := JobStatus{Name: j.Name, Interval: time.Duration(j.Interval), Dropped: j.dropped}
		for _, err := range j.problems {
			st.Problems = append(st.Problems, err.Error())
		}
		for _, t := range j.targets {
			t.mu.Lock()
			st.Targets = append(st.Targets, TargetStatus{URL: t.base.String(), Labels: t.labels, Profiles: slices.Clone(t.status), Missed: t.missed})
			t.mu.Unlock()
			if clash := s.clashes[store.Labels(t.labels).String()]; clash != "" && !slices.Contains(st.Problems, clash) {
				st.Problems = append(st.Problems, clash)
			}
		}
		slices.SortFunc(st.Targets, func(a, b TargetStatus) int {
			return cmp.Or(cmp.Compare(a.URL, b.URL), store.Labels(a.Labels).Compare(b.Labels))
		})
		out[i] = st
	}
	return out
}

var (
	descScrapes = prometheus.NewDesc("hone_scrapes_total", "Profiles pulled, failures included.", []string{"job", "profile"}, nil)
	descFailed  = prometheus.NewDesc("hone_scrapes_failed_total", "Pulls of profiles that failed.", []string{"job", "profile"}, nil)
	descBytes   = prometheus.NewDesc("hone_scrape_bytes_total", "Bytes of profiles pulled.", []string{"job", "profile"}, nil)
	descSeconds = prometheus.NewDesc("hone_scrape_seconds_total", "Time that pulls took, including recording.", []string{"job", "profile"}, nil)
	descTargets = prometheus.NewDesc("hone_scrape_targets", "Targets.", []string{"job"}, nil)
	descFailing = prometheus.NewDesc("hone_scrape_targets_failing", "Targets with a profile whose last pull failed.", []string{"job"}, nil)
	descMissed  = prometheus.NewDesc("hone_scrapes_missed_total", "Rounds skipped because earlier ones took longer than the interval, of current targets.", []string{"job"}, nil)
)

// Describe implements prometheus.Collector.
func (s *Scraper) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descScrapes, descFailed, descBytes, descSeconds, descTargets, descFailing, descMissed} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s *Scraper) Collect(ch chan<- prometheus.Metric) {
	metric := func(d *prometheus.Desc, t prometheus.ValueType, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, t, v, labels...)
	}
	for _, j := range s.Status() {
		failing, missed := 0, int64(0)
		for _, t := range j.Targets {
			missed += t.Missed
			if slices.ContainsFunc(t.Profiles, func(p ProfileStatus) bool { return p.Failing > 0 }) {
				failing++
			}
		}
		metric(descTargets, prometheus.GaugeValue, float64(len(j.Targets)), j.Name)
		metric(descFailing, prometheus.GaugeValue, float64(failing), j.Name)
		metric(descMissed, prometheus.GaugeValue, float64(missed), j.Name)
	}
	s.countMu.Lock()
	defer s.countMu.Unlock()
	for key, n := range s.of {
		metric(descScrapes, prometheus.CounterValue, float64(n.done), key[:]...)
		metric(descFailed, prometheus.CounterValue, float64(n.failed), key[:]...)
		metric(descBytes, prometheus.CounterValue, float64(n.bytes), key[:]...)
		metric(descSeconds, prometheus.CounterValue, n.seconds, key[:]...)
	}
}
