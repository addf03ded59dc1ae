package parca

import (
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealClient: profiles written through gRPC, as Parca's agents do, arrive with all their values.
func TestRealClient(t *testing.T) {
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.CheckClient(t, st, Mount, ingesttest.Client{Program: "parca", HostPort: true, AtLeast: 5, Kinds: []string{"cpu", "heap", "goroutine", "mutex", "block"}})
}
