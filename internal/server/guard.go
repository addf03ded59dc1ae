package server

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// pagePolicy allows pages what hone's own need: files of this server and
// requests to it. Nothing inline runs, nothing is framed, and markup is made of
// no text but by the policy "hone", which exists for a worker's URL.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"worker-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types hone"

// SandboxPolicy is for documents made of profiles: should one be shown after
// all, it is of no origin and runs nothing.
const SandboxPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

// guard lets through only who may ask, and sets the headers that keep pages and
// answers harmless.
func guard(c *Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := c.mayAsk(r); err != nil {
			writeError(w, r, &Error{Status: http.StatusForbidden, Err: err})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// mayAsk returns why a request is not answered.
func (c *Config) mayAsk(r *http.Request) error {
	if !c.knownHost(r.Host) && !c.anyHost(r) {
		// A page elsewhere can have its own name lead to this machine, and then
		// read what the server answers. The name gives it away.
		return fmt.Errorf("%w %q: open http://%s, or start hone with -http=HOST:PORT to use that name", errOtherName, r.Host, c.hostName())
	}
	site := r.Header.Get("Sec-Fetch-Site")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" && reads
	switch site {
	case "", "same-origin", "none":
	default:
		if !navigates {
			return errors.New("requests from pages of other sites are refused")
		}
	}
	if reads {
		return nil
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil // no page: browsers always send it with such requests
	}
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return fmt.Errorf("requests from pages of %s can't change anything here", origin)
	}
	if scheme := c.scheme(r); u.Scheme != scheme {
		// What a page without TLS is anyone on the way may have written.
		return fmt.Errorf("requests from pages of %s can't change anything here: this is %s://%s; behind a proxy with TLS, set public_url or have it send X-Forwarded-Proto",
			origin, scheme, r.Host)
	}
	return nil
}

// scheme returns that of the URL by which a request came, as its browser sees it. A page
// elsewhere can't send the header: only proxies do.
func (c *Config) scheme(r *http.Request) string {
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	u, err := url.Parse(c.PublicURL)
	public := err == nil && u.Scheme == "https" && strings.EqualFold(u.Host, r.Host)
	if public || r.TLS != nil || strings.EqualFold(strings.TrimSpace(first), "https") {
		return "https"
	}
	return "http"
}

// anyHost reports whether a request needs no name that the server knows. A page
// that had its own name lead to this machine has no token and no session of this
// server, and its browser tells where requests come from that change something.
// Agents tell nothing, and use whatever name they were given.
func (c *Config) anyHost(r *http.Request) bool {
	if c.Agents == nil {
		return false
	}
	return c.Auth != nil || asksHealth(r) ||
		!reads(r) && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == ""
}

func (c *Config) hostName() string {
	if len(c.Hosts) > 0 {
		return c.Hosts[0]
	}
	return "localhost"
}

// knownHost reports whether a Host header names this server.
func (c *Config) knownHost(host string) bool {
	host = withPort(host)
	if slices.ContainsFunc(c.Hosts, func(known string) bool { return strings.EqualFold(withPort(known), host) }) {
		return true
	}
	if !c.AnyAddress {
		return false
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return false
	}
	// A number can't be made to lead elsewhere, as a name can.
	_, err = netip.ParseAddr(name)
	return err == nil
}

// withPort adds the port that browsers leave out.
func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), "80")
}
