package stored_test

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
)

func endpointsOf(t *testing.T, l *servertest.Live, q string, more ...string) api.Endpoints {
	t.Helper()
	return servertest.Decode[api.Endpoints](t, l.Get("/api/v1/endpoints?"+servertest.Between(q, 0, 20, more...).Encode()))
}

func TestEndpoints(t *testing.T) {
	l := servertest.NewLive(t, nil)
	busyShop(l)
	v := endpointsOf(t, l, `cpu{service="shop"}`)
	if len(v.Time) != 4 || v.Unit != "nanoseconds" || len(v.Endpoints) != 3 || v.Left != 0 || len(v.Warnings) != 0 {
		t.Fatalf("%+v", v)
	}
	cart, outside, health := v.Endpoints[0], v.Endpoints[1], v.Endpoints[2]
	// All of the cart's cost is that of three quarters of the requests.
	if cart.Endpoint != "GET /cart/{id}" || cart.Requests != 18_000 || !near(cart.Cost, 27.5e6*0.9/0.75) || !near(cart.Share, 90) {
		t.Errorf("the cart: %+v", cart)
	}
	if !near(cart.Over.Cost[0], 20e6*0.9/0.75) || !near(cart.Over.Cost[3], 30e6*0.9/0.75) || cart.Over.Requests[0] != 2250 || cart.Over.Requests[3] != 6750 {
		t.Errorf("the cart over time: %+v", cart.Over)
	}
	if outside.Endpoint != "" || outside.Requests != 0 || outside.Cost != nil || !near(outside.Share, 10) {
		t.Errorf("outside of requests: %+v", outside)
	}
	if health.Endpoint != "/health" || health.Requests != 6000 || health.Cost != 0.0 || health.Share != 0 {
		t.Errorf("health: %+v", health)
	}
	if v.Total.Requests != 24_000 || !near(v.Total.Cost, 27.5e6) || v.Total.Share != 100 {
		t.Errorf("all: %+v", v.Total)
	}

	if v := endpointsOf(t, l, `cpu{service="shop"}`, "limit", "1"); len(v.Endpoints) != 1 || v.Left != 2 {
		t.Errorf("the first of three: %+v", v)
	}
	merges := l.Store.Merges.Load()
	endpointsOf(t, l, `cpu{service="shop"}`)
	if n := l.Store.Merges.Load() - merges; n != 0 {
		t.Errorf("the second time takes %d merges", n)
	}
}

// TestEndpointsWithoutLabels: the runtime labels no allocations.
func TestEndpointsWithoutLabels(t *testing.T) {
	l := servertest.NewLive(t, nil)
	busyShop(l)
	v := endpointsOf(t, l, `cpu{service="other"}`)
	if len(v.Endpoints) != 1 || v.Endpoints[0].Endpoint != "" || v.Endpoints[0].Share != 100 || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "CountRequests") {
		t.Errorf("%+v", v)
	}
	if v := endpointsOf(t, l, `cpu{service="none"}`); len(v.Endpoints) != 0 || len(v.Time) != 0 {
		t.Errorf("no profiles: %+v", v)
	}
}
