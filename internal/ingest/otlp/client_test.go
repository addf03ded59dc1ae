package otlp

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestRealClient: what the exporters of the OpenTelemetry Collector send arrives with all its values.
func TestRealClient(t *testing.T) {
	for _, transport := range []string{"grpc", "http", "json"} {
		t.Run(transport, func(t *testing.T) {
			st := storetest.NewModel()
			mux := http.NewServeMux()
			Mount(mux, ingest.New(ingest.Config{Store: st}))
			server := httptest.NewUnstartedServer(mux)
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetHTTP1(true)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			defer server.Close()
			agent := ingesttest.StartAgent(t, "otlp", "-addr", server.Listener.Addr().String(), "-name", "shop", "-transport", transport)
			agent.CheckStored(st, 5, "cpu", "heap", "goroutine", "mutex", "block")
			for name, want := range map[string][]string{"service": {"shop"}, "instance": {"host-1"}} {
				if got := ingesttest.LabelValues(t, st, name); !reflect.DeepEqual(got, want) {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}
