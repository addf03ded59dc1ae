// Command parcaagent is a program that reports samples with the reporter of
// Parca's agent, once. See build and standin for what of the agent is in it.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"buf.build/gen/go/parca-dev/parca/grpc/go/parca/debuginfo/v1alpha1/debuginfov1alpha1grpc"
	"buf.build/gen/go/parca-dev/parca/grpc/go/parca/profilestore/v1alpha1/profilestorev1alpha1grpc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"github.com/parca-dev/oomprof/oomprof"
	"github.com/parca-dev/parca-agent/reporter"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	ebpf "go.opentelemetry.io/ebpf-profiler/reporter"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/support"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	addr := flag.String("addr", "", "`host:port` of the server")
	name := flag.String("name", "", "`name` of the service")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	schema := flag.Int("schema", 2, "schema of the records, `1 or 2`")
	flag.Parse()
	if err := run(*addr, *name, *sent, *schema); err != nil {
		log.Fatal(err)
	}
}

func run(addr, name, sent string, schema int) error {
	// The agent retries like this, and waits longer.
	again := retry.UnaryClientInterceptor(retry.WithBackoff(retry.BackoffExponentialWithJitter(50*time.Millisecond, 0.1)),
		retry.WithMax(10), retry.WithPerRetryTimeout(2*time.Minute))
	cc, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithChainUnaryInterceptor(again))
	if err != nil {
		return err
	}
	defer cc.Close()
	cache, err := os.MkdirTemp("", "parcaagent")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	const everySecond = 19 // samples
	counts := prometheus.NewRegistry()
	r, err := reporter.New(memory.DefaultAllocator, profilestorev1alpha1grpc.NewProfileStoreServiceClient(cc), debuginfov1alpha1grpc.NewDebuginfoServiceClient(cc),
		[]reporter.Label{{Name: "service_name", Value: name}, {Name: "instance", Value: "host-1"}},
		200*time.Millisecond, time.Minute, false, 1, false, everySecond, 4096, 16, cache, "node-1", nil, "v0", counts, nil,
		false, false, false, false, false, schema == 2, false, nil)
	if err != nil {
		return err
	}
	r.ReportExecutable(&ebpf.ExecutableMetadata{MappingFile: program, IsElf: true, Process: self{}})
	for _, e := range events() {
		if err := r.ReportTraceEvent(e.trace(), e.meta()); err != nil {
			return err
		}
	}
	if err := note(sent, everySecond); err != nil {
		return err
	}
	// All that was reported so far goes in one record.
	if err := r.Start(context.Background()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	defer r.Stop()
	for deadline := time.Now().Add(time.Minute); written(counts) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return errors.New("the agent has not been told that its record is kept")
		}
	}
	return nil
}

// written returns how many samples the agent takes to be kept.
func written(counts *prometheus.Registry) (n float64) {
	all, err := counts.Gather()
	if err != nil {
		log.Print(err)
	}
	for _, family := range all {
		if family.GetName() == "sample_writes_total" {
			n = family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return n
}

// self is this process.
type self struct{}

func (self) OpenMappingFile(*process.Mapping) (process.ReadAtCloser, error) {
	return os.Open("/proc/self/exe")
}

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

// note writes what of the events has to arrive, as pprof.
func note(folder string, everySecond int64) error {
	kinds := map[libpf.Origin]*expected{
		support.TraceOriginSampling: newExpected("samples/count", "cpu/nanoseconds"),
		support.TraceOriginOffCPU:   newExpected("wallclock/nanoseconds"),
		support.TraceOriginMemory:   newExpected("inuse_objects/count", "inuse_space/bytes"),
	}
	names := map[libpf.Origin]string{support.TraceOriginSampling: "cpu", support.TraceOriginOffCPU: "offcpu", support.TraceOriginMemory: "heap"}
	for _, e := range events() {
		values := []int64{e.value}
		switch e.origin {
		case support.TraceOriginSampling:
			values = []int64{1, 1e9 / everySecond}
		case support.TraceOriginMemory:
			values = []int64{int64(e.memory.Allocs - e.memory.Frees), int64(e.memory.AllocBytes - e.memory.FreeBytes)}
		}
		kinds[e.origin].add(&e, values)
	}
	for origin, x := range kinds {
		if err := x.write(filepath.Join(folder, names[origin]+"-1.pb.gz")); err != nil {
			return err
		}
	}
	return nil
}
