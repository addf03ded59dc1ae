package otlp

import (
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
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
