package pprofhttp

import (
	"strconv"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestHalfRequests: what doesn't arrive in full is not kept, and does no harm.
func TestHalfRequests(t *testing.T) {
	ingesttest.CheckHalfRequests(t, Mount, "/api/v1/profiles?service=a", "application/octet-stream", sender(t))
}

// TestTwice: a profile that is sent again is kept once, whatever the order.
func TestTwice(t *testing.T) {
	ingesttest.CheckTwice(t, storetest.NewModel(), Mount, sender(t))
}

// sender returns what sends a profile that began at a time.
func sender(t *testing.T) func(url string, start time.Time) {
	return func(url string, start time.Time) {
		if resp, text := post(t, url+"/api/v1/profiles?service=a&duration=10s&time="+strconv.FormatInt(start.UnixNano(), 10), ingesttest.Profile(t, "cpu.labels.pb.gz")); resp.StatusCode != 204 {
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
}
