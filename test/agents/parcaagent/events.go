package main

import (
	"os"
	"time"

	"github.com/parca-dev/oomprof/oomprof"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/support"
)

var program = libpf.NewFrameMappingFile(libpf.FrameMappingFileData{FileID: libpf.NewFileID(1, 2), FileName: libpf.Intern("shopd"), GnuBuildID: "cafe01"})

// An event is a sample that is reported.
type event struct {
	origin libpf.Origin
	value  int64
	frames []libpf.Frame
	labels map[string]string
	memory *oomprof.Sample
	cpu    uint32
	ms     int64 // since start
}

var start = time.Now().Add(-10 * time.Second).Truncate(time.Millisecond)

func (e *event) trace() *libpf.Trace {
	t := &libpf.Trace{}
	for _, f := range e.frames {
		t.Frames.Append(&f)
	}
	for k, v := range e.labels {
		if t.CustomLabels == nil {
			t.CustomLabels = map[libpf.String]libpf.String{}
		}
		t.CustomLabels[libpf.Intern(k)] = libpf.Intern(v)
	}
	return t
}

func (e *event) meta() *samples.TraceEventMeta {
	m := &samples.TraceEventMeta{Timestamp: libpf.UnixTime64(start.UnixMilli()+e.ms) * 1e6, Comm: libpf.Intern("worker"),
		PID: libpf.PID(os.Getpid()), TID: libpf.PID(os.Getpid()) + libpf.PID(e.cpu), CPU: e.cpu, Origin: e.origin, Value: e.value}
	if e.memory != nil {
		m.OriginData = e.memory
	}
	return m
}

// events are what is reported: stacks of every kind of frame, some again and
// again, some of programs' own labels, and one without any frame.
func events() (all []event) {
	mapping := libpf.NewFrameMapping(libpf.FrameMappingData{File: program})
	native := func(address uint64) libpf.Frame {
		return libpf.Frame{Type: libpf.NativeFrame, AddressOrLineno: libpf.AddressOrLineno(address), Mapping: mapping}
	}
	kernel := libpf.Frame{Type: libpf.KernelFrame, AddressOrLineno: 0xffffffff81000010, FunctionName: libpf.Intern("do_syscall_64"), SourceLine: 0}
	python := func(function string, line uint64) libpf.Frame {
		return libpf.Frame{Type: libpf.PythonFrame, AddressOrLineno: 7, FunctionName: libpf.Intern(function), SourceFile: libpf.Intern("/srv/shop.py"), SourceLine: line, SourceColumn: 3}
	}
	unknown := libpf.Frame{Type: libpf.NativeFrame, AddressOrLineno: 0x77}
	aborted := libpf.Frame{Type: libpf.AbortFrame, AddressOrLineno: 1}
	stacks := [][]libpf.Frame{
		{native(0x1234), native(0x2000)},
		{kernel, native(0x1234), native(0x2000)},
		{python("load", 12), python("main", 90), native(0x2000)},
		{python("load", 13), python("main", 90), native(0x2000)},
		{unknown, native(0x2000)},
		{aborted},
		nil,
	}
	for i := range 400 {
		e := event{origin: support.TraceOriginSampling, frames: stacks[i%len(stacks)], cpu: uint32(i / 100), ms: int64(i) * 5}
		if i%3 == 0 {
			e.labels = map[string]string{"route": []string{"/checkout", "/cart"}[i%2]}
		}
		all = append(all, e)
	}
	for i := range 10 {
		all = append(all, event{origin: support.TraceOriginOffCPU, value: int64(i+1) * 1e6, frames: stacks[i%2], ms: 100})
	}
	for i := range 3 {
		n := uint64(i + 1)
		all = append(all, event{origin: support.TraceOriginMemory, frames: stacks[i], ms: 100,
			memory: &oomprof.Sample{Allocs: 5 * n, Frees: n, AllocBytes: 5000 * n, FreeBytes: 100 * n}})
	}
	return all
}
