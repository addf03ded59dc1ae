package pgo

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/profile"
)

func TestSelectors(t *testing.T) {
	for services, want := range map[string][]string{
		"api":            {`{service="api"}`},
		" api, web,":     {`{service="api"}`, `{service="web"}`},
		`a"b`:            {`{service="a\"b"}`},
		`{zone="a,b"}`:   {`{zone="a,b"}`},
		`{a="1", b="2"}`: {`{a="1", b="2"}`},
	} {
		if got := selectors(services); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", services, got, want)
		}
	}
}

// TestServerInputs asks a server that has two versions of api, and nothing else.
func TestServerInputs(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_500)
	var asked []url.Values
	profiles := map[string]*profile.Profile{"v1": {}, "v2": {}}
	server := &Server{
		Name: "http://hone",
		Series: func(_ context.Context, query url.Values) (*api.OverTime, error) {
			asked = append(asked, query)
			if query.Get("q") != `cpu{service="api"}` {
				return new(api.OverTime), nil
			}
			return &api.OverTime{Series: []api.GroupSeries{
				{Labels: map[string]string{"service": "api", "version": "v1"}, Profile: "sel:v=v1"},
				{Labels: map[string]string{"service": "api", "version": "v2"}, Profile: "sel:v=v2"},
			}}, nil
		},
		Profile: func(_ context.Context, selection url.Values) (*profile.Profile, error) {
			return profiles[selection.Get("v")], nil
		},
	}
	got, err := server.Inputs(t.Context(), "api", "1h", now)
	want := []Input{{profiles["v1"], "api", "v1"}, {profiles["v2"], "api", "v2"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	// The range ends after the second that has begun, so that it has the newest profile.
	if from, to := asked[0].Get("from"), asked[0].Get("to"); from != "1699996401000" || to != "1700000001000" {
		t.Errorf("asked from %s to %s", from, to)
	}
	if _, err := server.Inputs(t.Context(), "api,web", "1h", now); err == nil || !strings.Contains(err.Error(), `http://hone has no CPU profiles of {service="web"} in the last 1h: try a longer -last`) {
		t.Errorf("of a service without profiles: %v", err)
	}
	for _, last := range []string{"", "soon", "0s"} {
		if _, err := server.Inputs(t.Context(), "api", last, now); !errors.As(err, new(*LastError)) {
			t.Errorf("last %q: %v", last, err)
		}
	}
}
