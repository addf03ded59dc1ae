// Package oomprof has the names that the reporter of Parca's agent uses. It
// watches nothing.
package oomprof

import (
	"context"
	"errors"
	"time"
)

// Config is not used.
type Config struct {
	ScanInterval                                  time.Duration
	LogTracePipe, Verbose, Symbolize, ReportAlloc bool
}

// A Sample is a stack of a process's heap profile.
type Sample struct {
	Allocs, Frees, AllocBytes, FreeBytes uint64
	Addresses                            []uint64
}

// SampleMeta tells of a process.
type SampleMeta struct {
	Timestamp                                  uint64
	Comm, ProcessName, ExecutablePath, BuildID string
	PID                                        uint32
	CustomLabels                               map[string]string
}

// A Reporter takes samples.
type Reporter interface {
	SampleEvents([]Sample, SampleMeta) error
}

// State is the state of a watch.
type State struct{}

// PidOomd reports whether a process has ended for want of memory.
func (*State) PidOomd(uint32) bool { return false }

// Close does nothing.
func (*State) Close() {}

// SetupWithReporter fails.
func SetupWithReporter(context.Context, *Config, Reporter) (*State, error) {
	return nil, errors.New("this is a stand-in")
}
