package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/page"
	"github.com/hone-go/hone/internal/server/servertest"

	"crypto/tls"
	"net/http"
	"strings"
	"testing"
)

// TestHost: a page elsewhere that has its own name lead to this machine (DNS
// rebinding) would be of the same origin as the server.
func TestHost(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	for host, want := range map[string]int{
		"localhost:4000": 200, "LOCALHOST:4000": 200, "127.0.0.1:4000": 200, "[::1]:4000": 200,
		"evil.example:4000": 403, "localhost:4001": 403, "localhost": 403, "": 403, "127.0.0.1.evil.example:4000": 403,
		"localhost:4000.evil.example": 403, "192.168.1.2:4000": 403, "[::1": 403, "localhost.:4000": 403,
	} {
		for _, target := range []string{"/", "/api/v1/profiles", s.Report("top", "")} {
			if r := s.Do("GET", target, "", servertest.Header("Host", host)); r.StatusCode != want {
				t.Errorf("Host %q, %s: %s", host, target, r.Status)
			}
		}
	}
	servertest.Fails(t, s.Do("GET", "/", "", servertest.Header("Host", "evil.example")), 403, "", "http://localhost:4000")

	open := servertest.NewSite(t, func(c *servertest.Config) { c.AnyAddress = true })
	for host, want := range map[string]int{"192.168.1.2:4000": 200, "[fe80::1]:4000": 200, "evil.example:4000": 403} {
		if r := open.Do("GET", "/", "", servertest.Header("Host", host)); r.StatusCode != want {
			t.Errorf("on all addresses, Host %q: %s", host, r.Status)
		}
	}
}

// TestOrigin: a page elsewhere can send requests here, even if it can't read
// what is answered.
func TestOrigin(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	for _, test := range []struct {
		method, site, mode, origin string
		want                       int
	}{
		{method: "PUT", want: 200}, // no browser
		{method: "PUT", site: "same-origin", origin: "http://localhost:4000", want: 200},
		{method: "PUT", origin: "http://localhost:4000", want: 200},
		{method: "PUT", site: "cross-site", origin: "http://evil.example", want: 403},
		{method: "PUT", origin: "http://evil.example", want: 403},
		{method: "PUT", origin: "null", want: 403},
		{method: "PUT", origin: "http://localhost:4001", want: 403},
		{method: "PUT", origin: "file://localhost:4000", want: 403},
		{method: "PUT", site: "same-site", origin: "http://localhost:9999", want: 403},
		{method: "PUT", site: "cross-site", mode: "navigate", want: 403},
		{method: "DELETE", site: "cross-site", want: 403},
		{method: "GET", want: 200},
		{method: "GET", site: "none", mode: "navigate", want: 200},
		{method: "GET", site: "same-origin", want: 200},
		{method: "GET", site: "cross-site", mode: "navigate", want: 200}, // a link to here
		{method: "GET", site: "cross-site", mode: "no-cors", want: 403},
		{method: "GET", site: "same-site", mode: "cors", want: 403},
	} {
		target, body := "/api/v1/views", ""
		switch test.method {
		case "PUT":
			target, body = "/api/v1/views/a", `{"query":"focus=a"}`
		case "DELETE":
			target = "/api/v1/views/a"
		}
		r := s.Do(test.method, target, body, func(r *http.Request) {
			for name, value := range map[string]string{"Sec-Fetch-Site": test.site, "Sec-Fetch-Mode": test.mode, "Origin": test.origin} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
		})
		if r.StatusCode != test.want {
			t.Errorf("%+v: %s", test, r.Status)
		}
	}
	servertest.Fails(t, s.Do("POST", "/api/v1/profiles", "", servertest.Header("Origin", "http://evil.example")), 403, "", "evil.example")
}

// TestHeaders checks that every answer, errors included, has what keeps a page
// from being framed, sniffed, or read by others.
func TestHeaders(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	for _, target := range []string{"/", "/nosuch", "/assets/index-1a.js", "/api/v1/profiles", "/api/v1/nosuch", s.Report("top", ""), s.Report("top", "focus=(")} {
		h := s.Do("GET", target, "").Header
		policy := server.PagePolicy
		if target == "/nosuch" {
			policy = page.Policy() // it runs nothing
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": policy,
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", target, name, got)
			}
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s lets other pages read it", target)
		}
	}
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(server.PagePolicy, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
	if strings.Contains(server.PagePolicy, "unsafe") {
		t.Error("the policy has an unsafe part")
	}
}

// TestOriginScheme: a page of the same name without TLS may have been written by anyone
// on the way.
func TestOriginScheme(t *testing.T) {
	const secure, plain = "https://localhost:4000", "http://localhost:4000"
	for _, test := range []struct {
		name      string
		tls       bool
		forwarded string
		public    string
		origin    string
		want      int
	}{
		{name: "plain", origin: plain, want: 200},
		{name: "another program's page with TLS", origin: secure, want: 403},
		{name: "TLS", tls: true, origin: secure, want: 200},
		{name: "a page without TLS", tls: true, origin: plain, want: 403},
		{name: "proxy that tells", forwarded: "https", origin: secure, want: 200},
		{name: "proxies that tell", forwarded: "HTTPS, http", origin: secure, want: 200},
		{name: "a page without TLS before a proxy", forwarded: "https", origin: plain, want: 403},
		{name: "public URL", public: secure + "/", origin: secure, want: 200},
		{name: "a page without TLS of the public URL", public: secure, origin: plain, want: 403},
		{name: "another name than the public one", public: "https://hone.example.com", origin: plain, want: 200},
	} {
		s := servertest.NewSite(t, func(c *servertest.Config) { c.PublicURL = test.public })
		r := s.Do("PUT", "/api/v1/views/a", `{"query":"focus=a"}`, func(r *http.Request) {
			if test.tls {
				r.TLS = new(tls.ConnectionState)
			}
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-Proto", test.forwarded)
			}
			r.Header.Set("Origin", test.origin)
		})
		if r.StatusCode != test.want {
			t.Errorf("%s: %s", test.name, r.Status)
		}
	}
}
