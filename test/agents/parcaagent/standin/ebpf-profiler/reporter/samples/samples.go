// Package samples has the name that the reporter of Parca's agent uses.
package samples

import "go.opentelemetry.io/ebpf-profiler/libpf"

// TraceEventMeta tells of a trace what is not its stack.
type TraceEventMeta struct {
	Timestamp      libpf.UnixTime64
	Comm           libpf.String
	ProcessName    libpf.String
	ExecutablePath libpf.String
	EnvVars        map[libpf.String]libpf.String
	PID, TID       libpf.PID
	CPU            uint32
	Origin         libpf.Origin
	Value          int64
	OriginData     any
}
