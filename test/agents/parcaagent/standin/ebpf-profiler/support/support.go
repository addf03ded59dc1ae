// Package support has the names that the reporter of Parca's agent uses.
package support

import "go.opentelemetry.io/ebpf-profiler/libpf"

// What made a trace be taken.
const (
	TraceOriginSampling libpf.Origin = iota + 1
	TraceOriginOffCPU
	TraceOriginMemory
	TraceOriginCuda
	TraceOriginGpuPC
	TraceOriginProbe
)

// CustomLabelMaxValLen is how long the value of a label may be, and one more.
const CustomLabelMaxValLen = 49
