package pprofhttp

import (
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealClient: differences taken by godeltaprof arrive with all their values.
func TestRealClient(t *testing.T) {
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.CheckClient(t, st, Mount, ingesttest.Client{Program: "godeltaprof", AtLeast: 9, Kinds: []string{"heap", "mutex", "block"}})
}
