package pyroscope

import (
	"runtime/pprof"
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealClient: all kinds of profiles of Pyroscope's agent for Go arrive, with all their values.
func TestRealClient(t *testing.T) {
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"cpu", "heap", "goroutine", "mutex", "block"}
	if pprof.Lookup("goroutineleak") != nil { // the program is built by the same Go
		kinds = append(kinds, "goroutineleak")
	}
	ingesttest.CheckClient(t, st, Mount, ingesttest.Client{Program: "pyroscope", AtLeast: int64(3 * len(kinds)), Kinds: kinds})
}
