// Command ebpf is a program that reports samples with the OTLP reporter of the
// OpenTelemetry eBPF profiler, once: of CPU time, and of off-CPU time in a span. The eBPF
// programs that take samples in the kernel are left out.
package main

import (
	"context"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
)

// As the profiler's tracer registers them.
var (
	onCPU  = &samples.TypeMetadata{PeriodType: "cpu", PeriodUnit: "nanoseconds", SampleType: "samples", SampleUnit: "count"}
	offCPU = &samples.TypeMetadata{SampleType: "off_cpu", SampleUnit: "nanoseconds", ReportValues: true}
)

const everySecond = 20 // samples

func main() {
	addr := flag.String("addr", "", "`host:port` of the server")
	name := flag.String("name", "", "`name` of the service")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	flag.Parse()
	if err := run(*addr, *name, *sent); err != nil {
		log.Fatal(err)
	}
}

func run(addr, name, sent string) error {
	r, err := reporter.NewOTLP(&reporter.Config{Name: "ebpf-profiler", Version: "test", CollAgentAddr: addr, DisableTLS: true, MaxRPCMsgSize: 32 << 20, SamplesPerSecond: everySecond,
		MaxGRPCRetries: 3, GRPCOperationTimeout: 10 * time.Second, GRPCStartupBackoffTime: time.Second, GRPCConnectionTimeout: 10 * time.Second, ReportInterval: time.Second})
	if err != nil {
		return err
	}
	cpu := written([]*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}})
	off := written([]*profile.ValueType{{Type: "off_cpu", Unit: "nanoseconds"}})
	for i := range 30 {
		meta := &samples.TraceEventMeta{APMServiceName: name, ContainerID: libpf.Intern("host-1"), ExecutablePath: libpf.Intern("/usr/bin/shop"), PID: 7, TID: libpf.PID(7 + i%3),
			Timestamp: libpf.UnixTime64(time.Now().UnixNano()), ProfileType: onCPU}
		if err := r.ReportTraceEvent(trace("main.main", "main.work"), meta); err != nil {
			return err
		}
		cpu(1, 1e9/everySecond)
		if i%2 == 0 {
			meta.ProfileType, meta.Value = offCPU, int64(i)*1e6
			meta.SpanID, meta.TraceID = libpf.APMSpanID{0xcd, byte(i % 4)}, libpf.APMTraceID{0xab}
			if err := r.ReportTraceEvent(trace("main.main", "main.wait"), meta); err != nil {
				return err
			}
			off(meta.Value)
		}
	}
	if err := r.Start(context.Background()); err != nil {
		return err
	}
	defer r.Stop()
	for kind, add := range map[string]func(...int64) *profile.Profile{"cpu": cpu, "offcpu": off} {
		f, err := os.Create(filepath.Join(sent, kind+"-1.pb.gz"))
		if err != nil {
			return err
		}
		if err := add().Write(f); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// trace returns a stack of functions, outermost first.
func trace(functions ...string) *libpf.Trace {
	t := &libpf.Trace{}
	for i := len(functions) - 1; i >= 0; i-- {
		t.Frames.Append(&libpf.Frame{Type: libpf.GoFrame, FunctionName: libpf.Intern(functions[i]), SourceFile: libpf.Intern("/src/main.go"), SourceLine: 7, AddressOrLineno: libpf.AddressOrLineno(0x1000 + i)})
	}
	return t
}

// written returns a function that adds a sample to a profile and returns the profile.
func written(types []*profile.ValueType) func(values ...int64) *profile.Profile {
	fn := &profile.Function{ID: 1, Name: "main.work"}
	at := &profile.Location{ID: 1, Line: []profile.Line{{Function: fn}}}
	p := &profile.Profile{SampleType: types, Function: []*profile.Function{fn}, Location: []*profile.Location{at}}
	return func(values ...int64) *profile.Profile {
		if len(values) > 0 {
			p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{at}, Value: values})
		}
		return p
	}
}
