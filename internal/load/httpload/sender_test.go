package httpload

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/loadtest"
)

// A service is net/http's server, and a pool of the driver's clients.
type service struct {
	loadtest.Gate
	url   string
	http2 bool
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Pass(r.Context())
	if r.URL.Path == "/refused" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprint(w, "an answer")
}

func (s *service) Open(t *testing.T, settings loadtest.Settings) load.Sender {
	path := "/answered"
	if settings.Refuses {
		path = "/refused"
	}
	parallel := 1000
	if settings.Parallel > 0 {
		parallel = settings.Parallel
	}
	return load.NewPool(newDriver(t, Options{HTTP2: s.http2, Timeout: settings.Timeout, Targets: []Target{{Name: "x", URL: s.url + path}}}), parallel)
}

func TestSender(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP1": false, "HTTP2": true} {
		t.Run(name, func(t *testing.T) {
			loadtest.Run(t, func(t *testing.T) loadtest.Service {
				s := &service{http2: http2}
				server := httptest.NewUnstartedServer(s)
				startBoth(t, server)
				s.url = server.URL
				t.Cleanup(server.CloseClientConnections)
				return s
			})
		})
	}
}
