package pyroscope

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestHalfRequests: what doesn't arrive in full is not kept, and does no harm.
func TestHalfRequests(t *testing.T) {
	ingesttest.CheckHalfRequests(t, Mount, "/ingest?name=a&format=pprof", "application/octet-stream", sender(t))
}

// TestTwice: a profile that is sent again is kept once, whatever the order.
func TestTwice(t *testing.T) {
	ingesttest.CheckTwice(t, storetest.NewModel(), Mount, sender(t))
}

// sender returns what sends a profile that began at a time.
func sender(t *testing.T) func(url string, start time.Time) {
	return func(url string, start time.Time) {
		contentType, body := form("profile", string(ingesttest.Profile(t, "cpu.labels.pb.gz")))
		if resp, text := post(t, fmt.Sprintf("%s/ingest?name=a&from=%d&until=%d", url, start.UnixNano(), start.UnixNano()+10e9), contentType, body); resp.StatusCode != 200 {
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
}

// TestHalfPush is TestHalfRequests for the call, with the time in the profile.
func TestHalfPush(t *testing.T) {
	ingesttest.CheckHalfRequests(t, Mount, pushPath, "application/proto", pushSender(t))
}

func TestPushTwice(t *testing.T) {
	ingesttest.CheckTwice(t, storetest.NewModel(), Mount, pushSender(t))
}

func pushSender(t *testing.T) func(url string, start time.Time) {
	return func(url string, start time.Time) {
		s := series("__name__", "process_cpu", "service_name", "a")
		s.Samples = []*pyroscopepb.RawSample{{RawProfile: ingesttest.ProfileAt(t, "cpu.labels.pb.gz", start)}}
		body, err := proto.Marshal(&pyroscopepb.PushRequest{Series: []*pyroscopepb.RawProfileSeries{s}})
		if err != nil {
			t.Fatal(err)
		}
		if resp, text := post(t, url+pushPath, "application/proto", body); resp.StatusCode != 200 {
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
}
