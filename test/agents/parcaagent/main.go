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
	"github.com/parca-dev/parca-agent/reporter"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	ebpf "go.opentelemetry.io/ebpf-profiler/reporter"
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
