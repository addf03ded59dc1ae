// Package fnmetrics makes metrics of functions: rules select functions and profiles, and
// what the functions cost in each interval becomes time series.
//
// It is a pipeline. Each stage makes the values that the next one needs:
//
//	rule     what a configuration asks for, checked
//	totals   what the selected profiles cost by window, as the store sums it up
//	stacks   the part of a profile that belongs to a rule's functions
//	labels   the labels of series
//	unit     how values are exported, such as cores or bytes per second
//	measure  values by labels and function, of a window
//	bound    which of them are exported; what exceeds the limit is one series
//	watch    measures each complete interval once, within a budget
//	expose   the latest values in the formats of Prometheus and OpenMetrics
//	history  values of past windows, as lines over time
//
// doc/design/0024-function-metrics.md has the reasons.
package fnmetrics
