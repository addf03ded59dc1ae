package httpload

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/hone-go/hone/internal/load"
)

// A hop is the request that a redirection asks for.
type hop struct {
	*request // where it goes, without path, headers and body
	to       *url.URL
	path     string // with the query
	bodiless bool   // it has no body, whatever the request before had
	stranger bool   // it goes where what lets somebody in isn't shown: from https to http
}

// follows reports whether an answer with a status sends the client elsewhere, and it is
// to go there: not if -expect names the status, which is the answer then.
func (p *plan) follows(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return p.opts.Redirects > 0 && (len(p.opts.Expect) == 0 || !p.opts.Expect.has(status))
	}
	return false
}

// classRedirect are redirections that lead nowhere.
const classRedirect = "redirect"

// redirect returns the request that a Location asks for after a request for a path, when
// that many redirections have been followed before. It returns nil if the Location
// names a host that no target names: a load is for those alone.
func (p *plan) redirect(r *request, path string, status int, location string, before int) (*hop, error) {
	from, err := url.Parse(r.url.String() + path)
	if err != nil {
		return nil, err
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, &load.Failure{Class: classRedirect, Text: fmt.Sprintf("%d: invalid Location %.200q", status, location)}
	}
	port := map[string]string{"http": "80", "https": "443"}[to.Scheme]
	if port == "" || to.Host == "" || !p.hosts[strings.ToLower(to.Hostname())] && p.opts.Unix == "" {
		return nil, nil
	}
	if before >= p.opts.Redirects {
		return nil, &load.Failure{Class: classRedirect, Text: fmt.Sprintf("too many redirections (-redirects %d): the last leads to %.200s", p.opts.Redirects, to)}
	}
	next := &request{method: r.method, url: &url.URL{Scheme: to.Scheme, Host: to.Host}, address: to.Host, last: r.last}
	if to.Port() == "" {
		next.address = net.JoinHostPort(to.Hostname(), port)
	}
	next.key = next.url.Scheme + next.address
	to.RawQuery = strings.ReplaceAll(to.RawQuery, " ", "%20") // it would end the path
	h := &hop{request: next, to: to, path: to.RequestURI(), stranger: from.Scheme == "https" && to.Scheme != "https"}
	if status <= 303 && r.method != http.MethodGet && r.method != http.MethodHead {
		next.method, h.bodiless = http.MethodGet, true
	}
	return h, nil
}

// drops reports whether the request doesn't take over a header.
func (h *hop) drops(name []byte) bool {
	switch {
	case h.bodiless && (equalFold(name, "content-length") || equalFold(name, "content-type") || equalFold(name, "transfer-encoding")):
		return true
	case h.stranger && (equalFold(name, "authorization") || equalFold(name, "cookie")):
		return true
	}
	return false
}

// write returns the request, after one that was written before. A Host header that was
// asked for stays where it goes on to the same host.
func (h *hop) write(before []byte, r *request) []byte {
	head, body, _ := bytes.Cut(before, []byte("\r\n\r\n"))
	lines := bytes.Split(head, []byte("\r\n"))
	out := append([]byte(h.method), ' ')
	out = append(append(out, h.path...), " HTTP/1.1"...)
	for _, line := range lines[1:] {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch {
		case h.drops(name):
		case equalFold(name, "host") && h.to.Host != r.url.Host:
			out = append(append(out, "\r\nHost: "...), h.to.Host...)
		default:
			out = append(append(out, "\r\n"...), line...)
		}
	}
	out = append(out, "\r\n\r\n"...)
	if h.bodiless {
		return out
	}
	return append(out, body...)
}

// http2Request returns the same for HTTP/2.
func (h *hop) http2Request(before *http.Request, r *request) (*http.Request, error) {
	next := before.Clone(before.Context())
	next.Method, next.URL, next.Body = h.method, h.to, nil
	if h.to.Host != r.url.Host {
		next.Host = h.to.Host
	}
	for name := range next.Header {
		if h.drops([]byte(name)) {
			next.Header.Del(name)
		}
	}
	if h.bodiless || before.GetBody == nil {
		next.ContentLength, next.GetBody = 0, nil
		return next, nil
	}
	var err error
	next.Body, err = before.GetBody()
	return next, err
}
