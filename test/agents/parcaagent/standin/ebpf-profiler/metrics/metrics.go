// Package metrics has the name that the reporter of Parca's agent uses.
package metrics

// MetricID is the number of a metric.
type MetricID uint16
