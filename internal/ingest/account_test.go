package ingest_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

// Lines of one kind are not logged again and again.
func TestLogIsBounded(t *testing.T) {
	var log bytes.Buffer
	h, _, c := newHub(func(cfg *ingest.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 1000 {
		h.Receive(t.Context(), "test", ingest.Push{Data: []byte("bad")})
	}
	h.Receive(t.Context(), "other", ingest.Push{Data: []byte("bad")})
	c.pass(time.Minute)
	h.Receive(t.Context(), "test", ingest.Push{Data: []byte("bad")})
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], "more=999") {
		t.Errorf("logged\n%s", log.String())
	}
}

func TestCollector(t *testing.T) {
	h, _, _ := newHub(nil)
	receive(t, h, push(t, "heap.leak.pb.gz"))
	h.Receive(t.Context(), "test", ingest.Push{Data: []byte("bad")})
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(h); err != nil {
		t.Fatal(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			name := f.GetName()
			for _, l := range m.Label {
				name += " " + l.GetValue()
			}
			got[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]float64{
		"hone_ingest_profiles_total test": 1, "hone_ingest_refused_total test malformed": 1, "hone_ingest_series": 1, "hone_ingest_services": 1,
		"hone_ingest_degraded_total clock": 0, "hone_ingest_request_seconds test": 2,
		"hone_ingest_bytes_total test": float64(len(ingesttest.Profile(t, "heap.leak.pb.gz"))),
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s: got %v (there: %v), want %v", name, v, ok, want)
		}
	}
}
