// Package reporter has the names that the reporter of Parca's agent uses.
package reporter

import (
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
)

// A TraceReporter takes traces.
type TraceReporter interface {
	ReportTraceEvent(*libpf.Trace, *samples.TraceEventMeta) error
}

// A Reporter takes traces and executables.
type Reporter interface {
	TraceReporter
	ReportExecutable(*ExecutableMetadata)
}

// ExecutableMetadata tells of an executable file.
type ExecutableMetadata struct {
	MappingFile libpf.FrameMappingFile
	Process     process.Process
	Mapping     *process.Mapping
	IsElf       bool
}
