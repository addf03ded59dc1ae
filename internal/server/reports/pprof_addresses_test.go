package reports_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

func TestPprofAddresses(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	get := func(target string) *http.Response { return s.Do("GET", target, "") }
	for target, want := range map[string]string{
		"/flamegraph":             "/flame",
		"/flamegraph?f=main&si=1": "/flame?focus=main&sample_index=1",
		"/flamegraph2?f=":         "/flame",
		"/ui/":                    "/",
		"/ui/flamegraph?i=x":      "/flame?ignore=x",
		"/ui/top?n=5":             "/top?nodecount=5",
		"/ui/source?f=a%26b":      "/source?focus=a%26b",
		"/download":               "/api/v1/report/proto?download=true&profile=" + s.IDs[0],
		"/ui/download":            "/api/v1/report/proto?download=true&profile=" + s.IDs[0],
	} {
		w := get(target)
		if got := w.Header.Get("Location"); w.StatusCode != http.StatusFound || got != want {
			t.Errorf("%s: %d to %q, want %q", target, w.StatusCode, got, want)
		}
	}
	for _, target := range []string{"/ui/nosuch", "/ui/%2fevil.example", "/ui/https:evil.example"} {
		if w := get(target); w.StatusCode/100 == 3 && !strings.HasPrefix(w.Header.Get("Location"), "/ui/") {
			t.Errorf("%s leads to %q", target, w.Header.Get("Location"))
		}
	}
	data := s.Get(get("/download").Header.Get("Location"))
	if p, err := profile.DecodeBytes([]byte(data), profile.Limits{}); err != nil || p.NumSamples() == 0 {
		t.Errorf("the download: %v", err)
	}
}
