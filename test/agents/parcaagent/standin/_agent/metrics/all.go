package metrics

import otelmetrics "go.opentelemetry.io/ebpf-profiler/metrics"

const (
	MetricTypeGauge   = 0
	MetricTypeCounter = 1
)

// AllMetrics are none: they count what the eBPF programs do.
var AllMetrics = map[otelmetrics.MetricID]Metric{}
