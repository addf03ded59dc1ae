package servertest

import (
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/stored"
	"github.com/hone-go/hone/internal/store"
)

// Continuous is what a server of a store under test has besides.
type Continuous struct {
	Store store.Store
	// Receiver returns what takes profiles in, and puts them into the store that
	// it is given: Store, with an eye on new versions.
	Receiver func(store.Store) ingest.Receiver
	// Protocols adds wire protocols to a mux.
	Protocols   func(*http.ServeMux, ingest.Receiver, store.Store) error
	Memory      *ingest.Memory
	Auth        *auth.Auth
	MarkersFile string
	Functions   *fnmetrics.Watch // nil has no rules
	Status      func() api.Status
	Ready       func() error // nil says always
	Version     string

	markers *stored.Markers
}

// prepare makes what the server has to be made of.
func (c *Continuous) prepare(t testing.TB, cfg *server.Config) *stored.Markers {
	t.Helper()
	markers, err := stored.OpenMarkers(t.Context(), c.MarkersFile, c.Store, cfg.Log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(markers.Close) // what is due is written while the test is there to hear of it
	agents := &server.Agents{Protocols: http.NewServeMux(), Receiver: c.Receiver(markers.Observe(c.Store)), Memory: c.Memory}
	if err := c.Protocols(agents.Protocols, agents.Receiver, auth.Scoped(c.Store)); err != nil {
		t.Fatal(err)
	}
	cfg.Auth, cfg.Agents, cfg.Metrics = c.Auth, agents, prometheus.NewRegistry()
	c.markers = markers
	return markers
}

func (c *Continuous) ready() error {
	if c.Ready == nil {
		return nil
	}
	return c.Ready()
}
