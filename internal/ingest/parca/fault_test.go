package parca

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestHalfRequests: what doesn't arrive in full is not kept, and does no harm.
func TestHalfRequests(t *testing.T) {
	ingesttest.CheckHalfRequests(t, Mount, service+"WriteRaw", "application/proto", sender(t))
}

// TestTwice: a profile that is sent again is kept once, whatever the order.
func TestTwice(t *testing.T) {
	ingesttest.CheckTwice(t, storetest.NewModel(), Mount, sender(t))
}

// sender returns what sends a profile that began at a time.
func sender(t *testing.T) func(url string, start time.Time) {
	return func(url string, start time.Time) {
		body, err := proto.Marshal(request(ingesttest.ProfileAt(t, "cpu.labels.pb.gz", start), "__name__", "process_cpu", "job", "a"))
		if err != nil {
			t.Fatal(err)
		}
		if resp, text := post(t, url+service+"WriteRaw", "application/proto", body, ""); resp.StatusCode != 200 {
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
}
