package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestEmptyProfile says what to do when the source had no samples. hone pprof prints what
// go tool pprof does, and a difference of equal profiles is not empty for want of samples.
func TestEmptyProfile(t *testing.T) {
	types := map[string][]profile.ValueType{
		"profile": {{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		"mutex":   {{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
		"heap":    {{Type: "inuse_space", Unit: "bytes"}},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &profile.Profile{SampleTypes: types[strings.TrimPrefix(r.URL.Path, "/debug/pprof/")], DurationNanos: 1e9}
		if err := p.Encode(w); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	const none = "the profile has no samples"
	for _, c := range []struct {
		args string
		says string
	}{
		{"top URL/profile", "Profile it while it works, for longer with -seconds 30"},
		{"tree URL/profile", "hone load http"},
		{"flame -folded URL/profile", none},
		{"top URL/mutex", "runtime.SetMutexProfileFraction(5)"},
		{"top URL/heap", none},
		{"pprof -top URL/profile", ""},
		{"top " + testdata("cpu.generics.pb.gz"), ""},
		{"top -base " + testdata("cpu.generics.pb.gz") + " " + testdata("cpu.generics.pb.gz"), ""},
	} {
		o := hone(t, strings.Fields(strings.ReplaceAll(c.args, "URL", srv.URL+"/debug/pprof"))...)
		if o.code != 0 || !strings.Contains(o.stderr, c.says) || strings.Contains(o.stderr, none) != (c.says != "") {
			t.Errorf("%s: exit code %d, want %q:\n%s", c.args, o.code, c.says, o.stderr)
		}
	}
}
