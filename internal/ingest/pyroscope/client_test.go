package pyroscope

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestRealClient: all kinds of profiles of Pyroscope's agent for Go arrive, with all their values.
func TestRealClient(t *testing.T) {
	st := storetest.NewModel()
	mux := http.NewServeMux()
	Mount(mux, ingest.New(ingest.Config{Store: st}))
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	agent := ingesttest.StartAgent(t, "pyroscope", "-addr", server.URL, "-name", "shop")
	agent.CheckStored(st, 18, "cpu", "heap", "goroutine", "mutex", "block", "goroutineleak")
	for name, want := range map[string][]string{"service": {"shop"}, "instance": {"host-1"}} {
		if got := ingesttest.LabelValues(t, st, name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
