package httpload

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// A request is a compiled Target.
type request struct {
	method  string
	url     *url.URL // without path
	address string   // host:port
	key     string   // of connections to it
	path    *template.Template
	header  []headerTemplate
	body    *template.Template // nil: none
	chunked bool               // the body goes in chunks, as a header says
	last    bool               // of its connection, as a header says
	static  []byte             // the whole of it, if nothing changes
}

type headerTemplate struct {
	name  string
	value *template.Template
}

// compile checks a target and compiles its templates.
func (t Target) compile(feed *template.Feed) (*request, error) {
	scheme, rest, ok := strings.Cut(t.URL, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%s: invalid URL %q: use http://host/path", t.Name, t.URL)
	}
	host, path := rest, "/"
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], strings.TrimPrefix(rest[i:], "#")
	}
	path, _, _ = strings.Cut(path, "#") // what follows is not sent
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.Contains(host, "{{") {
		return nil, fmt.Errorf("%s: the host of %q can't be a template: requests only go to hosts that you name", t.Name, t.URL)
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%s: invalid URL %q: use http://host/path", t.Name, t.URL)
	}
	r := &request{method: t.Method, url: u, address: u.Host}
	if r.method == "" {
		r.method = http.MethodGet
	}
	if strings.ContainsFunc(r.method, func(c rune) bool { return !httpguts.IsTokenRune(c) }) {
		return nil, fmt.Errorf("%s: invalid method %q", t.Name, r.method)
	}
	if u.Port() == "" {
		r.address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[scheme])
	}
	r.key = scheme + r.address
	if r.path, err = template.Parse(t.Name+": the path", path, feed); err != nil {
		return nil, err
	}
	if u.User != nil {
		password, _ := u.User.Password()
		auth := http.Request{Header: http.Header{}}
		auth.SetBasicAuth(u.User.Username(), password)
		t.Header = append(t.Header[:len(t.Header):len(t.Header)], Header{"Authorization", auth.Header.Get("Authorization")})
		u.User = nil
	}
	for _, h := range t.Header {
		if !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value) {
			return nil, fmt.Errorf("%s: invalid header %q: use 'Name: value'", t.Name, h.Name+": "+h.Value)
		}
		value, err := template.Parse(t.Name+": header "+h.Name, h.Value, feed)
		if err != nil {
			return nil, err
		}
		r.header = append(r.header, headerTemplate{h.Name, value})
		if err := r.list(t.Name, h); err != nil {
			return nil, err
		}
	}
	switch {
	case t.Body == "" && !t.Empty:
	case t.Raw:
		r.body = template.Literal(t.Body)
	default:
		if r.body, err = template.Parse(t.Name+": the body", t.Body, feed); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// list notes what a header means for how the request is sent. Several lines of one
// are one list.
func (r *request) list(name string, h Header) error {
	switch strings.ToLower(h.Name) {
	case "connection":
		for item := range items([]byte(h.Value)) {
			r.last = r.last || equalFold(item, "close")
		}
	case "transfer-encoding":
		for item := range items([]byte(h.Value)) {
			if r.chunked {
				return fmt.Errorf("%s: header %s: chunked must be the last transfer encoding, not %q", name, h.Name, item)
			}
			r.chunked = equalFold(item, "chunked")
		}
	}
	return nil
}

// fixed reports whether a compiled request never changes.
func (r *request) fixed() bool {
	fixed := r.path.Static() && (r.body == nil || r.body.Static())
	for _, h := range r.header {
		fixed = fixed && h.value.Static()
	}
	return fixed
}

// values fill in requests.
type values struct {
	feed *template.Feed
	*template.Values
}

func (v *values) at(n int64) {
	v.N, v.Row = n, v.feed.Row(n)
}

// errSplit is the failure of a request that the output of a template would split in two.
var errSplit = &load.Failure{Class: "template", Text: "a template put a space or a line break into a path or a header"}

// write appends a request to dst and returns it, and the room it used for the body.
func (v *values) write(r *request, dst, body []byte, keepAlive bool) (whole, room []byte, err error) {
	dst = append(append(dst, r.method...), ' ')
	from := len(dst)
	dst = r.path.Append(dst, v.Values)
	if bytes.ContainsFunc(dst[from:], func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return dst, body, errSplit
	}
	dst = append(dst, " HTTP/1.1"...)
	host, agent, length, connection := false, false, false, false
	for _, h := range r.header {
		host = host || equalFold([]byte(h.name), "host")
		agent = agent || equalFold([]byte(h.name), "user-agent")
		length = length || equalFold([]byte(h.name), "content-length")
		connection = connection || equalFold([]byte(h.name), "connection")
		dst = append(append(append(dst, "\r\n"...), h.name...), ": "...)
		from := len(dst)
		dst = h.value.Append(dst, v.Values)
		if bytes.ContainsAny(dst[from:], "\r\n\x00") {
			return dst, body, errSplit
		}
	}
	if !host {
		dst = append(append(dst, "\r\nHost: "...), r.url.Host...)
	}
	if !agent {
		dst = append(dst, "\r\nUser-Agent: hone"...)
	}
	if !keepAlive && !connection {
		dst = append(dst, "\r\nConnection: close"...)
	}
	body = body[:0]
	if r.body != nil {
		body = r.body.Append(body, v.Values)
	}
	if r.chunked {
		dst = append(dst, "\r\n\r\n"...)
		if len(body) > 0 {
			dst = append(strconv.AppendInt(dst, int64(len(body)), 16), "\r\n"...)
			dst = append(append(dst, body...), "\r\n"...)
		}
		return append(dst, "0\r\n\r\n"...), body, nil
	}
	if !length && (r.body != nil || r.method == "POST" || r.method == "PUT" || r.method == "PATCH") {
		dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), int64(len(body)), 10)
	}
	return append(append(dst, "\r\n\r\n"...), body...), body, nil
}

// pathOf returns the path of a request that was written.
func pathOf(r *request, out []byte) string {
	path, _, _ := bytes.Cut(out[min(len(out), len(r.method)+1):], []byte(" "))
	return string(path)
}

// named returns err with the request that it belongs to before its text.
func named(r *request, path string, err error) error {
	return prefixed(fmt.Sprintf("%s %s%s: ", r.method, r.url, path), err)
}

// redirected returns err with the request that a redirection led to before its text.
func redirected(r *request, path string, err error) error {
	return prefixed(fmt.Sprintf("redirected to %s %s%s: ", r.method, r.url, path), err)
}
