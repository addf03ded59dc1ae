package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestHost: a page elsewhere that has its own name lead to this machine (DNS
// rebinding) would be of the same origin as the server.
func TestHost(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	for host, want := range map[string]int{
		"localhost:4000": 200, "LOCALHOST:4000": 200, "127.0.0.1:4000": 200, "[::1]:4000": 200,
		"evil.example:4000": 403, "localhost:4001": 403, "localhost": 403, "": 403, "127.0.0.1.evil.example:4000": 403,
		"localhost:4000.evil.example": 403, "192.168.1.2:4000": 403, "[::1": 403, "localhost.:4000": 403,
	} {
		for _, target := range []string{"/", "/api/v1/profiles", s.report("top", "")} {
			if r := s.do("GET", target, "", header("Host", host)); r.StatusCode != want {
				t.Errorf("Host %q, %s: %s", host, target, r.Status)
			}
		}
	}
	fails(t, s.do("GET", "/", "", header("Host", "evil.example")), 403, "", "http://localhost:4000")

	open := newSite(t, func(c *Config) { c.AnyAddress = true })
	for host, want := range map[string]int{"192.168.1.2:4000": 200, "[fe80::1]:4000": 200, "evil.example:4000": 403} {
		if r := open.do("GET", "/", "", header("Host", host)); r.StatusCode != want {
			t.Errorf("on all addresses, Host %q: %s", host, r.Status)
		}
	}
}

// TestOrigin: a page elsewhere can send requests here, even if it can't read
// what is answered.
func TestOrigin(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
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
		r := s.do(test.method, target, body, func(r *http.Request) {
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
	fails(t, s.do("POST", "/api/v1/profiles", "", header("Origin", "http://evil.example")), 403, "", "evil.example")
}

// TestHeaders checks that every answer, errors included, has what keeps a page
// from being framed, sniffed, or read by others.
func TestHeaders(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	for _, target := range []string{"/", "/nosuch", "/assets/index-1a.js", "/api/v1/profiles", "/api/v1/nosuch", s.report("top", ""), s.report("top", "focus=(")} {
		h := s.do("GET", target, "").Header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": pagePolicy,
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
		if !strings.Contains(pagePolicy, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
	if strings.Contains(pagePolicy, "unsafe") {
		t.Error("the policy has an unsafe part")
	}
}

// fileProfile returns a profile whose only function is in a file.
func fileProfile(name, file string) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	f := b.Function(name, name, file, 1)
	b.Sample([]uint32{b.Location(0x1000, 0, profile.Line{Function: f, Line: 1})}, nil, 100)
	return b.Profile()
}

// TestSourceFiles: whoever makes a profile chooses the names of its files.
func TestSourceFiles(t *testing.T) {
	for _, file := range []string{
		"/etc/passwd", "../../../../../../../../etc/passwd", "/etc/passwd.go", "../../go.mod", "/proc/self/environ",
		"file:///etc/passwd", "", "internal/../../../../../../../../etc/hosts", "C:\\Windows\\win.ini",
	} {
		s := newSite(t, func(c *Config) { c.Profiles = []Source{{Name: "p", Ready: fileProfile("main.main", file)}} })
		for _, format := range []string{"json", "text", "html"} {
			r := s.do("GET", s.report("source", "match=main&format="+format), "")
			if text := body(t, r); strings.Contains(text, "root:") || strings.Contains(text, "module github.com") || strings.Contains(text, "PATH=") || strings.Contains(text, "127.0.0.1") {
				t.Errorf("%s was served as %s: %.200s", file, format, text)
			}
		}
	}
	s := newSite(t, func(c *Config) {
		c.Profiles = []Source{{Name: "p", Ready: fileProfile("server.New", "github.com/hone-go/hone/internal/server/doc.go")}}
	})
	if !strings.Contains(s.get(s.report("source", "match=server")), "Package server is hone's web server") {
		t.Error("the source of a module at work is not served")
	}
}
