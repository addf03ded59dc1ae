package ingest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

func TestRates(t *testing.T) {
	limited := func(h *ingest.Hub, service string, p *profile.Profile) time.Duration {
		t.Helper()
		err := h.Receive(t.Context(), "test", ingest.Push{Data: encode(t, p), Labels: []store.Label{{Name: "service", Value: service}}})
		var e *ingest.Error
		if err == nil {
			return 0
		}
		if !errors.As(err, &e) || e.Reason != ingest.Limited || e.RetryAfter <= 0 {
			t.Fatalf("got %v", err)
		}
		return e.RetryAfter
	}
	t.Run("of each service", func(t *testing.T) {
		h, _, c := newHub(func(cfg *ingest.Config) { cfg.ServiceRate.Profiles = 0.5 })
		for range 5 { // ten seconds' worth
			if limited(h, "a", small()) > 0 {
				t.Fatal("limited early")
			}
		}
		if d := limited(h, "a", small()); d != 2*time.Second {
			t.Errorf("to be tried again in %v", d)
		}
		if limited(h, "b", small()) > 0 {
			t.Error("another service is limited, too")
		}
		c.pass(2 * time.Second)
		if limited(h, "a", small()) > 0 {
			t.Error("still limited after the time that was told")
		}
		c.pass(time.Hour)
		for range 5 {
			if limited(h, "a", small()) > 0 {
				t.Fatal("limited after an hour")
			}
		}
	})
	t.Run("of all", func(t *testing.T) {
		h, _, c := newHub(func(cfg *ingest.Config) {
			cfg.Rate.Bytes, cfg.MaxBody, cfg.ServiceRate.Profiles = 100, 1000, 1000
		})
		n, service := 0, 0
		for limited(h, fmt.Sprint("s", service), small()) == 0 {
			n += len(encode(t, small()))
			service++
		}
		if n > 1000 || n < 500 {
			t.Errorf("limited after %d bytes", n)
		}
		c.pass(10 * time.Second)
		if limited(h, "a", small()) > 0 {
			t.Error("still limited")
		}
	})
}

// Above the number of series instances become one; nothing is dropped silently.
func TestSeriesLimit(t *testing.T) {
	send := func(h *ingest.Hub, labels ...string) error {
		p := ingest.Push{Data: encode(t, small())}
		for i := 0; i < len(labels); i += 2 {
			p.Labels = append(p.Labels, store.Label{Name: labels[i], Value: labels[i+1]})
		}
		return h.Receive(t.Context(), "test", p)
	}
	h, r, c := newHub(func(cfg *ingest.Config) { cfg.MaxServiceSeries = 10 })
	for i := range 30 {
		if err := send(h, "service", "a", "instance", fmt.Sprint("i", i)); err != nil {
			t.Fatal(err)
		}
	}
	instances := map[string]int{}
	ids := map[store.ID]bool{}
	for _, rec := range r.take() {
		instances[rec.Labels.Get("instance")]++
		ids[rec.ID] = true
	}
	if len(instances) != 11 || instances["other"] != 20 || instances["i9"] != 1 || len(ids) != 30 {
		t.Errorf("got %v with %d ids", instances, len(ids))
	}
	if n := h.Stats().Degraded[ingest.OtherInstance]; n != 20 {
		t.Errorf("counted %d", n)
	}
	// Those that are known stay themselves, and other services are no matter.
	if err := errors.Join(send(h, "service", "a", "instance", "i3"), send(h, "service", "b", "instance", "i99")); err != nil {
		t.Fatal(err)
	}
	for _, rec := range r.take() {
		if rec.Labels.Get("instance") == "other" {
			t.Errorf("got %v", rec.Labels)
		}
	}
	// Where it is not the instances that are many, profiles are refused.
	err := send(h, "service", "a", "path", "x")
	for i := 0; i < 20 && err == nil; i++ {
		err = send(h, "service", "a", "path", fmt.Sprint("/", i))
	}
	var e *ingest.Error
	if !errors.As(err, &e) || e.Reason != ingest.Limited || e.RetryAfter <= 0 || !strings.Contains(err.Error(), "already 10 active series of service a") {
		t.Errorf("got %v", err)
	}
	if s := h.Stats(); s.Series != 12 || s.Services != 2 {
		t.Errorf("got %d series of %d services", s.Series, s.Services)
	}
	// In time series are forgotten.
	c.pass(time.Hour + time.Minute)
	if err := send(h, "service", "a", "instance", "i3"); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour)
	if err := send(h, "service", "a", "instance", "new"); err != nil {
		t.Fatal(err)
	}
	if s := h.Stats(); s.Series != 2 || s.Services != 1 {
		t.Errorf("after two hours: %d series of %d services", s.Series, s.Services)
	}
	c.pass(100 * time.Hour)
	if s := h.Stats(); s.Series != 0 || s.Services != 0 {
		t.Errorf("after days: %d series of %d services", s.Series, s.Services)
	}

	all, _, _ := newHub(func(cfg *ingest.Config) { cfg.MaxSeries = 10 })
	refused := 0
	for i := range 30 {
		if send(all, "service", fmt.Sprint("s", i)) != nil {
			refused++
		}
	}
	if refused != 19 {
		t.Errorf("of 30 services %d are refused", refused)
	}
}
