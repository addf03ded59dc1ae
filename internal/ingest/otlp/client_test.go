package otlp

import (
	"maps"
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/profile"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealClient: what the exporters of the OpenTelemetry Collector send arrives with all its values.
func TestRealClient(t *testing.T) {
	for _, transport := range []string{"grpc", "http", "json"} {
		t.Run(transport, func(t *testing.T) {
			st, err := disk.Open(t.TempDir(), disk.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ingesttest.CheckClient(t, st, Mount, ingesttest.Client{Program: "otlp", Args: []string{"-transport", transport}, HostPort: true,
				AtLeast: 5, Kinds: []string{"cpu", "heap", "goroutine", "mutex", "block"}})
		})
	}
}

// TestRealEBPFProfiler: samples that the OpenTelemetry eBPF profiler's reporter sends arrive
// as CPU time and off-CPU time, and the latter with the spans that they were taken in.
func TestRealEBPFProfiler(t *testing.T) {
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.CheckClient(t, st, Mount, ingesttest.Client{Program: "ebpf", HostPort: true, AtLeast: 2, Kinds: []string{"cpu", "offcpu"},
		Check: func(stored map[string]*profile.Profile, _, _ string) {
			p := stored["offcpu"]
			spans := map[string]int64{}
			for s := range p.NumSamples() {
				for _, l := range p.SampleLabelSet(s) {
					if p.Strings[l.Key] == "span_id" {
						spans[p.Strings[l.Str]] += p.Values[0][s]
					}
				}
			}
			// Samples 0, 2, …, 28 of as many ms are in two spans in turns.
			if want := map[string]int64{"cd00000000000000": 112e6, "cd02000000000000": 98e6}; !maps.Equal(spans, want) {
				t.Errorf("off-CPU time by span is %v, want %v", spans, want)
			}
		}})
}
