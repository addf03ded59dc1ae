package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// expected is a profile of what was reported, as it should be after it was sent.
type expected struct {
	p        *profile.Profile
	mappings map[string]*profile.Mapping
}

// newExpected returns a profile of sample types "type/unit".
func newExpected(types ...string) *expected {
	x := &expected{&profile.Profile{}, map[string]*profile.Mapping{}}
	for _, t := range types {
		name, unit, _ := strings.Cut(t, "/")
		x.p.SampleType = append(x.p.SampleType, &profile.ValueType{Type: name, Unit: unit})
	}
	return x
}

func (x *expected) add(e *event, values []int64) {
	s := &profile.Sample{Value: values, Label: map[string][]string{"cpu": {fmt.Sprint(e.cpu)}, "thread_id": {fmt.Sprint(os.Getpid() + int(e.cpu))}, "thread_name": {"worker"}}}
	for k, v := range e.labels {
		s.Label[k] = []string{v}
	}
	for i := range e.frames {
		s.Location = append(s.Location, x.location(&e.frames[i]))
	}
	x.p.Sample = append(x.p.Sample, s)
}

// location returns a location of a frame. Each has one of its own.
func (x *expected) location(f *libpf.Frame) *profile.Location {
	l := &profile.Location{ID: uint64(len(x.p.Location) + 1)}
	x.p.Location = append(x.p.Location, l)
	function := func(name, file string, line int64) {
		fn := &profile.Function{ID: uint64(len(x.p.Function) + 1), Name: name, SystemName: name, Filename: file}
		x.p.Function = append(x.p.Function, fn)
		l.Line = []profile.Line{{Function: fn, Line: line}}
	}
	switch f.Type {
	case libpf.NativeFrame:
		l.Address = uint64(f.AddressOrLineno)
		if f.Mapping.Valid() {
			l.Mapping = x.mapping("shopd", "cafe01")
		} else {
			l.Mapping = x.mapping("UNKNOWN", "")
		}
	case libpf.KernelFrame:
		l.Address = uint64(f.AddressOrLineno)
		l.Mapping = x.mapping("[kernel.kallsyms]", "")
		function(f.FunctionName.String(), "vmlinux", int64(f.SourceLine))
	case libpf.AbortFrame:
		l.Mapping = x.mapping("agent-internal-error-frame", "")
		function("aborted", "", 0)
	default:
		function(f.FunctionName.String(), f.SourceFile.String(), int64(f.SourceLine))
	}
	return l
}

func (x *expected) mapping(file, buildID string) *profile.Mapping {
	m := x.mappings[file]
	if m == nil {
		m = &profile.Mapping{ID: uint64(len(x.p.Mapping) + 1), File: file, BuildID: buildID}
		x.mappings[file] = m
		x.p.Mapping = append(x.p.Mapping, m)
	}
	return m
}

func (x *expected) write(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := x.p.Write(f); err != nil {
		return err
	}
	return f.Close()
}
