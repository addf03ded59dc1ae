package otlp

import (
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestHalfRequests: what doesn't arrive in full is not kept, and does no harm.
func TestHalfRequests(t *testing.T) {
	ingesttest.CheckHalfRequests(t, Mount, "/v1development/profiles", "application/x-protobuf", sender(t))
}

// TestTwice: a profile that is sent again is kept once, whatever the order.
func TestTwice(t *testing.T) {
	ingesttest.CheckTwice(t, storetest.NewModel(), Mount, sender(t))
}

// sender returns what sends a profile that began at a time.
func sender(t *testing.T) func(url string, start time.Time) {
	return func(url string, start time.Time) {
		p := load(t, "cpu.labels.pb.gz")
		p.TimeNanos = start.UnixNano()
		w := newWriter()
		body := encoded(t, w.request(attributes("service.name", "a"), w.profiles(p)...))
		if resp, text := post(t, url+"/v1development/profiles", "application/x-protobuf", body, ""); resp.StatusCode != 200 {
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
}
