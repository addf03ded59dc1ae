package fnmetrics

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/store"
)

// Expose writes the latest values in the format that the header of a request asks for:
// Prometheus's text or OpenMetrics. Values have no timestamps: each is a gauge that holds until
// the next interval is measured. A series that isn't written any more is stale for Prometheus
// at once, which it wouldn't be with timestamps.
func (w *Watch) Expose(h http.Header, now time.Time) (contentType string, body []byte, err error) {
	// The other formats, of protocol buffers, are for histograms.
	format := expfmt.NegotiateAccept(h, expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtOpenMetrics_0_0_1, expfmt.FmtText)
	var out bytes.Buffer
	e := expfmt.NewEncoder(&out, format)
	for _, f := range w.families(now.UnixNano()) {
		if err := e.Encode(f); err != nil {
			return "", nil, err
		}
	}
	if c, ok := e.(expfmt.Closer); ok {
		if err := c.Close(); err != nil {
			return "", nil, err
		}
	}
	return string(format), out.Bytes(), nil
}

// families returns the metrics of all rules, and those about the measurement.
func (w *Watch) families(now int64) []*dto.MetricFamily {
	rules, results, counts := w.current(now)
	var out []*dto.MetricFamily
	known := map[string]bool{}
	ends := family("hone_function_metric_end_timestamp_seconds", "seconds", "End of the interval that the values of a metric are from.")
	cut := family("hone_function_metric_cut_series", "", "Series of a metric that are added up in the series other, because of a limit.")
	left := family("hone_function_metric_profiles_without_duration", "", "Profiles of the interval that don't count, because they can't be divided by their duration.")
	for i, r := range rules {
		of := results[i]
		if of == nil || of.unit.name == "" {
			continue // no profiles
		}
		name := metricName(r.Name, of.unit.name)
		if known[name] {
			continue // rules have different names, so it is the unit of a strange profile
		}
		known[name] = true
		out = append(out, of.family(r, name))
		label := []store.Label{{Name: "metric", Value: name}}
		add(ends, label, float64(of.to)/1e9)
		add(cut, label, float64(of.cut))
		if of.left > 0 {
			add(left, label, float64(of.left))
		}
	}
	for _, f := range []*dto.MetricFamily{ends, cut, left} {
		if len(f.Metric) > 0 {
			out = append(out, f)
		}
	}
	return append(out,
		counter("hone_function_metrics_measuring_seconds_total", "seconds", "Time spent measuring function metrics.", counts.Seconds),
		counter("hone_function_metrics_skipped_intervals_total", "", "Intervals that weren't measured, because measuring the ones before took too long.", float64(counts.Skipped)),
		counter("hone_function_metrics_failures_total", "", "Intervals that couldn't be measured.", float64(counts.Failed)))
}

// family returns the metric of a result.
func (of *result) family(r *Rule, name string) *dto.MetricFamily {
	f := family(name, of.unit.name, r.help())
	for _, s := range of.series {
		add(f, s.Labels, s.Value)
	}
	if of.cut > 0 {
		add(f, of.other, of.value)
	}
	return f
}

// help returns the description of a rule's metric.
func (r *Rule) help() string {
	if r.Help != "" {
		return printable(r.Help)
	}
	var of []string
	if r.Functions != "" {
		of = append(of, "functions "+r.Functions)
	}
	if r.Packages != "" {
		of = append(of, "packages "+r.Packages)
	}
	text := map[bool]string{true: "Share", false: "Cost"}[r.Value == ValueShare] + " of " + strings.Join(of, " in ")
	if r.Callees {
		text += " and what they call"
	}
	return printable(fmt.Sprintf("%s, in profiles %s, in the last complete interval of %v.", text, r.Select, r.Interval))
}

// family returns a gauge without series.
func family(name, unit, help string) *dto.MetricFamily {
	f := &dto.MetricFamily{Name: proto.String(name), Help: proto.String(help), Type: dto.MetricType_GAUGE.Enum()}
	if unit != "" {
		f.Unit = proto.String(unit)
	}
	return f
}

func add(f *dto.MetricFamily, labels []store.Label, value float64) {
	m := &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(value)}}
	for _, l := range labels {
		m.Label = append(m.Label, &dto.LabelPair{Name: proto.String(l.Name), Value: proto.String(l.Value)})
	}
	f.Metric = append(f.Metric, m)
}

func counter(name, unit, help string, value float64) *dto.MetricFamily {
	f := family(name, unit, help)
	f.Type = dto.MetricType_COUNTER.Enum()
	f.Metric = []*dto.Metric{{Counter: &dto.Counter{Value: proto.Float64(value)}}}
	return f
}
