package httpload

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/load"
)

// TestRedirects: a redirection is followed as browsers do, to the hosts that are named,
// and all that was sent is told.
func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var got []string
	places := map[string]struct {
		status   int
		location string
	}{
		"/old":         {301, "/new?q=1"},
		"/dir/old":     {302, "../new#part"},
		"/see":         {303, "new"},
		"/same":        {307, "/new"},
		"/moved":       {308, "/see"},
		"/away":        {302, "http://elsewhere.invalid/"},
		"/mail":        {302, "mailto:a@b"},
		"/loop":        {302, "/loop"},
		"/bad":         {302, "http://[::1"},
		"/nowhere":     {302, ""},
		"/space":       {302, "/new?q=a b"},
		"/to/missing":  {302, "/missing"},
		"/notmodified": {304, "/new"},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		got = append(got, fmt.Sprintf("%s %s %s%s x=%s", r.Method, r.RequestURI, body, r.Header.Get("Content-Type"), r.Header.Get("X")))
		mu.Unlock()
		if to, ok := places[r.URL.Path]; ok {
			w.Header()["Location"] = []string{to.location}
			w.WriteHeader(to.status)
		} else if r.URL.Path != "/new" {
			w.WriteHeader(404)
		}
	}))
	startBoth(t, server)
	for _, h2 := range []bool{false, true} {
		for _, test := range []struct {
			path   string
			opts   Options
			got    []string // without what is the same in all
			status int
			failed string // in the failure's text
		}{
			{"/old", Options{Redirects: 10}, []string{"POST /old bodytext/x", "GET /new?q=1 "}, 200, ""},
			{"/dir/old", Options{Redirects: 10}, []string{"POST /dir/old bodytext/x", "GET /new "}, 200, ""},
			{"/see", Options{Redirects: 10}, []string{"POST /see bodytext/x", "GET /new "}, 200, ""},
			{"/same", Options{Redirects: 10}, []string{"POST /same bodytext/x", "POST /new bodytext/x"}, 200, ""},
			{"/moved", Options{Redirects: 10}, []string{"POST /moved bodytext/x", "POST /see bodytext/x", "GET /new "}, 200, ""},
			{"/moved", Options{Redirects: 1}, []string{"POST /moved bodytext/x", "POST /see bodytext/x"}, 303, "/see: too many redirections (-redirects 1): the last leads to " + server.URL + "/new"},
			{"/space", Options{Redirects: 10}, []string{"POST /space bodytext/x", "GET /new?q=a%20b "}, 200, ""},
			{"/loop", Options{Redirects: 2}, []string{"POST /loop bodytext/x", "GET /loop ", "GET /loop "}, 302, "too many redirections (-redirects 2): the last leads to " + server.URL + "/loop"},
			{"/to/missing", Options{Redirects: 10}, []string{"POST /to/missing bodytext/x", "GET /missing "}, 404,
				"POST " + server.URL + "/to/missing: redirected to GET " + server.URL + "/missing: 404 Not Found"},
			{"/bad", Options{Redirects: 10}, []string{"POST /bad bodytext/x"}, 302, "POST " + server.URL + "/bad: 302: invalid Location \"http://[::1\""},
			{"/away", Options{Redirects: 10}, []string{"POST /away bodytext/x"}, 302, ""},
			{"/mail", Options{Redirects: 10}, []string{"POST /mail bodytext/x"}, 302, ""},
			{"/nowhere", Options{Redirects: 10}, []string{"POST /nowhere bodytext/x"}, 302, ""},
			{"/notmodified", Options{Redirects: 10}, []string{"POST /notmodified bodytext/x"}, 304, ""},
			{"/old", Options{}, []string{"POST /old bodytext/x"}, 301, ""},
			{"/old", Options{Redirects: 10, Expect: Statuses{{300, 399}}}, []string{"POST /old bodytext/x"}, 301, ""},
			{"/old", Options{Redirects: 10, Expect: Statuses{{200, 200}}}, []string{"POST /old bodytext/x", "GET /new?q=1 "}, 200, ""},
		} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v, %d at most, expecting %v", test.path, h2, test.opts.Redirects, test.opts.Expect), func(t *testing.T) {
				for _, raw := range []bool{true, false} { // one that is written in advance, and one that is filled in
					opts := test.opts
					opts.HTTP2 = h2
					target := Target{Name: "t", Method: "POST", URL: server.URL + test.path, Body: "body", Header: []Header{{"Content-Type", "text/x"}, {"X", "{{n}}"}}}
					if raw {
						target.Header[1].Value = "7"
					}
					opts.Targets = []Target{target}
					for way, c := range ways(t, opts) {
						got = nil
						a, err := c.Do(t.Context(), 7)
						var f *load.Failure
						if test.failed == "" && err != nil || test.failed != "" && (!errors.As(err, &f) || !strings.Contains(f.Text, test.failed)) {
							t.Errorf("%s: %v, want a failure with %q", way, err, test.failed)
						}
						want := slices.Clone(test.got)
						for i := range want {
							want[i] += " x=7"
						}
						if !slices.Equal(got, want) {
							t.Errorf("%s: the server got\n%q, want\n%q", way, got, want)
						}
						if a.Status != test.status || len(a.Before) != len(want)-1 {
							t.Errorf("%s: status %d after %v, want %d after %d", way, a.Status, a.Before, test.status, len(want)-1)
						}
					}
				}
			})
		}
	}
}

// TestRedirectedSecrets: what lets somebody in isn't shown to who listens on the way.
func TestRedirectedSecrets(t *testing.T) {
	d := newDriver(t, Options{Redirects: 1, Targets: []Target{{
		Name: "t", URL: "https://shop.test/a", Header: []Header{{"Authorization", "secret"}, {"Cookie", "secret"}, {"X", "y"}},
	}}})
	r := d.plan.requests[0]
	for location, shown := range map[string]bool{"http://shop.test/b": false, "https://shop.test:8443/b": true, "/b": true} {
		h, err := d.plan.redirect(r, "/a", 302, location, 0)
		if err != nil || h == nil {
			t.Fatalf("%s: %v", location, err)
		}
		out := string(h.write(r.static, r))
		if strings.Contains(out, "secret") != shown || !strings.Contains(out, "X: y\r\n") && !strings.HasSuffix(out, "X: y\r\n\r\n") {
			t.Errorf("%s:\n%s", location, out)
		}
		if host := "Host: " + h.to.Host + "\r\n"; !strings.Contains(out, host) {
			t.Errorf("%s: no %q in\n%s", location, host, out)
		}
	}
}
